package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** Records of a state that no Weft wrote: whoever reads one says which, or does without it. */
class DamagedStateTest {
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEXT =
      """
      name: test
      parameters: {dir: }
      steps:
        - id: a
          run: join ${dir}/a ${dir}/in
          in: ${dir}/in
          out: ${dir}/a
        - id: b
          run: note ${dir}/c hello
          in: ${dir}/a
          out: ${dir}/c
      """;

  @TempDir Path dir;
  private final FileAccess files = FileAccess.plain();
  private final Fakes fakes = new Fakes(files);
  private StateFolder state = new StateFolder(files, "unset");

  @BeforeEach
  void aRun() throws IOException {
    Files.writeString(dir.resolve("in"), "x");
    state = new StateFolder(files, dir.resolve("state").toString());
    runner().start("w.yaml", workflow());
  }

  private WorkflowRun runner() {
    return new WorkflowRun(state, fakes, line -> {}, Optional.empty(), "1");
  }

  private WorkflowFile read(String text, Map<String, String> parameters) {
    return WorkflowReader.read("w.yaml", text, parameters, Fakes::anyCommand);
  }

  private WorkflowFile workflow() {
    return read(TEXT, Map.of("dir", dir.toString()));
  }

  private interface Reader {
    void read() throws IOException;
  }

  private List<Reader> readers() {
    return List.of(
        () -> new WorkflowExplanation(state, workflow()).lines(),
        () -> new Garbage(state).collect(1, true),
        () -> Lease.isHeld(state),
        () -> new RunHistory(state).figures(WorkflowRun.find(state, ""), "as it is", List.of()),
        () -> runner().resume("", this::read),
        () -> runner().start("w.yaml", workflow()));
  }

  private List<Path> records() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of(state.uri()))) {
      return all.filter(path -> path.toString().endsWith(".json"))
          .filter(path -> Files.isRegularFile(path))
          .sorted()
          .toList();
    }
  }

  private static List<String> damaged(String text) throws IOException {
    List<String> damaged = new ArrayList<>(List.of("", "null", "{}", "[]", "\0\0\0\0", text + "}"));
    for (int length = 1; length < text.length(); length += 1 + text.length() / 4) {
      damaged.add(text.substring(0, length));
    }
    List<String> names = new ArrayList<>();
    JSON.readTree(text).fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      for (String value : List.of("null", "\"x\"")) {
        damaged.add(with(text, name, JSON.readTree(value)));
      }
    }
    return damaged;
  }

  private static String with(String text, String name, JsonNode value) throws IOException {
    ObjectNode other = (ObjectNode) JSON.readTree(text);
    other.set(name, value);
    return other.toString();
  }

  @Test
  void areNamedWhateverIsWrong() throws IOException {
    List<Reader> readers = readers();
    int turn = 0;
    for (Path record : records()) {
      if (record.getFileName().toString().startsWith("lease-")) {
        continue;
      }
      String text = Files.readString(record);
      for (String damage : damaged(text)) {
        // Usually every third reader in turn: each meets every kind of damage in some record.
        for (int at = LONG ? 0 : turn++ % 3; at < readers.size(); at += LONG ? 1 : 3) {
          Files.writeString(record, damage);
          Files.deleteIfExists(record.resolveSibling("." + record.getFileName() + ".crc"));
          requireNamed(readers.get(at), record, damage);
        }
      }
      Files.writeString(record, text);
    }
  }

  private static void requireNamed(Reader reader, Path record, String damage) throws IOException {
    try {
      reader.read();
    } catch (WeftException e) {
      assertThat(e.getMessage()).as(damage).doesNotContain("org.weft", "java.", "Exception");
    } catch (RuntimeException e) {
      throw new AssertionError(record + " with " + damage, e);
    }
  }

  /** The newest lease counts, whatever its number. */
  @Test
  void leasesAreNamedWhateverIsWrong() throws IOException {
    Path lease = Path.of(state.uri(), "lease-1.json");
    for (String damage : damaged(Files.readString(lease))) {
      Path newest = lease.resolveSibling("lease-1000.json");
      Files.writeString(newest, damage);
      requireNamed(() -> Lease.isHeld(state), newest, damage);
      requireNamed(() -> Lease.take(state, "run").close(), newest, damage);
      for (Path record : records()) {
        if (record.getFileName().toString().startsWith("lease-1")) {
          Files.delete(record);
        }
      }
    }
  }

  @Test
  void ofANewerWeftAreSaidToBe() throws IOException {
    for (Path record : records()) {
      if (record.getFileName().toString().startsWith("lease-")) {
        continue;
      }
      String text = Files.readString(record);
      if (!JSON.readTree(text).has("schema")) {
        continue;
      }
      Files.writeString(record, with(text, "schema", JSON.readTree("2")));
      WeftException found = null;
      for (Reader reader : readers()) {
        try {
          reader.read();
        } catch (WeftException e) {
          found = e;
          assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION);
          assertThat(e)
              .hasMessageContaining(record.getFileName() + ": expected schema 1, found 2;")
              .hasMessageContaining("newer Weft");
        }
      }
      assertThat(found).as(record.toString()).isNotNull();
      Files.writeString(record, text);
    }
  }

  @Test
  void linesOfALogAreShownAsTheyAre() {
    for (String line : List.of("", "null", "7", "[]", "{\"time\": ", "\0")) {
      assertThat(Events.text(line)).isEqualTo(line);
    }
  }
}
