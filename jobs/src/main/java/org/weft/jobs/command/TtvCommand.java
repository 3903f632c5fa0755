package org.weft.jobs.command;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.file.Operands;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft ttv}. */
@Command(
    name = "ttv",
    sortOptions = false,
    description = {
      "Tensor times vector: Y(i,j) = T(i,j,k) * v(k) for mode 2 of a three-way tensor. The result"
          + " is sparse, without mode N.",
      "v is a .npy vector of the mode's size, or uniform in [0,1) from --seed."
    },
    footer = {"", "Example: weft ttv x.tns --mode 2 --vector v.npy --output y.mtx"})
public final class TtvCommand extends TensorJobCommand {
  @Option(names = "--vector", paramLabel = "V", description = "The vector, a .npy file.")
  @Nullable String vector;

  private @Nullable DenseMatrix given;

  @Override
  void prepare(FileAccess files, int order) {
    if (vector != null) {
      given = Operands.read(files, vector);
      if (given.columns() != 1 && given.rows() != 1) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            String.format(
                Locale.ROOT,
                "%s: expected a vector, found a matrix of %d x %d; use weft ttm for matrices",
                vector,
                given.rows(),
                given.columns()));
      }
    }
  }

  @Override
  void checkExtension(String target, int order) {
    requireSparseFile(target, order - 1);
  }

  @Override
  List<Integer> resultModes(int order) {
    return IntStream.range(0, order).filter(m -> m != mode).boxed().toList();
  }

  @Override
  BoundJob bind(TensorShape shape) {
    DenseMatrix source = given != null ? given : DenseMatrix.random(shape.size(mode), 1, seed);
    double[] operand = new double[Math.toIntExact(source.rows() * source.columns())];
    for (int i = 0; i < operand.length; i++) {
      operand[i] = source.columns() == 1 ? source.get(i, 0) : source.get(0, i);
    }
    DenseMatrix column = DenseMatrix.column(operand);
    if (vector != null) {
      Operands.requireShape(column, vector, shape, mode, 1);
    }
    return new BoundJob(Job.of(FiberStatement.ttv(mode), common.type), m -> column);
  }
}
