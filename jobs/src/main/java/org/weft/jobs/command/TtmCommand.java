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
      "Tensor times matrix: Y(i,j,r) = T(i,j,k) * U(k,r) for mode 2 of a three-way tensor. The"
          + " result is semi-sparse: every fiber along mode N that has an entry becomes R entries,"
          + " and mode N has size R.",
      "U is a .npy matrix of mode size x R, or uniform in [0,1) from --seed."
    },
    footer = {"", "Example: weft ttm x.tns --mode 2 --rank 8 --seed 1 --output y.tns.gz"})
public final class TtmCommand extends TensorJobCommand {
  @Option(names = "--matrix", paramLabel = "M", description = "The matrix, a .npy file.")
  @Nullable String matrix;

  @Option(names = "--rank", paramLabel = "R", description = "Columns of a random matrix.")
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
