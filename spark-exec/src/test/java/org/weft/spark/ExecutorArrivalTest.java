package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many executors an application asks for, and how long it waits for them. */
final class ExecutorArrivalTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0; ",
        "4; spark.executor.instances=4",
        "5; spark.cores.max=10 spark.executor.cores=2",
        "4; spark.executor.instances=4 spark.cores.max=10 spark.executor.cores=2",
        "0; spark.cores.max=10",
        "0; spark.dynamicAllocation.enabled=true spark.cores.max=10 spark.executor.cores=2",
        "3; spark.dynamicAllocation.enabled=true spark.dynamicAllocation.minExecutors=3",
        "6; spark.dynamicAllocation.enabled=true spark.dynamicAllocation.minExecutors=3"
            + " spark.dynamicAllocation.initialExecutors=6",
      })
  void applicationsAskForExecutors(int executors, String settings) {
    SparkConf conf = new SparkConf(false);
    if (settings != null) {
      for (String setting : settings.split(" ")) {
        conf.set(setting.split("=")[0], setting.split("=")[1]);
      }
    }
    assertThat(ExecutorArrival.asked(conf)).isEqualTo(executors);
  }

  @ParameterizedTest
  @CsvSource({
    // asked, granted or -1, present, milliseconds since the last came, whether that is all
    "0, -1, 0, 0, false",
    "0, -1, 1, 990, false",
    "0, -1, 1, 1000, true",
    "0, 2, 0, 0, false",
    "0, 2, 1, 2990, false",
    "0, 2, 1, 3000, true",
    "0, 2, 2, 0, true",
    "0, 1, 2, 0, true",
    "3, 2, 2, 2990, false",
    "3, 2, 2, 3000, true",
    "3, -1, 3, 0, true",
    "3, 4, 3, 0, true",
  })
  void waitsForTheMissing(int asked, int granted, int present, long quiet, boolean complete) {
    long now = 1_000_000;
    OptionalInt known = granted < 0 ? OptionalInt.empty() : OptionalInt.of(granted);
    List<Long> arrived =
        LongStream.range(0, present).mapToObj(before -> now - quiet - 500 * before).toList();
    assertThat(ExecutorArrival.isComplete(asked, known, arrived, now)).isEqualTo(complete);
  }
}
