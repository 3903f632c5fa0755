package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.api.Tensor;
import org.weft.api.Weft;

/**
 * Ordinary faults of a cluster, on real processes: each is one line with a code and what to do, no
 * stack trace, and nothing is left.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FaultsOnClusterIT {
  private static final Pattern FIRST_ITERATION = Pattern.compile("iteration +1 ");

  /**
   * Longer than a task of these tests waits for another: executors leave only between statements.
   */
  private static final String IDLE = "8s";

  /** Shorter than the 120 s that a driver takes to notice by itself that its threads are gone. */
  private static final Duration SOON = Duration.ofSeconds(100);

  private final TestCluster cluster;

  FaultsOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void upload(@TempDir Path temp) throws IOException {
    Path local = Files.writeString(temp.resolve("t.tns"), "1 1 1 2\n40 30 1 3\n7 2 20 1\n");
    cluster.upload(local, path("t.tns").toString());
  }

  @Tag("long")
  @Test
  void anApplicationThatTheMasterRemovesSaysSo() throws IOException {
    String endless = "cpd IN --rank 4 --iterations 1000000 --tolerance 0 --output OUT/removed";
    RunningSubmission running = cluster.start(weft(endless));
    running.awaitOutput(FIRST_ITERATION, TestCluster.SUBMISSION_LIMIT);
    assertThat(cluster.killApplications()).as("applications that were killed").isEqualTo(1);
    Submission done = running.await(SOON);
    assertOneLine(done, "WEFT-403: Spark ended the application: Master removed our application: ");
    assertThat(done.standardError()).contains("run again when they are well");
    assertNothingLeft("removed");
    assertThat(running.temporaries()).isEmpty();
  }

  /** Spark starts others for them without an end. */
  @Tag("long")
  @Test
  void executorsThatEndAsTheyStartEndTheApplication() throws IOException {
    Submission done =
        cluster.submit(
            weft("cpd IN --rank 2 --output OUT/unstarted")
                .with("spark.executor.extraJavaOptions", "-javaagent:/no/such.jar"));
    assertOneLine(done, "WEFT-403: executors end as they start, on each worker 20 and more");
    assertThat(done.standardError()).contains(" on worker 127.0.0.1:", "exited with code 1");
    assertNothingLeft("unstarted");
  }

  /** The executors of this cluster are on one host. */
  @Tag("long")
  @Test
  void portsThatAreTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = "" + taken.getLocalPort();
      String command = "cpd IN --rank 2 --partitions 2 --iterations 1 --output OUT/ports";
      Submission exchanged = cluster.submit(weft(command).with("spark.weft.exchange.port", port));
      assertThat(exchanged.exitCode()).as(exchanged.transcript()).isZero();
      SparkApplication again = weft(command + " --overwrite").with("spark.port.maxRetries", "0");
      Submission driver = cluster.submit(again.with("spark.driver.port", port));
      assertOneLine(driver, "WEFT-403: expected a free port for spark.driver.port, found");
      Submission ui =
          cluster.submit(again.with("spark.ui.port", port).with("spark.ui.enabled", "true"));
      assertOneLine(ui, "WEFT-403: expected a free port for spark.ui.port, found");
    }
  }

  @Tag("long")
  @Test
  void anApplicationThatNoWorkerHasRoomForEnds() throws IOException {
    Submission done =
        cluster.submit(
            weft("cpd IN --rank 2 --output OUT/roomless")
                .with("spark.executor.memory", "64g")
                .with("spark.weft.executorTimeout", "5s"));
    assertOneLine(done, "WEFT-403: no executor for 5 s: ");
    assertThat(done.standardError()).contains("none of 64g (spark.executor.memory)");
    assertNothingLeft("roomless");
  }

  /** Sums of R x R come to the driver, which takes them in Spark's own threads. */
  @Tag("long")
  @Test
  void aDriverWithoutHeapSaysSo() throws IOException {
    SparkApplication application =
        weft("cpd IN --rank 5000 --iterations 1 --output OUT/heap")
            .with("spark.driver.memory", "480m")
            .with("spark.memory.offHeap.size", "1g") // what the rank is predicted to need
            .with("spark.executor.memory", "2g");
    RunningSubmission running = cluster.start(application);
    running.awaitOutput(Pattern.compile("] cpd"), TestCluster.SUBMISSION_LIMIT);
    Submission done = running.await(SOON);
    assertOneLine(done, "WEFT-400: OutOfMemoryError: ");
    assertThat(done.standardError()).contains("spark.driver.memory");
    assertNothingLeft("heap");
    assertThat(running.temporaries()).isEmpty();
  }

  @Test
  void safeModeIsCalledThat() throws IOException {
    try (FileSystem client = cluster.fileSystem()) {
      DistributedFileSystem hdfs = (DistributedFileSystem) client;
      hdfs.setSafeMode(SafeModeAction.ENTER);
      try {
        List<String> commands =
            List.of("cpd IN --rank 2 --output OUT/safe", "convert IN OUT/safe.weft");
        for (String command : Boolean.getBoolean("weft.long") ? commands : commands.subList(0, 1)) {
          Submission done = cluster.submit(weft(command));
          assertOneLine(done, "WEFT-402: " + uri("safe"));
          assertThat(done.standardError())
              .contains("HDFS is in safe mode", "dfsadmin -safemode")
              .doesNotContain("weft-tmp");
        }
      } finally {
        hdfs.setSafeMode(SafeModeAction.LEAVE);
      }
    }
    assertNothingLeft("safe");
  }

  /** Idle executors leave, with the parts that they hold; those that come make the parts again. */
  @Tag("long")
  @Test
  void executorsThatLeaveBetweenStatementsChangeNothing() throws IOException {
    List<Map<List<Long>, Double>> expected;
    double fit;
    try (Weft here = Weft.local()) {
      Work work = new Work(here);
      expected = List.of(work.square(), work.rowSums());
      fit = work.fit();
    }
    try (SparkSession spark = elasticSession();
        Weft weft = Weft.on(spark)) {
      Work work = new Work(weft);
      assertThat(work.square()).isEqualTo(expected.get(0)).hasSizeGreaterThan(1_000);
      awaitNoExecutor(spark);
      assertThat(work.rowSums()).isEqualTo(expected.get(1)).hasSizeGreaterThan(50);
      assertThat(work.fit()).isCloseTo(fit, within(1e-9));
    }
  }

  /** A user's session, which knows nothing of Weft but the jar. */
  private SparkSession elasticSession() {
    ClusterSession.endCommon();
    Map<String, String> settings =
        new TreeMap<>(ClusterSettings.sparkDefaults(cluster.sparkMaster(), ""));
    settings.put("spark.jars", WeftJars.executor().toString());
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "0");
    settings.put("spark.dynamicAllocation.enabled", "true");
    settings.put("spark.dynamicAllocation.shuffleTracking.enabled", "true");
    settings.put("spark.dynamicAllocation.shuffleTracking.timeout", IDLE);
    settings.put("spark.dynamicAllocation.executorIdleTimeout", IDLE);
    settings.put("spark.dynamicAllocation.cachedExecutorIdleTimeout", IDLE);
    settings.put("spark.dynamicAllocation.schedulerBacklogTimeout", "1s");
    SparkConf conf = new SparkConf().setAppName("executors come and go");
    settings.forEach(conf::set);
    return SparkSession.builder().config(conf).getOrCreate();
  }

  private static void awaitNoExecutor(SparkSession spark) {
    assertThat(
            Waiting.until(
                TestCluster.SUBMISSION_LIMIT,
                Duration.ofMillis(100),
                () -> spark.sparkContext().getExecutorMemoryStatus().size() == 1)) // the driver
        .as("idle executors leave")
        .isTrue();
  }

  /** Statements that share a tensor and the result of one of them. */
  private static final class Work {
    private static final int SIZE = 60;

    private final Weft weft;
    private final Tensor matrix;
    private final Tensor square;

    Work(Weft weft) {
      this.weft = weft;
      Random random = new Random(5);
      long[][] at = new long[2][];
      for (int mode = 0; mode < 2; mode++) {
        at[mode] = random.longs(600, 0, SIZE).toArray();
      }
      matrix = weft.tensor(at, random.ints(600, 1, 9).asDoubleStream().toArray(), SIZE, SIZE);
      square = weft.eval("C(i,j) = A(i,k) * A(k,j)", Map.of("A", matrix));
    }

    Map<List<Long>, Double> square() {
      return entries(square);
    }

    Map<List<Long>, Double> rowSums() {
      return entries(weft.eval("y(i) = C(i,j) * A(i,j)", Map.of("A", matrix, "C", square)));
    }

    double fit() {
      return matrix.cpd(3).iterations(3).tolerance(0).run().fit();
    }

    private static Map<List<Long>, Double> entries(Tensor tensor) {
      Map<List<Long>, Double> entries = new HashMap<>();
      tensor.forEach(
          (coordinates, value) -> {
            if (value != 0) {
              entries.merge(Arrays.stream(coordinates).boxed().toList(), value, Double::sum);
            }
          });
      return entries;
    }
  }

  private static void assertOneLine(Submission done, String line) {
    assertThat(done.exitCode()).as(done.transcript()).isEqualTo(1);
    assertThat(done.standardError().lines().filter(said -> said.startsWith("weft: ")))
        .as(done.transcript())
        .hasSize(1)
        .allMatch(said -> said.startsWith("weft: " + line));
    assertThat(done.standardError()).as(done.transcript()).doesNotContain("\tat ");
  }

  private void assertNothingLeft(String name) throws IOException {
    try (FileSystem hdfs = cluster.fileSystem()) {
      assertThat(hdfs.listStatus(path("")))
          .extracting(file -> file.getPath().getName())
          .noneMatch(found -> found.contains(name));
    }
  }

  private SparkApplication weft(String command) {
    String words = command.replace("IN", uri("t.tns")).replace("OUT/", uri(""));
    return WeftJars.weft((Object[]) words.split(" "));
  }

  private String uri(String name) {
    return cluster.hdfsUri() + "/faults/" + name;
  }

  private org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(uri(name));
  }
}
