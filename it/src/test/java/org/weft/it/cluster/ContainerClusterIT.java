package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The container cluster starts and stops; skips, saying why, without Docker. */
final class ContainerClusterIT {
  @Test
  void startsAndStops() {
    try (ContainerCluster cluster = ContainerCluster.startOrSkip()) {
      assertThat(cluster.hdfsUri()).startsWith("hdfs://127.0.0.1:");
      assertThat(cluster.killWorkerExecutor()).as("no job, no executor").isFalse();
    }
  }
}
