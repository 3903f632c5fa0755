package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.local.LocalBackend;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.ValueType;

/** Statistics of what jobs compute with, in one process and on Spark: duplicates are summed. */
class SummedStatisticsTest {
  @TempDir Path folder;

  private static java.util.stream.Stream<Arguments> tensors() {
    return EngineContract.tensors();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tensors")
  void duplicatesAreOneEntry(String name, SparseEntries entries, int partitions) throws Exception {
    EngineOptions options = EngineOptions.defaults();
    try (Engine engine = LocalBackend.engine(FileAccess.local(), options)) {
      requireSummed(engine, entries);
    }
    try (Engine engine = SparkEngine.create(LocalSpark.context(), options)) {
      requireSummed(engine, entries);
    }
    LocalSpark.assertNothingResident();
  }

  private void requireSummed(Engine engine, SparseEntries entries) throws Exception {
    String file = entries.write(folder.resolve("in.tns")).toString();
    ReadOptions options = ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED);
    EngineTensor tensor = engine.read(file, options, ValueType.DOUBLE);
    TensorStatistics found = tensor.summedStatistics();
    SparseEntries summed = entries.summed();
    assertThat(found.entries()).isEqualTo(summed.values().size());
    assertThat(tensor.statistics().entries()).isEqualTo(entries.values().size());
    assertThat(found.shape().toArray()).isEqualTo(entries.sizes());
    double squares = summed.values().stream().mapToDouble(value -> value * value).sum();
    assertThat(found.normSquared()).isCloseTo(squares, within(1e-9 * squares));
    double least = summed.values().stream().mapToDouble(v -> v).min().orElse(1.0 / 0);
    assertThat(found.minValue()).isEqualTo(least, within(1e-9));
    for (int mode = 0; mode < entries.order(); mode++) {
      Map<Long, Long> slices = new HashMap<>();
      for (long[] at : summed.coordinates()) {
        slices.merge(at[mode], 1L, Long::sum);
      }
      long most = slices.values().stream().mapToLong(count -> count).max().orElse(0);
      assertThat(found.slices(mode).max()).isEqualTo(most);
      assertThat(found.slices(mode).empty()).isEqualTo(entries.sizes()[mode] - slices.size());
    }
  }
}
