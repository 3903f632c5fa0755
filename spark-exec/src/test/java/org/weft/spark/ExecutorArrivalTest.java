package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many executors an application asks for. */
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
}
