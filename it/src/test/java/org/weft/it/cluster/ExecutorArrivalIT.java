package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.engine.EngineOptions;
import org.weft.planner.machine.Resources;

/** A plan that is made as soon as the application has started counts all of its executors. */
@ExtendWith(ClusterExtension.class)
final class ExecutorArrivalIT {
  private final TestCluster cluster;

  ExecutorArrivalIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @ParameterizedTest
  @ValueSource(strings = {"twice as many", "not said"})
  void theFirstPlanKnowsAllExecutors(String asked) {
    int cores = ClusterSettings.WORKERS * ClusterSettings.CORES_PER_WORKER;
    int most =
        asked.equals("twice as many")
            ? 2 * cores
            : Integer.MAX_VALUE; // as Spark has it where the setting is not made
    Map<String, String> settings =
        Map.of("spark.cores.max", "" + most, "spark.scheduler.minRegisteredResourcesRatio", "0");
    try (ClusterSession session = new ClusterSession(cluster, EngineOptions.defaults(), settings)) {
      Resources first = session.engine().resources();
      assertThat(first.executors()).isEqualTo(ClusterSettings.WORKERS);
      assertThat(first.coresPerExecutor()).isEqualTo(ClusterSettings.CORES_PER_WORKER);
    }
  }
}
