package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** {@code conf/nightly.yaml}: what it makes, and that kills at random change nothing of it. */
class NightlyTest {
  private static final Path SAMPLE = Path.of("..", "conf", "nightly.yaml");
  private static final int KILLS =
      Integer.getInteger("weft.kills", Boolean.getBoolean("weft.long") ? 1000 : 30);
  private static final String[] DAYS = {"2026-11-20", "2026-11-21"};

  @TempDir Path folder;

  @BeforeEach
  void setUp() {
    System.setProperty(
        "spark.hadoop.fs." + MortalFileSystem.SCHEME + ".impl", MortalFileSystem.class.getName());
  }

  @AfterEach
  void tearDown() {
    MortalFileSystem.live(Long.MAX_VALUE);
    System.clearProperty("spark.hadoop.fs." + MortalFileSystem.SCHEME + ".impl");
  }

  private static WorkflowFile read(String text, Map<String, String> parameters) {
    return WorkflowReader.read("nightly.yaml", text, parameters, Fakes::anyCommand);
  }

  private static Map<String, String> parameters(String uri, String day, String limit) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("date", day);
    parameters.put("events", uri + "/events-");
    parameters.put("work", uri + "/work");
    parameters.put("rank", "2");
    parameters.put("limit", limit);
    return parameters;
  }

  /** Two groups of users who like two groups of items at two times of the day. */
  private static void day(Path at, int day, boolean csv) throws IOException {
    Random random = new Random(day);
    StringBuilder text = new StringBuilder(csv ? "user,item,time\n" : "");
    for (int n = 0; n < 120; n++) {
      int group = random.nextInt(2);
      int user = 4 * group + random.nextInt(4) + 1;
      int item = 3 * group + random.nextInt(3) + 1;
      int hour = 12 * group + random.nextInt(3) + 1;
      text.append(
          csv
              ? "u%d,i%d,2026-11-%02dT%02d:00:00Z%n".formatted(user, item, 20 + day, hour)
              : "%d %d %d 1%n".formatted(user, item, hour));
    }
    Files.writeString(at.resolve("events-" + DAYS[day] + (csv ? ".csv" : ".tns")), text);
  }

  private JsonNode json(String name) throws IOException {
    return new ObjectMapper().readTree(folder.resolve(name).toFile());
  }

  @Test
  void aDayIsAddedDecomposedComparedAndPublished() throws IOException {
    String text = Files.readString(SAMPLE);
    day(folder, 0, true);
    day(folder, 1, true);
    InThisProcess command = new InThisProcess();
    StateFolder state = new StateFolder(FileAccess.plain(), folder.resolve("state").toString());
    List<String> said = new ArrayList<>();
    WorkflowRun run = new WorkflowRun(state, command, said::add, Optional.empty(), "1");
    run.start("n", read(text, parameters(folder.toString(), DAYS[0], "0.9")));
    Path pointer = folder.resolve("work/current");
    assertThat(pointer).hasContent("weft-model 1\nmodel-2026-11-20");
    assertThat(command.ran)
        .extracting(l -> l.split(" ")[0])
        .containsExactly("ingest", "cpd", "publish");
    command.ran.clear();
    run.start("n", read(text, parameters(folder.toString(), DAYS[0], "0.9")));
    assertThat(command.ran).as("the first day again").isEmpty();
    WeftException drifted =
        catchThrowableOfType(
            WeftException.class,
            () -> run.start("n", read(text, parameters(folder.toString(), DAYS[1], "0"))));
    assertThat(drifted.code()).isEqualTo(ErrorCode.STEP_REFUSED);
    assertThat(said).anyMatch(line -> line.contains("WEFT-306"));
    assertThat(pointer).as("not published").hasContent("weft-model 1\nmodel-2026-11-20");
    assertThat(command.ran)
        .extracting(l -> l.split(" ")[0])
        .containsExactly("ingest", "cpd", "compare");
    command.ran.clear();
    run.start("n", read(text, parameters(folder.toString(), DAYS[1], "0.9")));
    assertThat(command.ran).extracting(l -> l.split(" ")[0]).containsExactly("compare", "publish");
    assertThat(pointer).hasContent("weft-model 1\nmodel-2026-11-21");
    JsonNode summary = json("work/model-2026-11-21/summary.json");
    assertThat(summary.at("/parent/content"))
        .isEqualTo(json("work/model-2026-11-20/summary.json").path("content"));
    assertThat(summary.at("/inputs/0/version").asLong()).isEqualTo(2);
    assertThat(json("work/drift-2026-11-21.json").path("drift").asDouble()).isBetween(0.0, 0.9);
    assertThat(Files.list(folder.resolve("work")).map(p -> p.getFileName().toString()))
        .as("scratch is gone")
        .noneMatch(name -> name.startsWith("state-"));
    command.ran.clear();
    run.start("n", read(text, parameters(folder.toString(), DAYS[1], "0.9")));
    assertThat(command.ran).isEmpty();
  }

  /** The sample with days as tensors, which are added without Spark. */
  private static String withoutSpark() throws IOException {
    return Files.readString(SAMPLE)
        .replaceAll(
            "ingest [^\n]*\n[^\n]*--append",
            "convert \\${events}\\${date}.tns \\${work}/events.weft --append")
        .replace(".csv", ".tns")
        .replace("--every 5m", "--every 1it --iterations 4")
        .replace("retries: 2", "retries: 0");
  }

  private static String published(Path dir) throws IOException {
    String pointer = Files.readString(dir.resolve("work/current"));
    Path model = dir.resolve("work").resolve(pointer.lines().skip(1).findFirst().orElseThrow());
    JsonNode summary = new ObjectMapper().readTree(model.resolve("summary.json").toFile());
    JsonNode drift =
        new ObjectMapper().readTree(dir.resolve("work/drift-" + DAYS[1] + ".json").toFile());
    return pointer
        + summary.path("content").asText()
        + summary.path("nnz")
        + summary.path("fits")
        + drift.path("drift");
  }

  @Test
  void killsAtRandomChangeNothing() throws IOException {
    String text = withoutSpark();
    Path whole = folder.resolve("whole");
    prepare(whole);
    MortalFileSystem.live(Long.MAX_VALUE / 2);
    nights(whole, text, Long.MAX_VALUE / 2, new Random(0));
    String expected = published(whole);
    long operations = MortalFileSystem.done(Long.MAX_VALUE / 2);
    assertThat(operations).isGreaterThan(200);
    long seed = Long.getLong("weft.it.seed", 1);
    Random random = new Random(seed);
    for (int kills = 0, n = 0; kills < KILLS; n++) {
      Path dir = folder.resolve("n" + n);
      prepare(dir);
      kills += nights(dir, text, operations, random);
      assertThat(published(dir)).as("series %d of seed %d", n, seed).isEqualTo(expected);
      assertThat(dir.resolve("work").toFile().list())
          .as("what series %d of seed %d leaves", n, seed)
          .noneMatch(name -> name.endsWith(".weft-tmp"));
    }
  }

  /** A folder before its first night: days, and a tensor to add them to. */
  private static void prepare(Path dir) throws IOException {
    Files.createDirectory(dir);
    day(dir, 0, false);
    day(dir, 1, false);
    Path seed = Files.writeString(dir.resolve("seed.tns"), "1 1 1 1\n8 6 16 1\n");
    String tensor = dir.resolve("work/events.weft").toString();
    assertThat(
            new InThisProcess()
                .run(List.of("convert", seed.toString(), tensor), "", Duration.ZERO, line -> {}))
        .isZero();
  }

  /** Runs both nights through kills, each of which comes at random. Returns how many came. */
  private static int nights(Path dir, String text, long operations, Random random)
      throws IOException {
    String uri = MortalFileSystem.SCHEME + ":" + dir;
    StateFolder state = new StateFolder(MortalFileSystem.files(), uri + "/state");
    InThisProcess command = new InThisProcess();
    WorkflowRun run = new WorkflowRun(state, command, line -> {}, Optional.empty(), "1");
    boolean undisturbed = operations > Integer.MAX_VALUE;
    int kills = 0;
    for (String day : DAYS) {
      WorkflowFile workflow = read(text, parameters(uri, day, "0.99"));
      boolean started = false;
      for (boolean done = false; !done; ) {
        if (!undisturbed) {
          MortalFileSystem.live(random.nextLong(operations));
        }
        try {
          if (started) {
            run.resume("", NightlyTest::read);
          } else {
            run.start("n", workflow);
          }
          done = true;
        } catch (MortalFileSystem.Died e) {
          kills++;
          MortalFileSystem.live(Long.MAX_VALUE);
          WorkflowRunTest.buryAny(state);
          started = isStarted(state, day);
        } finally {
          if (!undisturbed) {
            MortalFileSystem.live(Long.MAX_VALUE);
          }
        }
      }
    }
    assertThat(command.mostLost).as("iterations done again after a kill").isLessThan(2);
    return kills;
  }

  private static boolean isStarted(StateFolder state, String day) {
    return !state.names(StateNames.RUNS).isEmpty()
        && state.names(StateNames.RUNS).stream()
            .flatMap(run -> state.read(StateNames.run(run), Records.Run.class).stream())
            .reduce((a, b) -> b)
            .map(run -> day.equals(run.parameters().get("date")))
            .orElse(false);
  }
}
