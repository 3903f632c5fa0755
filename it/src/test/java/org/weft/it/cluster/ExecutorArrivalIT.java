package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.weft.engine.EngineOptions;
import org.weft.planner.machine.Resources;

/** A plan that is made as soon as the application has started counts all of its executors. */
@ExtendWith(ClusterExtension.class)
final class ExecutorArrivalIT {
  private final TestCluster cluster;

  ExecutorArrivalIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void theFirstPlanKnowsAllExecutors() {
    planKnowsAll(2 * ClusterSettings.WORKERS * ClusterSettings.CORES_PER_WORKER);
  }

  /** As Spark has it where the setting is not made. */
  @Tag("long")
  @Test
  void theFirstPlanKnowsAllExecutorsWhereNoneAreAskedFor() {
    planKnowsAll(Integer.MAX_VALUE);
  }

  private void planKnowsAll(int most) {
    Map<String, String> settings =
        Map.of("spark.cores.max", "" + most, "spark.scheduler.minRegisteredResourcesRatio", "0");
    try (ClusterSession session = new ClusterSession(cluster, EngineOptions.defaults(), settings)) {
      Resources first = session.engine().resources();
      assertThat(first.executors()).isEqualTo(ClusterSettings.WORKERS);
      assertThat(first.coresPerExecutor()).isEqualTo(ClusterSettings.CORES_PER_WORKER);
    }
  }
}
