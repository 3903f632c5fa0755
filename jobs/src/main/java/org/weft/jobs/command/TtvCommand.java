package org.weft.jobs.command;

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

/** {@code weft ttv}. */
@Command(
    name = "ttv",
    sortOptions = false,
    description = {
      "Tensor times vector: Y(i,j) = T(i,j,k) * v(k).",
      "The example is mode 2 of a tensor of order 3. The command takes any order and any"
          + " mode. The result is sparse and lacks mode N.",
      "--vector gives v, which has the size of the mode. Without --vector, v is uniform in"
          + " [0,1), drawn from --seed."
    },
    footer = {"", "Example: weft ttv x.tns --mode 2 --vector v.npy --output y.mtx"})
public final class TtvCommand extends TensorJobCommand {
  @Option(names = "--vector", paramLabel = "V", description = "The .npy file of the vector.")
  @Nullable String vector;

  private @Nullable RowSource given;

  @Override
  void prepare(FileAccess files, int order) {
    if (vector != null) {
      given = Operands.openVector(files, vector);
    }
  }

  @Override
  void checkExtension(String target, int order) {
    requireSparseFile(target, order - 1);
  }

  @Override
  String extension() {
    return ".tns";
  }

  @Override
  List<Integer> resultModes(int order) {
    return IntStream.range(0, order).filter(m -> m != mode).boxed().toList();
  }

  @Override
  BoundJob bind(TensorShape shape) {
    RowSource column = given != null ? given : new RandomRows(seed, shape.size(mode), 1);
    if (vector != null) {
      Operands.requireShape(column, vector, shape, mode, 1);
    }
    return new BoundJob(Job.of(FiberStatement.ttv(mode), common.type), m -> column);
  }
}
