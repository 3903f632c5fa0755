package org.weft.jobs.command;

import static org.weft.jobs.output.Usage.usage;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.jobs.file.Operands;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft ttm}. */
@Command(
    name = "ttm",
    sortOptions = false,
    description = {
      "Tensor times matrix: Y(i,j,r) = T(i,j,k) * U(k,r).",
      "The example is mode 2 of a tensor of order 3. The command takes any order and any"
          + " mode. The result is semi-sparse: every fiber along mode N that has an entry becomes"
          + " R entries. Mode N of the result has size R.",
      "--matrix gives U, mode size x R. Without --matrix, U is uniform in [0,1), drawn from"
          + " --seed."
    },
    footer = {"", "Example: weft ttm x.tns --mode 2 --rank 8 --seed 1 --output y.tns.gz"})
public final class TtmCommand extends TensorJobCommand {
  @Option(names = "--matrix", paramLabel = "M", description = "The .npy file of the matrix.")
  @Nullable String matrix;

  @Option(names = "--rank", paramLabel = "R", description = "The columns of a random matrix.")
  @Nullable Integer rank;

  private @Nullable RowSource given;

  @Override
  void prepare(FileAccess files, int order) {
    requireRank(rank);
    if ((matrix == null) == (rank == null)) {
      throw usage(
          "expected either --matrix M or --rank R, found %s", matrix == null ? "neither" : "both");
    }
    if (matrix != null) {
      given = Operands.open(files, matrix);
    }
  }

  @Override
  void checkExtension(String target, int order) {
    requireSparseFile(target, order);
  }

  @Override
  String extension() {
    return ".tns";
  }

  @Override
  List<Integer> resultModes(int order) {
    return IntStream.range(0, order).mapToObj(m -> m == mode ? -1 : m).toList();
  }

  @Override
  BoundJob bind(TensorShape shape) {
    int columns = given != null ? given.columns() : rank == null ? 0 : rank;
    if (given != null && matrix != null) {
      Operands.requireShape(given, matrix, shape, mode, columns);
    }
    RowSource operand = given != null ? given : new RandomRows(seed, shape.size(mode), columns);
    return new BoundJob(Job.of(FiberStatement.ttm(mode, columns), common.type), m -> operand);
  }
}
