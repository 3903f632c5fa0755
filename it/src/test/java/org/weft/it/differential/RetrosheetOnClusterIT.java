package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.Submission;
import org.weft.it.cluster.TestCluster;
import org.weft.it.cluster.WeftJars;

/** Seven million nonzeros from HDFS to HDFS: CP-ALS at rank 16, a few iterations. */
@ExtendWith(ClusterExtension.class)
final class RetrosheetOnClusterIT {
  private final TestCluster cluster;

  RetrosheetOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Tag("long")
  @Test
  void cpdAtRankSixteen() throws IOException {
    Path input = RealTensors.fileOrSkip("retrosheet-batter-pitcher-year-stat");
    org.apache.hadoop.fs.Path remote =
        new org.apache.hadoop.fs.Path(cluster.hdfsUri() + "/retrosheet/tensor.tns.gz");
    org.apache.hadoop.fs.Path output =
        new org.apache.hadoop.fs.Path(cluster.hdfsUri() + "/retrosheet/factors");
    try (FileSystem hdfs = cluster.fileSystem()) {
      hdfs.copyFromLocalFile(new org.apache.hadoop.fs.Path(input.toUri()), remote);
      Submission done =
          cluster.submit(
              WeftJars.weft(
                      "cpd",
                      remote,
                      "--rank",
                      16,
                      "--iterations",
                      3,
                      "--seed",
                      1,
                      "--output",
                      output)
                  .with("spark.memory.offHeap.size", "1g"));
      assertThat(done.exitCode()).as(done.transcript()).isZero();
      System.out.println("retrosheet on the cluster:\n" + done.standardOutput());
      for (int mode = 0; mode < 4; mode++) {
        assertThat(hdfs.exists(new org.apache.hadoop.fs.Path(output, "mode" + mode + ".npy")))
            .isTrue();
      }
      assertThat(hdfs.exists(new org.apache.hadoop.fs.Path(output, "summary.json"))).isTrue();
    }
  }
}
