package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.Ordering;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Sparse results in containers: the tasks that make them write them. */
final class ContainerResultTest {
  @TempDir Path folder;

  static Stream<Arguments> tensors() {
    List<String> names =
        Planted.LONG
            ? List.of("order 2", "order 4", "empty", "duplicates", "heavy slice")
            : List.of("duplicates");
    return EngineContract.tensors().filter(tensor -> names.contains(tensor.get()[0]));
  }

  private Container open() {
    return Container.open(FileAccess.local(), folder.resolve("y.weft").toString());
  }

  private Map<List<Long>, Double> entries() {
    FileAccess files = FileAccess.local();
    String uri = folder.resolve("y.weft").toString();
    InputPlan plan = TensorFiles.open(files, uri, ReadOptions.defaults());
    Map<List<Long>, Double> entries = new HashMap<>();
    TensorFiles.readAll(files, plan)
        .blocks()
        .forEach(
            block -> {
              for (int e = 0; e < block.size(); e++) {
                int entry = e;
                List<Long> at =
                    LongStream.range(0, block.order())
                        .map(mode -> block.coordinate((int) mode, entry))
                        .boxed()
                        .toList();
                assertThat(entries.put(at, block.value(e))).as("twice: %s", at).isNull();
              }
            });
    return entries;
  }

  private EngineTensor read(Engine engine, SparseEntries entries) throws IOException {
    return entries.read(engine, folder, ValueType.DOUBLE, 100);
  }

  private void assertWritten(Map<List<Long>, Double> expected, TensorShape shape) {
    Map<List<Long>, Double> found = entries();
    assertThat(found.keySet()).isEqualTo(expected.keySet());
    found.forEach((at, value) -> assertThat(value).isCloseTo(expected.get(at), within(1e-10)));
    assertThat(open().shape()).isEqualTo(shape);
    assertThat(open().isDistinct()).as("tasks have slices of their own").isTrue();
    assertThat(open().statistics().entries()).isEqualTo(expected.size());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tensors")
  void resultsAgreeWhateverTheOrder(String name, SparseEntries entries, int partitions)
      throws IOException {
    OutputTarget out = new OutputTarget(folder.resolve("y.weft").toString(), true);
    long[] sizes = entries.sizes();
    Relabelling shuffle =
        new Relabelling(Reorderers.named("random:9").reorder(TensorShape.of(sizes), List.of()));
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(),
            EngineOptions.defaults().planning(p -> p.withPartitions(partitions)))) {
      EngineTensor file = read(engine, entries);
      EngineTensor moved = engine.orders().apply(file, Ordering.given("a test", shuffle), false);
      for (int mode = 0; mode < entries.order(); mode++) {
        DenseMatrix matrix = DenseMatrix.random(sizes[mode], 2, 8);
        double[] vector = new double[(int) sizes[mode]];
        double[][] rows = new double[vector.length][2];
        for (int i = 0; i < vector.length; i++) {
          vector[i] = matrix.get(i, 0);
          rows[i] = new double[] {matrix.get(i, 0), matrix.get(i, 1)};
        }
        long[] left = new long[sizes.length - 1];
        for (int m = 0; m < left.length; m++) {
          left[m] = sizes[m < mode ? m : m + 1];
        }
        long[] columns = sizes.clone();
        columns[mode] = 2;
        for (EngineTensor tensor : List.of(file, moved)) {
          Job ttv = Job.of(FiberStatement.ttv(mode), ValueType.DOUBLE);
          engine.run(
              tensor,
              ttv,
              m -> RowSource.of(DenseMatrix.column(vector)),
              out,
              ProgressListener.NONE);
          assertWritten(entries.ttv(mode, vector), TensorShape.of(left));
          Job ttm = Job.of(FiberStatement.ttm(mode, 2), ValueType.DOUBLE);
          engine.run(tensor, ttm, m -> RowSource.of(matrix), out, ProgressListener.NONE);
          assertWritten(entries.ttm(mode, rows, 2), TensorShape.of(columns));
        }
      }
    }
  }

  @Test
  void manyTasksWriteAndWhatFailsLeavesNothing() throws IOException {
    SparseEntries entries = SparseEntries.random(3, 900, 20, 30, 25);
    String uri = folder.resolve("y.weft").toString();
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(), EngineOptions.defaults().planning(p -> p.withPartitions(6)))) {
      EngineTensor tensor = read(engine, entries);
      Job job = Job.of(FiberStatement.ttv(2), ValueType.DOUBLE);
      double[] vector = new double[25];
      Arrays.fill(vector, 1);
      engine.run(
          tensor,
          job,
          m -> RowSource.of(DenseMatrix.column(vector)),
          new OutputTarget(uri, false),
          ProgressListener.NONE);
      assertThat(open().partCount()).as("one for each of 2 cores' 2 tasks").isEqualTo(4);
      assertThatThrownBy(
              () ->
                  engine.run(
                      tensor,
                      job,
                      m -> RowSource.of(DenseMatrix.column(vector)),
                      new OutputTarget(uri, false),
                      ProgressListener.NONE))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTPUT_EXISTS));
      assertThat(open().version()).isEqualTo(1);
      try (Stream<Path> files = Files.walk(folder.resolve("y.weft"))) {
        assertThat(files.filter(f -> f.toString().endsWith(".bin"))).hasSizeBetween(4, 5);
      }
    }
  }
}
