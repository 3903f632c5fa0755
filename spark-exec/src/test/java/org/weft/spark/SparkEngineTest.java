package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.ProgressListener;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.ValueType;

/** The contract of engines on Spark, and what only Spark does. */
class SparkEngineTest extends EngineContract {
  @Override
  Engine open(EngineOptions options) {
    return SparkEngine.create(LocalSpark.context(), options);
  }

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
    assertThat(TaskMemory.liveBytes()).isZero();
    assertThat(SparkEnv.get().memoryManager().offHeapStorageMemoryPool().memoryUsed()).isZero();
    assertThat(SparkEnv.get().memoryManager().offHeapExecutionMemoryUsed()).isZero();
  }

  /** {@link LocalEngineTest} has it in every build. */
  @Tag("long")
  @Test
  @Override
  void panelsInSinglePrecisionAreReproducible() throws IOException {
    super.panelsInSinglePrecisionAreReproducible();
  }

  /** {@link LocalEngineTest} has them in every build. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(ints = {64, 62})
  @Override
  void mttkrpInPanelsAgrees(int rank) throws IOException {
    super.mttkrpInPanelsAgrees(rank);
  }

  static Stream<Arguments> tensorsToRelabelOnSpark() {
    return Planted.LONG ? tensorsToRelabel() : tensorsToRelabel().skip(3);
  }

  /** {@link LocalEngineTest} has all of them in every build. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("tensorsToRelabelOnSpark")
  @Override
  void relabelledTensorsGiveTheSameResults(String name, SparseEntries entries, int partitions)
      throws IOException {
    super.relabelledTensorsGiveTheSameResults(name, entries, partitions);
  }

  /**
   * The other tensors are tried on Spark in the long profile, and in one process in every build.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("someTensors")
  @Override
  void mttkrpAgreesInEveryMode(String name, SparseEntries entries, int partitions)
      throws IOException {
    super.mttkrpAgreesInEveryMode(name, entries, partitions);
  }

  /** Entries read some of rows 0 to 99 and 900 to 999 of an operand of 3200 rows. */
  @Test
  void onlyRowsThatAreReadTravel() throws IOException {
    SparseEntries entries = SparseEntries.empty(20, 3200);
    Set<Integer> distinct = new HashSet<>();
    for (int e = 0; e < 400; e++) {
      int row = e % 7 == 0 ? 900 + e % 100 : e % 100;
      entries.add(e + 0.5, e % 20, row);
      distinct.add(row);
    }
    double[][][] factors = {matrix(20, RANK, 1), matrix(3200, RANK, 2)};
    try (Engine engine = open(EngineOptions.defaults().planning(p -> p.withPartitions(3)))) {
      long fetched =
          engine
              .run(
                  read(engine, entries, ValueType.DOUBLE),
                  Job.of(RowStatement.mttkrp(2, 0, RANK), ValueType.DOUBLE),
                  List.of(weft(factors[0], RANK), weft(factors[1], RANK))::get,
                  target("m.npy"),
                  ProgressListener.NONE)
              .operandRowsFetched();
      assertThat(fetched).isEqualTo(distinct.size());
    }
    double[][] rows = entries.mttkrp(0, factors, RANK);
    double[] found = npy(folder.resolve("m.npy"));
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).isCloseTo(rows[i / RANK][i % RANK], within(1e-9));
    }
  }
}
