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
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
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
 * DataNodes, drivers and the workflow itself are killed at random. The nights end as undisturbed
 * nights do. {@code -Dweft.kills.cluster=N} says how many kills, {@code -Dweft.it.seed=N} which.
 */
@Tag("long")
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KilledNightsIT {
  private static final int KILLS = Integer.getInteger("weft.kills.cluster", 100);
  private static final long SEED = Long.getLong("weft.it.seed", 1);
  private static final List<String> DAYS = List.of("2026-11-20", "2026-11-21");
  private static final int EVENTS = 4_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Duration NIGHT_LIMIT = Duration.ofMinutes(10);

  /** So many starts of one night mean that it never ends. */
  private static final int STARTS = 60;

  private final TestCluster cluster;
  private final Map<Victim, Integer> killed = new EnumMap<>(Victim.class);
  private java.nio.file.Path workflow = java.nio.file.Path.of("");

  /** Half of a night without a kill: a night is disturbed some times, and moves on between. */
  private Duration longestPause = Duration.ZERO;

  KilledNightsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** What two nights leave. */
  private record Result(
      String pointer, long nonzeros, double total, List<Double> fits, double drift) {}

  @BeforeAll
  void prepare(@TempDir java.nio.file.Path temp) throws IOException {
    String sample =
        Files.readString(java.nio.file.Path.of("..", "conf", "nightly.yaml"))
            .replace("--every 5m", "--every 1it --iterations 8")
            .replace("backoff: 30s", "backoff: 1s");
    assertThat(sample).contains("--every 1it", "backoff: 1s");
    workflow = Files.writeString(temp.resolve("nightly.yaml"), sample);
    try (FileSystem hdfs = cluster.fileSystem()) {
      for (int day = 0; day < DAYS.size(); day++) {
        try (OutputStream out = hdfs.create(new Path(uri("events-" + DAYS.get(day) + ".csv")))) {
          out.write(events(day).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
  }

  @AfterAll
  void restore() {
    cluster.restore();
  }

  /** Two groups of users who like two groups of items at two times of the day. */
  private static String events(int day) {
    Random random = new Random(day);
    StringBuilder text = new StringBuilder("user,item,time\n");
    for (int n = 0; n < EVENTS; n++) {
      int group = random.nextInt(2);
      text.append("u").append(60 * group + random.nextInt(50 + 10 * day));
      text.append(",i").append(40 * group + random.nextInt(40));
      text.append(",%sT%02d:00:00Z%n".formatted(DAYS.get(day), 12 * group + random.nextInt(6)));
    }
    return text.toString();
  }

  private String uri(String name) {
    return cluster.hdfsUri() + "/nights/" + name;
  }

  @Test
  @Timeout(value = 12, unit = TimeUnit.HOURS)
  void nightsEndAsUndisturbedNightsDo() throws IOException {
    long start = System.nanoTime();
    night("whole", 0, null);
    night("whole", 1, null);
    longestPause = Duration.ofNanos((System.nanoTime() - start) / 4);
    Result expected = result("whole");
    assertThat(expected.nonzeros()).isPositive();
    assertThat(expected.total()).isEqualTo(2 * EVENTS);
    Random random = new Random(SEED);
    for (int series = 0; killed() < KILLS; series++) {
      String name = "series-" + series;
      for (int day = 0; day < DAYS.size(); day++) {
        night(name, day, random);
      }
      System.out.println("nights: " + name + " of seed " + SEED + ", killed " + killed);
      assertSame(name, expected);
    }
  }

  private int killed() {
    return killed.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Runs a night, through kills if there is randomness for them, until it has ended well. */
  private void night(String name, int day, Random random) throws IOException {
    String command = "run";
    for (int start = 0; start < STARTS; start++) {
      Submission ended = attempt(command, name, day, random);
      cluster.restore();
      if (ended.exitCode() == 0) {
        return;
      }
      assertThat(random).as(ended.transcript()).isNotNull();
      // 1: a step failed as often as it may; 137: the workflow was killed
      assertThat(ended.exitCode()).as(ended.transcript()).isIn(1, 137);
      command = isStarted(name, day) ? "resume" : "run";
    }
    throw new AssertionError("night " + day + " of " + name + " never ends");
  }

  private Submission attempt(String command, String name, int day, Random random) {
    List<String> words = new ArrayList<>(List.of("workflow", command, workflow.toString()));
    words.addAll(List.of("--state", uri(name + "/state")));
    if (command.equals("run")) {
      words.addAll(List.of("--set", "date=" + DAYS.get(day), "--set", "events=" + uri("events-")));
      words.addAll(List.of("--set", "work=" + uri(name + "/work"), "--set", "rank=4"));
      words.addAll(List.of("--set", "limit=0.99"));
    }
    RunningSubmission running = cluster.start(WeftJars.weft(words.toArray()));
    while (random != null && running.isAlive()) {
      pause(running, random.nextLong(longestPause.toMillis()));
      Victim victim = Victim.values()[random.nextInt(Victim.values().length)];
      if (running.isAlive() && victim.kill(cluster, running)) {
        killed.merge(victim, 1, Integer::sum);
        pause(running, random.nextLong(2_000));
        cluster.restore();
      }
    }
    return running.await(NIGHT_LIMIT);
  }

  private static void pause(RunningSubmission running, long milliseconds) {
    try {
      for (long slept = 0; slept < milliseconds && running.isAlive(); slept += 50) {
        Thread.sleep(50);
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
            && json(hdfs, record).at("/parameters/date").asText().equals(DAYS.get(day))) {
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
      JsonNode drift = json(hdfs, new Path(work, "drift-" + DAYS.get(1) + ".json"));
      assertThat(hdfs.listStatus(work))
          .extracting(file -> file.getPath().getName())
          .as("what is left in %s", work)
          .containsExactlyInAnyOrder(
              "events.weft",
              "current",
              "model-" + DAYS.get(0),
              "model-" + DAYS.get(1),
              "drift-" + DAYS.get(1) + ".json");
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
        cluster.submit(WeftJars.weft("eval", "s = X(i,j,k)", "--input", "X=" + tensor));
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
