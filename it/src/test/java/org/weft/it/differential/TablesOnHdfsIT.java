package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.JobJar;
import org.weft.it.cluster.RunningSubmission;
import org.weft.it.cluster.SparkApplication;
import org.weft.it.cluster.Submission;
import org.weft.it.cluster.TableJob;
import org.weft.it.cluster.TestCluster;
import org.weft.it.cluster.WeftJars;

/** Tables on HDFS become tensors on HDFS, and tables of Spark again; executors do the work. */
@ExtendWith(ClusterExtension.class)
final class TablesOnHdfsIT {
  private static final int ROWS = 30_000;
  private static final List<String> MODES =
      List.of("--mode", "shop", "--mode", "day=sold:day", "--value", "price");
  private static final Pattern LABELS = Pattern.compile("labels of day");

  private final TestCluster cluster;

  @TempDir Path folder;

  TablesOnHdfsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @AfterEach
  void makeWhole() {
    cluster.restore();
  }

  private String hdfs(String name) {
    return cluster.hdfsUri() + "/" + folder.getFileName() + "/" + name;
  }

  private static String sales() {
    SplittableRandom random = new SplittableRandom(8);
    StringBuilder text = new StringBuilder("shop,sold,price\n");
    for (int row = 0; row < ROWS; row++) {
      text.append("shop ").append(random.nextInt(50)).append(",2024-01-");
      text.append(10 + random.nextInt(20)).append(',');
      text.append(row % 10_000 == 77 ? "free" : Integer.toString(random.nextInt(1, 9)));
      text.append('\n');
    }
    return text.toString();
  }

  private static Object[] ingest(String input, String output, String rejects, Object... more) {
    List<Object> words = new ArrayList<>(List.of("ingest", input, output));
    words.addAll(MODES);
    words.addAll(List.of("--rejects", rejects));
    words.addAll(List.of(more));
    return words.toArray();
  }

  /** The data files of a container, by name; every version has the same ones. */
  private static Map<String, byte[]> data(FileSystem fs, org.apache.hadoop.fs.Path container)
      throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (var status : fs.listStatus(new org.apache.hadoop.fs.Path(container, "data/1"))) {
      try (InputStream in = fs.open(status.getPath())) {
        files.put(status.getPath().getName(), in.readAllBytes());
      }
    }
    return files;
  }

  @Tag("long")
  @Test
  void aTableBecomesATensorThoughAnExecutorDiesAndThenTablesAgain() throws IOException {
    try (FileSystem fs = cluster.fileSystem()) {
      RunningSubmission running = cluster.start(ingestion(fs));
      running.awaitOutput(LABELS, Duration.ofMinutes(3));
      cluster.killWorkerExecutor();
      Submission done = running.await(TestCluster.SUBMISSION_LIMIT);
      assertSameAsInOneProcess(fs, done);
      tablesByName(fs);
    }
  }

  /** The table is read in this process and put on HDFS, where the application is to read it. */
  private SparkApplication ingestion(FileSystem fs) throws IOException {
    Path csv = Files.writeString(folder.resolve("s.csv"), sales());
    WeftCommand.run(
        ingest(
            csv.toString(),
            folder.resolve("s.weft").toString(),
            folder.resolve("r.csv").toString(),
            "--partitions",
            8));
    fs.copyFromLocalFile(
        new org.apache.hadoop.fs.Path(csv.toUri()), new org.apache.hadoop.fs.Path(hdfs("s.csv")));
    return WeftJars.weft(ingest(hdfs("s.csv"), hdfs("s.weft"), hdfs("r.csv"), "--partitions", 8));
  }

  private void assertSameAsInOneProcess(FileSystem fs, Submission done) throws IOException {
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(done.standardOutput()).contains("rejected    3", "50 x 20, 1,000 entries");
    String csv = folder.resolve("s.csv").toString();
    assertThat(contents(fs, "r.csv").replace(hdfs("s.csv"), "s.csv"))
        .isEqualTo(Files.readString(folder.resolve("r.csv")).replace(csv, "s.csv"));
    try (FileSystem here = FileSystem.getLocal(new org.apache.hadoop.conf.Configuration())) {
      Map<String, byte[]> made = data(fs, new org.apache.hadoop.fs.Path(hdfs("s.weft")));
      Map<String, byte[]> whole =
          data(here, new org.apache.hadoop.fs.Path(folder.resolve("s.weft").toUri()));
      assertThat(made.values().stream().map(TablesOnHdfsIT::hash).sorted())
          .as("the same files, whatever attempt wrote them")
          .containsExactlyElementsOf(
              whole.values().stream().map(TablesOnHdfsIT::hash).sorted().toList());
    }
  }

  private void tablesByName(FileSystem fs) throws IOException {
    Path jar = JobJar.of(folder.resolve("job.jar"), TableJob.class);
    Submission done =
        cluster.submit(
            SparkApplication.of(
                    TableJob.class.getName(), jar, hdfs("s.weft"), hdfs("w.weft"), hdfs("w.tns"))
                .with("spark.jars", WeftJars.executor().toString())
                .with("spark.sql.shuffle.partitions", "3"));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    double sum = sales().lines().skip(1).mapToDouble(TablesOnHdfsIT::price).sum();
    assertThat(done.standardOutput()).contains("found [1000," + sum + "][shop 1]");
    try (Stream<String> lines = contents(fs, "w.tns").lines()) {
      assertThat(lines.mapToDouble(line -> Double.parseDouble(line.split(" ")[1])).sum())
          .isEqualTo(sum);
    }
    assertThat(fs.exists(new org.apache.hadoop.fs.Path(hdfs("w.weft/manifest-2.json")))).isTrue();
  }

  private static double price(String line) {
    String cell = line.substring(line.lastIndexOf(',') + 1);
    return cell.equals("free") ? 0 : Double.parseDouble(cell);
  }

  private static int hash(byte[] bytes) {
    return java.util.Arrays.hashCode(bytes);
  }

  private String contents(FileSystem fs, String name) throws IOException {
    try (InputStream in = fs.open(new org.apache.hadoop.fs.Path(hdfs(name)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
