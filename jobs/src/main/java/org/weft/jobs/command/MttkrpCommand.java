package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.RowSource;
import org.weft.jobs.file.Operands;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft mttkrp}. */
@Command(
    name = "mttkrp",
    sortOptions = false,
    description = {
      "Matricised tensor times Khatri-Rao product: M(i,r) = T(i,j,k) * B(j,r) * C(k,r).",
      "The example is mode 0 of a tensor of order 3. The command takes any order and any"
          + " mode. The result is dense, mode size x R.",
      "--factors DIR holds mode0.npy, mode1.npy, ..., or is a .npz file of mode0, mode1,"
          + " ... The factor of mode N is not needed. Without --factors, the factor of mode m is"
          + " uniform in [0,1), drawn from seed S + m."
    },
    footer = {"", "Example: weft mttkrp x.tns.gz --mode 0 --rank 16 --output m.npy"})
public final class MttkrpCommand extends TensorJobCommand {
  @Option(
      names = "--rank",
      paramLabel = "R",
      description =
          "The columns of the factors (default with --factors: the columns of those factors).")
  @Nullable Integer rank;

  @Option(
      names = "--factors",
      paramLabel = "DIR",
      description = "The folder or the .npz file of the factors.")
  @Nullable String factors;

  private List<RowSource> given = List.of();

  @Override
  void prepare(FileAccess files, int order) {
    requireRank(rank);
    if (factors != null) {
      given = Operands.openFactors(files, factors, order, mode);
      if (rank == null && order > 1) {
        rank = given.get(mode == 0 ? 1 : 0).columns();
      }
    }
    if (rank == null) {
      throw factors == null
          ? usage("expected --rank R or --factors DIR, found neither")
          : usage("expected --rank R: order 1 has no other mode whose factor gives the rank");
    }
  }

  @Override
  String extension() {
    return ".npy";
  }

  @Override
  List<Integer> resultModes(int order) {
    return List.of(mode, -1);
  }

  @Override
  BoundJob bind(TensorShape shape) {
    int columns = rank == null ? 1 : rank;
    if (factors != null) {
      Operands.requireFactors(given, factors, shape, mode, columns);
    }
    RowStatement statement = RowStatement.mttkrp(shape.order(), mode, columns);
    return new BoundJob(
        Job.of(statement, common.type),
        m -> given.isEmpty() ? Operands.random(shape, m, columns, seed) : given.get(m));
  }
}
