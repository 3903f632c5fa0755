package org.weft.it.nightly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.RunningSubmission;
import org.weft.it.cluster.Submission;
import org.weft.it.cluster.TestCluster;
import org.weft.it.cluster.WeftJars;

/**
 * Two nights of {@code conf/nightly.yaml} on a cluster, HDFS to HDFS, while executors, workers,
 * DataNodes, drivers and the workflow itself are killed, at random and while outputs are written.
 * The nights end as undisturbed nights do, and do nothing again that was done. {@code
 * -Dweft.kills.cluster=N} says how many kills, {@code -Dweft.kills.minutes=N} the time they may
 * take, and {@code -Dweft.it.seed=N} which.
 */
@Tag("long")
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KilledNightsIT {
  private static final int KILLS = Integer.getInteger("weft.kills.cluster", 100);
  private static final Duration TIME =
      Duration.ofMinutes(Integer.getInteger("weft.kills.minutes", 600));
  private static final long SEED = Long.getLong("weft.it.seed", 1);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Tables take most of the time, so most series of nights are of tensors. */
  private static final int TABLES_EVERY = Integer.getInteger("weft.kills.tables", 4);

  private static final Duration NIGHT_LIMIT = Duration.ofMinutes(10);

  /** So many starts of a night are killed as often as chance will have it; those after once. */
  private static final int KILLED_STARTS = 12;

  /** So many starts of one night mean that it never ends. */
  private static final int STARTS = 40;

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** Steps start in seconds, and do nothing meanwhile that an output could be of. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  private final TestCluster cluster;
  private final Map<Victim, Integer> killed = new EnumMap<>(Victim.class);
  private final Map<Moment, Integer> unfinished = new EnumMap<>(Moment.class);
  private final Map<Sample, java.nio.file.Path> workflows = new EnumMap<>(Sample.class);
  private int starts;
  private int resumes;

  KilledNightsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** What two nights leave. */
  private record Result(
      String pointer, long nonzeros, double total, List<Double> fits, double drift) {}

  @BeforeAll
  void prepare(@TempDir java.nio.file.Path temp) throws IOException {
    try (FileSystem hdfs = cluster.fileSystem()) {
      for (Sample sample : Sample.values()) {
        workflows.put(sample, Files.writeString(temp.resolve(sample + ".yaml"), sample.workflow()));
        for (int day = 0; day < Sample.DAYS.size(); day++) {
          try (OutputStream out = hdfs.create(new Path(uri(sample.fileOf(day))))) {
            out.write(sample.events(day).getBytes(StandardCharsets.UTF_8));
          }
        }
      }
    }
    java.nio.file.Path seed = Files.writeString(temp.resolve("seed.tns"), Sample.SEED);
    Submission made = cluster.submit(WeftJars.weft("convert", "file://" + seed, uri("seed.weft")));
    assertThat(made.exitCode()).as(made.transcript()).isZero();
  }

  /** A folder before its first night. */
  private void prepare(Sample sample, String name) throws IOException {
    if (sample == Sample.TENSORS) {
      try (FileSystem hdfs = cluster.fileSystem()) {
        Path tensor = new Path(uri(name + "/work/events.weft"));
        FileUtil.copy(hdfs, new Path(uri("seed.weft")), hdfs, tensor, false, hdfs.getConf());
      }
    }
  }

  @AfterAll
  void restore() {
    cluster.restore();
  }

  private String uri(String name) {
    return cluster.hdfsUri() + "/nights/" + name;
  }

  @Test
  @Timeout(value = 12, unit = TimeUnit.HOURS)
  void nightsEndAsUndisturbedNightsDo() throws IOException {
    long start = System.nanoTime();
    Map<Sample, Result> expected = new EnumMap<>(Sample.class);
    Random random = new Random(SEED);
    for (int series = 0; killed() < KILLS && isTime(start); series++) {
      Sample sample = series % TABLES_EVERY == TABLES_EVERY - 1 ? Sample.TABLES : Sample.TENSORS;
      if (!expected.containsKey(sample)) {
        expected.put(sample, undisturbed(sample));
      }
      String name = "series-" + series + "-" + sample;
      nights(sample, name, random);
      assertSame(name, expected.get(sample));
    }
  }

  private Result undisturbed(Sample sample) throws IOException {
    String name = "whole-" + sample;
    nights(sample, name, null);
    Result whole = result(name);
    assertThat(whole.nonzeros()).isPositive();
    assertThat(whole.total()).isEqualTo(sample.total());
    return whole;
  }

  private static boolean isTime(long start) {
    return System.nanoTime() - start < TIME.toNanos();
  }

  private int killed() {
    return killed.values().stream().mapToInt(Integer::intValue).sum();
  }

  private void nights(Sample sample, String name, Random random) throws IOException {
    prepare(sample, name);
    for (int day = 0; day < Sample.DAYS.size(); day++) {
      night(sample, name, day, random);
      System.out.printf(
          "%s: day %d of %s and seed %d is done: %d killed %s, %d starts, %d resumed"
              + " decompositions, unfinished when a step was killed %s%n",
          Instant.now(), day, name, SEED, killed(), killed, starts, resumes, unfinished);
    }
  }

  /** Runs a night, through kills if there is randomness for them, until it has ended well. */
  private void night(Sample sample, String name, int day, Random random) throws IOException {
    NightProgress progress = new NightProgress();
    String command = "run";
    for (int start = 0; start < STARTS; start++) {
      Submission ended = attempt(start, words(command, sample, name, day), uri(name), random);
      cluster.restore();
      starts++;
      progress.add(ended.standardOutput());
      if (ended.exitCode() == 0) {
        resumes += progress.resumes();
        return;
      }
      assertThat(random).as(ended.transcript()).isNotNull();
      // 1: a step failed as often as it may; 137: the workflow was killed
      assertThat(ended.exitCode()).as(ended.transcript()).isIn(1, 137);
      command = isStarted(name, day) ? "resume" : "run";
    }
    throw new AssertionError("night " + day + " of " + name + " never ends");
  }

  private List<String> words(String command, Sample sample, String name, int day) {
    List<String> words =
        new ArrayList<>(List.of("workflow", command, workflows.get(sample).toString()));
    words.addAll(List.of("--state", uri(name + "/state")));
    if (command.equals("run")) {
      words.addAll(List.of("--set", "date=" + Sample.DAYS.get(day)));
      words.addAll(List.of("--set", "events=" + uri("events-"), "--set", "limit=0.99"));
      words.addAll(List.of("--set", "work=" + uri(name + "/work"), "--set", "rank=4"));
    }
    return words;
  }

  private Submission attempt(int start, List<String> words, String folder, Random random)
      throws IOException {
    RunningSubmission running =
        cluster.start(
            WeftJars.weft(words.toArray())
                .with("spark.sql.codegen.wholeStage", "false") // days are small
                .with("spark.sql.shuffle.partitions", "2"));
    boolean isLeftAlone = random == null;
    while (!isLeftAlone && running.isAlive()) {
      Strike strike = Strike.random(random, LONGEST_PAUSE);
      strike(strike, running, folder);
      cluster.revive();
      isLeftAlone = strike.last() || start >= KILLED_STARTS;
    }
    return running.await(NIGHT_LIMIT);
  }

  private void strike(Strike strike, RunningSubmission running, String folder) throws IOException {
    pause(running, strike.pause(), () -> false);
    try (FileSystem hdfs = cluster.fileSystem()) {
      pause(running, LONGEST_WAIT, () -> strike.moment().isNow(hdfs, folder));
      for (Victim victim : strike.victims()) {
        if (running.isAlive() && victim.kill(cluster, running, strike.node())) {
          killed.merge(victim, 1, Integer::sum);
        }
      }
      if (strike.victims().contains(Victim.STEP)
          && strike.moment() != Moment.WHENEVER
          && strike.moment().isNow(hdfs, folder)) {
        unfinished.merge(strike.moment(), 1, Integer::sum);
      }
    }
  }

  /** Something to wait for. */
  private interface Event {
    boolean isNow() throws IOException;
  }

  private static void pause(RunningSubmission running, Duration longest, Event event)
      throws IOException {
    try {
      long end = System.nanoTime() + longest.toNanos();
      while (running.isAlive() && System.nanoTime() < end && !event.isNow()) {
        Thread.sleep(5);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Whether the state has a run of this day, which can be resumed. */
  private boolean isStarted(String name, int day) throws IOException {
    Path runs = new Path(uri(name + "/state/runs"));
    try (FileSystem hdfs = cluster.fileSystem()) {
      if (!hdfs.exists(runs)) {
        return false;
      }
      for (var run : hdfs.listStatus(runs)) {
        Path record = new Path(run.getPath(), "run.json");
        if (hdfs.exists(record)
            && json(hdfs, record).at("/parameters/date").asText().equals(Sample.DAYS.get(day))) {
          return true;
        }
      }
      return false;
    }
  }

  private void assertSame(String name, Result expected) throws IOException {
    Result found = result(name);
    String what = name + " of seed " + SEED;
    assertThat(found.pointer()).as(what).isEqualTo(expected.pointer());
    assertThat(found.nonzeros()).as(what).isEqualTo(expected.nonzeros());
    assertThat(found.total()).as(what).isEqualTo(expected.total());
    assertThat(found.fits()).as(what).hasSameSizeAs(expected.fits());
    // A plan is of the executors that were there: sums may be in another order.
    for (int i = 0; i < expected.fits().size(); i++) {
      assertThat(found.fits().get(i)).as(what).isCloseTo(expected.fits().get(i), within(1e-9));
    }
    assertThat(found.drift()).as(what).isCloseTo(expected.drift(), within(1e-6));
  }

  private Result result(String name) throws IOException {
    try (FileSystem hdfs = cluster.fileSystem()) {
      Path work = new Path(uri(name + "/work"));
      String pointer = text(hdfs, new Path(work, "current"));
      String model = pointer.lines().skip(1).findFirst().orElseThrow();
      JsonNode summary = json(hdfs, new Path(work, model + "/summary.json"));
      List<Double> fits = new ArrayList<>();
      summary.path("fits").forEach(fit -> fits.add(fit.asDouble()));
      JsonNode drift = json(hdfs, new Path(work, "drift-" + Sample.DAYS.get(1) + ".json"));
      assertThat(hdfs.listStatus(work))
          .extracting(file -> file.getPath().getName())
          .as("what is left in %s", work)
          .containsExactlyInAnyOrder(
              "events.weft",
              "current",
              "model-" + Sample.DAYS.get(0),
              "model-" + Sample.DAYS.get(1),
              "drift-" + Sample.DAYS.get(1) + ".json");
      return new Result(
          pointer,
          summary.path("nnz").asLong(),
          total(new Path(work, "events.weft")),
          fits,
          drift.path("drift").asDouble());
    }
  }

  /** The number of events in a tensor: each has the value 1. */
  private double total(Path tensor) {
    Submission done =
        cluster.submit(
            WeftJars.weft("eval", "s = X(i,j,k)", "--input", "X=" + tensor)
                .with("spark.master", "local[1]"));
    assertThat(done.exitCode()).as(done.transcript()).isZero();
    return Double.parseDouble(done.standardOutput().strip());
  }

  private static JsonNode json(FileSystem hdfs, Path file) throws IOException {
    return JSON.readTree(text(hdfs, file));
  }

  private static String text(FileSystem hdfs, Path file) throws IOException {
    try (InputStream in = hdfs.open(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      throw new AssertionError("expected the file " + file, e);
    }
  }
}
