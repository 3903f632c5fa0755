package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.RunningSubmission;
import org.weft.it.cluster.SparkApplication;
import org.weft.it.cluster.Submission;
import org.weft.it.cluster.TestCluster;
import org.weft.it.cluster.WeftJars;

/**
 * The command under {@code spark-submit} on real processes, HDFS to HDFS, against the same command
 * in local mode: the same plan gives the same bytes wherever it runs and whoever dies meanwhile.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WeftOnClusterIT {
  private static final int PARTITIONS = 4;
  private static final List<String> FACTORS =
      List.of("mode0.npy", "mode1.npy", "mode2.npy", "mode3.npy", "lambda.npy");
  private static final Offset<Double> ROUNDING = Offset.offset(1e-7);
  private static final String CPD = "cpd --rank 6 --iterations 6 --tolerance 0 --seed 11";
  private static final Pattern THIRD_ITERATION = Pattern.compile("iteration +3 ");

  private final TestCluster cluster;
  private final Entries tensor = RandomTensors.skewed(new long[] {300, 80, 120, 9}, 60_000, 23);
  private Path folder = Path.of("");
  private Path localInput = Path.of("");
  private Path undisturbed;
  private List<Path> earlier = List.of();

  WeftOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void upload(@TempDir Path temp) throws IOException {
    folder = temp;
    earlier = cluster.executorClassLogs();
    localInput = temp.resolve("tensor.tns");
    tensor.write(localInput);
    cluster.upload(localInput, hdfs("tensor.tns"));
  }

  @AfterEach
  void makeWhole() {
    cluster.restore();
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "mttkrp --mode 1 --rank 8 --seed 5 -> mttkrp.npy",
        "ttm --mode 2 --rank 3 --seed 6 -> ttm.tns",
        "ttv --mode 0 --seed 7 -> ttv.tns"
      })
  void anOperationGivesTheSameBytesEverywhere(String line) throws IOException {
    String command = line.substring(0, line.indexOf(" -> "));
    String output = line.substring(line.indexOf(" -> ") + 4);
    byte[] local = Files.readAllBytes(locally(command, output));
    Submission done = cluster.submit(onHdfs(command, output));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(Files.readAllBytes(download(output))).isEqualTo(local);
  }

  /** The square of a matrix of 300 rows; values are compared as text, bit by bit. */
  @Tag("long")
  @Test
  void aStatementGivesTheSameOnHdfs() throws IOException {
    Path matrix = folder.resolve("matrix.tns");
    RandomTensors.wholeNumbers(new long[] {300, 300}, 5_000, 29).write(matrix);
    String statement = "C(i,k) = A(i,j) * A(j,k)";
    Path local = folder.resolve("square.tns");
    WeftCommand.runAlone("eval", statement, "--input", "A=" + matrix, "--output", local);
    cluster.upload(matrix, hdfs("matrix.tns"));
    Submission done =
        cluster.submit(
            WeftJars.weft(
                "eval",
                statement,
                "--input",
                "A=" + hdfs("matrix.tns"),
                "--output",
                hdfs("square.tns")));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(download("square.tns")).hasSameTextualContentAs(local);
  }

  /** Its tensors stay on the executors; what it prints and writes is compared as text. */
  @Tag("long")
  @Test
  void aProgramGivesTheSameOnHdfs() throws IOException {
    Path graph = folder.resolve("graph.tns");
    RandomTensors.wholeNumbers(new long[] {200, 200}, 900, 31).write(graph);
    Path alone = Files.writeString(folder.resolve("alone.ta"), program(folder.toUri().toString()));
    String printed = WeftCommand.runAlone("run", alone);
    cluster.upload(graph, hdfs("graph.tns"));
    Path there = Files.writeString(folder.resolve("there.ta"), program(hdfs("")));
    Submission done = cluster.submit(WeftJars.weft("run", there.toString()));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(done.standardOutput()).contains(printed);
    assertThat(download("distances.tns")).hasSameTextualContentAs(folder.resolve("distances.tns"));
  }

  /** Distances from one vertex in six rounds, two-step paths inside of the graph, their number. */
  private static String program(String base) {
    return """
        def main() {
          IndexLabel [i, j, k] = [?];
          IndexLabel [first] = [0:1];
          Tensor<double> W([i, j], {CSR});
          Tensor<double> T([i, k], {CSR});
          Tensor<double> D([i], {CSF});
          Tensor<double> N([i], {CSF});
          W[i, j] = read("BASE/graph.tns");
          D[first] = 1.0;
          for round in range(0, 6):
            N[j] = D[i] @(min,+) W[i, j];
            N[i] = D[i] @(min) N[i];
            D[i] = N[i];
          end
          print(D);
          write(D, "BASE/distances.tns");
          T[i, k]<W, push> = W[i, j] @(+,pair) W[j, k];
          var paths = SUM(T[i, k]);
          print(paths);
          T[i, i] += D[i];
          var all = SUM(T[i, k]);
          print(all);
        }
        """
        .replace("BASE/", base.endsWith("/") ? base : base + "/");
  }

  /** With what the template for clusters has about security, where it is a comment. */
  @Tag("long")
  @Test
  void localClusterGivesTheSameBytesAlsoEncrypted() throws IOException {
    String command = "mttkrp --mode 3 --rank 5 --seed 8";
    byte[] local = Files.readAllBytes(locally(command, "local.npy"));
    SparkApplication application =
        onHdfs(command, "local-cluster.npy")
            .with("spark.master", "local-cluster[2,1,1024]")
            .with("spark.executor.extraClassPath", WeftJars.executor().toString());
    for (String line : securityLines()) {
      String[] setting = line.substring(2).split(" +");
      boolean secret = setting[0].equals("spark.authenticate.secret");
      application = application.with(setting[0], secret ? "mellon" : setting[1]);
    }
    Submission done = cluster.submit(application);
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertThat(Files.readAllBytes(download("local-cluster.npy"))).isEqualTo(local);
  }

  private static List<String> securityLines() throws IOException {
    List<String> lines =
        Files.readAllLines(Path.of("../conf/spark-defaults-standalone.conf")).stream()
            .filter(line -> line.matches("# spark\\.\\S+ +\\S+"))
            .toList();
    assertThat(lines)
        .extracting(line -> line.split(" +")[1])
        .contains(
            "spark.authenticate",
            "spark.authenticate.secret",
            "spark.network.crypto.enabled",
            "spark.io.encryption.enabled");
    return lines;
  }

  /**
   * In one process CP-ALS runs without a Spark job per step, with compiled algebra whose sums have
   * another order: the same factors but for rounding.
   */
  @Test
  void aDecompositionIsTheSameEverywhereButForRounding() throws IOException {
    Path local = locally(CPD, "cpd-local");
    Path whole = undisturbed();
    for (String file : FACTORS) {
      double[][] expected = Npy.read(local.resolve(file));
      double[][] actual = Npy.read(whole.resolve(file));
      assertThat(actual.length).as(file).isEqualTo(expected.length);
      for (int row = 0; row < expected.length; row++) {
        assertThat(actual[row])
            .as("%s, row %d", file, row)
            .containsExactly(expected[row], ROUNDING);
      }
    }
  }

  /** {@link org.weft.it.cluster.KilledExecutorsIT} kills executors in every build. */
  @Tag("long")
  @Test
  void aKilledExecutorChangesNothingInADecomposition() throws IOException {
    Path whole = undisturbed();
    RunningSubmission running = cluster.start(onHdfs(CPD, "cpd-executor"));
    running.awaitOutput(THIRD_ITERATION, Duration.ofMinutes(3));
    assertThat(cluster.killWorkerExecutor()).as("an executor was there to kill").isTrue();
    Submission done = running.await(TestCluster.SUBMISSION_LIMIT);
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertSameFactors(download("cpd-executor"), whole);
  }

  @Tag("long")
  @Test
  void aKilledWorkerAndDataNodeChangeNothingInADecomposition() throws IOException {
    Path whole = undisturbed();
    RunningSubmission running = cluster.start(onHdfs(CPD, "cpd-worker"));
    running.awaitOutput(THIRD_ITERATION, Duration.ofMinutes(3));
    cluster.killWorker();
    cluster.killDataNode();
    Submission done = running.await(TestCluster.SUBMISSION_LIMIT);
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    assertSameFactors(download("cpd-worker"), whole);
  }

  /** {@link org.weft.it.cluster.FaultsOnClusterIT} has a submission that fails in every build. */
  @Tag("long")
  @Test
  void aBadFileOnHdfsFailsWithStatusTwoAndLeavesNothing() throws IOException {
    Path bad = folder.resolve("bad.tns");
    Files.writeString(bad, "1 1 1.0\n1 x 2.0\n");
    cluster.upload(bad, hdfs("bad.tns"));
    try (FileSystem hdfs = cluster.fileSystem()) {
      Submission done =
          cluster.submit(
              WeftJars.weft(
                  "ttv",
                  hdfs("bad.tns"),
                  "--mode",
                  0,
                  "--seed",
                  1,
                  "--output",
                  hdfs("bad-out.tns")));
      assertThat(done.exitCode()).as(done.transcript()).isEqualTo(2);
      assertThat(done.standardError()).contains("bad.tns:2:");
      assertThat(hdfs.exists(new org.apache.hadoop.fs.Path(hdfs("bad-out.tns")))).isFalse();
    }
  }

  @Tag("long")
  @Test
  void executorsLoadKernelsButNoCompiler() throws IOException {
    undisturbed();
    List<Path> logs = new ArrayList<>(cluster.executorClassLogs());
    logs.removeAll(earlier);
    assertThat(logs).isNotEmpty();
    long withKernels = 0;
    for (Path log : logs) {
      String loaded = Files.readString(log);
      assertThat(loaded).as("%s", log).doesNotContain("org.bytedeco");
      assertThat(loaded).as("%s", log).doesNotContain("org.weft.compiler");
      withKernels += loaded.contains(" org.weft.runtime.Kernel ") ? 1 : 0;
    }
    assertThat(withKernels).as("executors that called kernels").isPositive();
  }

  @Test
  void theExecutorAssemblyHasNoCompiler() throws IOException {
    assertThat(names(WeftJars.executor()))
        .anyMatch(name -> name.startsWith("org/weft/runtime/"))
        .noneMatch(name -> name.startsWith("org/bytedeco/"))
        .noneMatch(name -> name.startsWith("org/weft/compiler/"));
    assertThat(names(WeftJars.driver()))
        .anyMatch(name -> name.startsWith("org/weft/compiler/llvm/"))
        .anyMatch(name -> name.endsWith("/libLLVM.so"))
        .noneMatch(name -> name.contains("/libclang") || name.contains("/include/"));
  }

  private static List<String> names(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(entry -> entry.getName()).toList();
    }
  }

  /** Runs a command line in this process; the output is made once. */
  private Path locally(String command, String output) {
    Path target = folder.resolve(output);
    if (!Files.exists(target)) {
      WeftCommand.run(words(command, localInput.toString(), target.toString()));
    }
    return target;
  }

  private SparkApplication onHdfs(String command, String output) {
    return WeftJars.weft(words(command, hdfs("tensor.tns"), hdfs(output)));
  }

  private static Object[] words(String command, String input, String output) {
    List<Object> words = new ArrayList<>(List.of(command.split(" ")));
    words.add(1, input);
    words.addAll(List.of("--partitions", PARTITIONS, "--output", output));
    return words.toArray();
  }

  /** The factors of a run on the cluster that nothing happens to; made once. */
  private Path undisturbed() throws IOException {
    if (undisturbed == null) {
      Submission done = cluster.submit(onHdfs(CPD, "cpd-whole"));
      assertThat(done.exitCode()).as(done.transcript()).isZero();
      undisturbed = download("cpd-whole");
    }
    return undisturbed;
  }

  private static void assertSameFactors(Path actual, Path expected) {
    for (String file : FACTORS) {
      assertThat(actual.resolve(file)).hasSameBinaryContentAs(expected.resolve(file));
    }
  }

  private String hdfs(String name) {
    return cluster.hdfsUri() + "/weft/" + name;
  }

  private Path download(String name) throws IOException {
    return cluster.download(hdfs(name), folder.resolve("from-hdfs-" + name));
  }
}
