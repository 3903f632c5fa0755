package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The harness itself, with a plain Spark job: whatever fails here is not Weft's fault. */
@ExtendWith(ClusterExtension.class)
final class ClusterSmokeIT {
  private static final int ENTRIES = 50_000;

  private final TestCluster cluster;
  private final Map<Long, Double> expected = new TreeMap<>();
  private String input = "";
  private Path jar = Path.of("");

  ClusterSmokeIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void writeInput(@TempDir Path temp) throws IOException {
    jar = JobJar.of(temp.resolve("slice-sums.jar"), SliceSums.class);
    input = cluster.hdfsUri() + "/smoke/input.tns";
    SplittableRandom random = new SplittableRandom(17);
    try (FileSystem hdfs = cluster.fileSystem();
        FSDataOutputStream out = hdfs.create(new org.apache.hadoop.fs.Path(input), true);
        Writer text = new java.io.OutputStreamWriter(out, StandardCharsets.UTF_8)) {
      for (int i = 0; i < ENTRIES; i++) {
        long slice = random.nextLong(1, 40);
        int value = random.nextInt(-9, 10);
        text.write(slice + " " + random.nextLong(1, 1000) + " " + value + "\n");
        expected.merge(slice, (double) value, Double::sum);
      }
    }
  }

  @AfterEach
  void makeWhole() {
    cluster.restore();
  }

  @Tag("long")
  @Test
  void aPlainJobReadsAndWritesHdfs() throws IOException {
    String output = cluster.hdfsUri() + "/smoke/plain";
    Submission done = cluster.submit(job(output, 0));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(read(output)).isEqualTo(expected);
  }

  @Tag("long")
  @Test
  void aKilledExecutorChangesNothing() throws IOException {
    String output = cluster.hdfsUri() + "/smoke/executor-killed";
    RunningSubmission running = cluster.start(job(output, 1000));
    running.awaitOutput(Pattern.compile("Starting task 2"), Duration.ofMinutes(1));
    assertThat(cluster.killWorkerExecutor()).as("an executor was there to kill").isTrue();
    Submission done = running.await(TestCluster.SUBMISSION_LIMIT);
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(done.standardError()).containsPattern("Lost executor|Executor updated.*EXITED");
    assertThat(read(output)).isEqualTo(expected);
  }

  @Tag("long")
  @Test
  void aKilledWorkerAndDataNodeChangeNothing() throws IOException {
    String output = cluster.hdfsUri() + "/smoke/worker-killed";
    RunningSubmission running = cluster.start(job(output, 1000));
    running.awaitOutput(Pattern.compile("Starting task 2"), Duration.ofMinutes(1));
    cluster.killWorker();
    cluster.killDataNode();
    Submission done = running.await(TestCluster.SUBMISSION_LIMIT);
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(read(output)).isEqualTo(expected);
  }

  @Tag("long")
  @Test
  void aFailingJobIsSeen() {
    Submission done = cluster.submit(job(cluster.hdfsUri() + "/smoke/x", 0, "/absent.tns"));
    assertThat(done.exitCode()).isNotZero();
    assertThat(done.standardError()).contains("absent.tns");
  }

  private SparkApplication job(String output, long pauseMillis) {
    return job(output, pauseMillis, input);
  }

  private SparkApplication job(String output, long pauseMillis, String from) {
    return SparkApplication.of(
        SliceSums.class.getName(), jar, from, output, Long.toString(pauseMillis));
  }

  private Map<Long, Double> read(String folder) throws IOException {
    Map<Long, Double> sums = new TreeMap<>();
    try (FileSystem hdfs = cluster.fileSystem()) {
      for (FileStatus file : hdfs.listStatus(new org.apache.hadoop.fs.Path(folder))) {
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(hdfs.open(file.getPath()), StandardCharsets.UTF_8))) {
          lines
              .lines()
              .map(line -> line.split("\t"))
              .forEach(words -> sums.put(Long.parseLong(words[0]), Double.parseDouble(words[1])));
        }
      }
    }
    return sums;
  }
}
