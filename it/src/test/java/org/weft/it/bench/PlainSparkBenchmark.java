package org.weft.it.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementResult;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.ClusterSession;
import org.weft.it.cluster.JobJar;
import org.weft.it.cluster.TestCluster;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.storage.ReadOptions;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;

/**
 * MTTKRP and the product of two sparse matrices, HDFS to HDFS, in one Spark application: Weft
 * beside {@link PlainJoins}, in turns, on two executors of one core. The first turn is not counted;
 * medians of {@code -Dweft.bench.runs} (default 3) go to {@code it/measured/spark.tsv}.
 */
@Tag("bench")
@ExtendWith(ClusterExtension.class)
final class PlainSparkBenchmark {
  private static final int RUNS = Integer.getInteger("weft.bench.runs", 3);
  private static final int ENTRIES = Integer.getInteger("weft.bench.entries", 1_000_000);
  private static final Path TABLE = Path.of("measured", "spark.tsv");
  private static final int RANK = 16;
  private static final String TASKS = "4";
  private static final int BLOCK_BYTES = 128 << 20; // as HDFS has it by default; other tests have 4

  private final TestCluster cluster;
  private final List<String> lines = new ArrayList<>();

  PlainSparkBenchmark(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** A program that writes a result to a place. */
  private interface Program {
    void run(String out) throws IOException;
  }

  @Test
  void besideJoins(@TempDir Path folder) throws IOException {
    Path jar = JobJar.of(folder.resolve("joins.jar"), PlainJoins.class);
    Map<String, String> settings =
        Map.of(
            "spark.hadoop.dfs.blocksize",
            "" + BLOCK_BYTES,
            "spark.serializer",
            "org.apache.spark.serializer.KryoSerializer",
            "spark.default.parallelism",
            TASKS,
            "spark.sql.shuffle.partitions",
            TASKS);
    try (ClusterSession session =
            new ClusterSession(cluster, EngineOptions.defaults(), settings, jar);
        FileSystem hdfs = cluster.fileSystem()) {
      mttkrp(session, hdfs);
      spgemm(session, hdfs);
    }
    Files.writeString(TABLE, table());
    System.out.println(table());
  }

  private void mttkrp(ClusterSession session, FileSystem hdfs) throws IOException {
    int[] sizes = {ENTRIES / 50, ENTRIES / 100, ENTRIES / 200};
    String x = upload(hdfs, "x.tns", sizes, ENTRIES, 1);
    DenseMatrix b = DenseMatrix.random(sizes[1], RANK, 2);
    DenseMatrix c = DenseMatrix.random(sizes[2], RANK, 3);
    List<RowSource> factors =
        Stream.of(DenseMatrix.zeros(sizes[0], RANK), b, c).map(RowSource::of).toList();
    Job job = Job.of(RowStatement.mttkrp(3, 0, RANK), ValueType.DOUBLE);
    compare(
        hdfs,
        "mttkrp",
        sizes[0],
        out -> {
          EngineTensor read = read(session, x);
          OutputTarget target = new OutputTarget(out + ".tns", false);
          session.engine().run(read, job, factors::get, target, ProgressListener.NONE);
          read.releaseResident();
        },
        out -> PlainJoins.mttkrpByRdds(session.context(), x, b, c, out),
        out -> PlainJoins.mttkrpByTables(spark(session), x, b, c, out));
  }

  private void spgemm(ClusterSession session, FileSystem hdfs) throws IOException {
    int[] sizes = {ENTRIES / 50, ENTRIES / 50};
    String a = upload(hdfs, "a.tns", sizes, ENTRIES / 5, 4);
    String b = upload(hdfs, "b.tns", sizes, ENTRIES / 5, 5);
    compare(
        hdfs,
        "spgemm",
        sizes[0],
        out -> {
          EngineTensor left = read(session, a);
          EngineTensor right = read(session, b);
          StatementJob job = product(left, right);
          try (StatementResult product =
              session.engine().statements().evaluate(job, ProgressListener.NONE)) {
            product.write(new OutputTarget(out + ".tns", false));
          }
          left.releaseResident();
          right.releaseResident();
        },
        out -> PlainJoins.spgemmByRdds(session.context(), a, b, out),
        out -> PlainJoins.spgemmByTables(spark(session), a, b, out));
  }

  private static EngineTensor read(ClusterSession session, String uri) {
    return session.engine().read(uri, ReadOptions.defaults(), ValueType.DOUBLE);
  }

  private static StatementJob product(EngineTensor a, EngineTensor b) {
    return new StatementJob(
        LabelledStatement.parse("C(i,k) = A(i,j) * B(j,k)"),
        Map.of("A", a, "B", b),
        Map.of(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        ValueType.DOUBLE,
        "",
        Optional.empty());
  }

  private static SparkSession spark(ClusterSession session) {
    return SparkSession.builder().config(session.context().getConf()).getOrCreate();
  }

  /** Runs the programs in turns; all must write the same numbers. */
  private void compare(FileSystem hdfs, String what, int rows, Program weft, Program... joins)
      throws IOException {
    Program[] programs = {weft, joins[0], joins[1]};
    List<List<Double>> seconds = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    double[] expected = {};
    for (int run = 0; run <= RUNS; run++) {
      for (int p = 0; p < programs.length; p++) {
        org.apache.hadoop.fs.Path out = path(what + p + "-" + run);
        long start = System.nanoTime();
        programs[p].run(out.toString());
        seconds.get(p).add((System.nanoTime() - start) * 1e-9);
        org.apache.hadoop.fs.Path written = p == 0 ? out.suffix(".tns") : out;
        if (run == 0) {
          double[] found = rowSums(hdfs, written, rows, what.equals("mttkrp") && p > 0);
          expected = p == 0 ? found : expected;
          assertSame(expected, found);
        }
        hdfs.delete(written, true);
      }
    }
    double[] medians = seconds.stream().mapToDouble(PlainSparkBenchmark::median).toArray();
    double best = Math.min(medians[1], medians[2]);
    lines.add(
        String.format(
            Locale.ROOT,
            "%s\t%.2f\t%.2f\t%.2f\t%.1f",
            what,
            medians[0],
            medians[1],
            medians[2],
            best / medians[0]));
  }

  private static double median(List<Double> seconds) {
    return MainJobBenchmark.median(seconds.subList(1, seconds.size()));
  }

  private static void assertSame(double[] expected, double[] found) {
    for (int row = 0; row < expected.length; row++) {
      double right = expected[row];
      assertThat(found[row])
          .as("row %s", row)
          .isCloseTo(right, within(1e-9 * Math.max(1, Math.abs(right))));
    }
  }

  /**
   * Of each row, the sum of its numbers times weights of their columns, so that results of any size
   * can be compared. Zeros and rows without entries change nothing.
   *
   * @param wide whether a line has all numbers of a row
   */
  private static double[] rowSums(
      FileSystem hdfs, org.apache.hadoop.fs.Path written, int rows, boolean wide)
      throws IOException {
    double[] sums = new double[rows + 1];
    for (FileStatus part : hdfs.listStatus(written)) {
      if (part.getPath().getName().startsWith("_")) {
        continue;
      }
      try (BufferedReader in =
          new BufferedReader(
              new InputStreamReader(hdfs.open(part.getPath()), StandardCharsets.UTF_8))) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          add(line.split(" "), wide, sums);
        }
      }
    }
    return sums;
  }

  private static void add(String[] words, boolean wide, double[] sums) {
    if (wide) {
      for (int column = 1; column < words.length; column++) {
        sums[Integer.parseInt(words[0])] += weight(column) * Double.parseDouble(words[column]);
      }
    } else if (words.length == 3) {
      sums[Integer.parseInt(words[0])] +=
          weight(Integer.parseInt(words[1])) * Double.parseDouble(words[2]);
    }
  }

  private static double weight(int column) {
    return 1 + (column * 0x9E3779B97F4A7C15L >>> 11) * 0x1p-53;
  }

  private String upload(FileSystem hdfs, String name, int[] sizes, int entries, long seed)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (Writer out =
        new OutputStreamWriter(
            hdfs.create(path(name), true, 1 << 16, (short) 2, BLOCK_BYTES),
            StandardCharsets.US_ASCII)) {
      for (int e = 0; e < entries; e++) {
        for (int size : sizes) {
          double share = random.nextDouble();
          out.write((int) (share * Math.sqrt(share) * size) + 1 + " ");
        }
        out.write(random.nextInt(1, 1000) / 8.0 + "\n");
      }
    }
    return path(name).toString();
  }

  private org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(cluster.hdfsUri() + "/plain/" + name);
  }

  private String table() throws IOException {
    String cpu =
        Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
            .filter(line -> line.startsWith("model name"))
            .findFirst()
            .map(line -> line.substring(line.indexOf(':') + 2))
            .orElse("unknown");
    return "# title: Beside joins of plain Spark\n"
        + "# machine: "
        + cpu
        + ", "
        + Runtime.getRuntime().availableProcessors()
        + " virtual CPUs\n# date: "
        + LocalDate.now()
        + "\n# versions: Weft 0.1.0-SNAPSHOT, JDK "
        + Runtime.version().feature()
        + ", Spark "
        + org.apache.spark.package$.MODULE$.SPARK_VERSION()
        + "\n# command: mvn verify -pl it -am -Pbench -DskipTests -Dit.test=PlainSparkBenchmark\n"
        + "# peer: joins in Spark, the faster of RDDs and DataFrames\n"
        + "# note: Each program reads text from HDFS and writes text to HDFS. All ran in turns, in"
        + " one application on two executors of one core. MTTKRP has "
        + String.format(Locale.ROOT, "%,d", ENTRIES)
        + " entries and rank 16. For SpGEMM, each operand has a fifth of the entries. Times are"
        + " medians of "
        + RUNS
        + ".\n"
        + "statement\tweft_seconds\trdd_seconds\tdataframe_seconds\tratio\n"
        + String.join("\n", lines)
        + "\n";
  }
}
