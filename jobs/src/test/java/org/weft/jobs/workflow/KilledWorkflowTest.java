package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** A run that is killed at any of its file operations goes on right; at each with -Plong. */
class KilledWorkflowTest {
  private static final String TEXT =
      """
      name: killed
      parameters: {dir: }
      steps:
        - id: a
          run: join ${dir}/a ${dir}/in
          in: ${dir}/in
          out: ${dir}/a
        - id: b
          run: save ${dir}/b-${step.key} ${dir}/a
          in: ${dir}/a
          scratch: ${dir}/b-${step.key}
        - id: c
          run: mark ${dir}/list one
          in: ${dir}/a
          updates: ${dir}/list
          when: missing ${dir}/list
        - id: d
          run: join ${dir}/d ${dir}/a ${dir}/list
          in: ["${dir}/a", "${dir}/list"]
          out: ${dir}/d
      """;

  /** Operations from one kill to the next. */
  private static final long STRIDE = Boolean.getBoolean("weft.long") ? 1 : 11;

  @TempDir Path folder;

  @AfterEach
  void live() {
    MortalFileSystem.live(Long.MAX_VALUE);
  }

  private static WorkflowFile read(String text, Map<String, String> parameters) {
    return WorkflowReader.read("w.yaml", text, parameters, Fakes::anyCommand);
  }

  @Test
  void everyOperationMayBeTheLast() throws IOException {
    FileAccess files = MortalFileSystem.files();
    Map<String, String> whole = null;
    long kills = 0;
    for (long lives = 1_000_000; ; lives = kills++ * STRIDE) {
      Path dir = Files.createDirectory(folder.resolve("run" + lives));
      Files.writeString(dir.resolve("in"), "x");
      String uri = MortalFileSystem.SCHEME + ":" + dir;
      StateFolder state = new StateFolder(files, uri + "/state");
      WorkflowRun run = new WorkflowRun(state, new Fakes(files), line -> {}, Optional.empty(), "1");
      WorkflowFile workflow = read(TEXT, Map.of("dir", uri));
      MortalFileSystem.live(lives);
      boolean died = false;
      try {
        run.start("w.yaml", workflow);
      } catch (MortalFileSystem.Died e) {
        died = true;
      }
      MortalFileSystem.live(Long.MAX_VALUE);
      if (died) {
        goOn(state, run, workflow);
      }
      if (whole == null) {
        whole = outputs(dir);
        assertThat(whole).containsEntry("d", "xone\n").doesNotContainKey("b");
      }
      assertThat(outputs(dir)).as("killed after %d operations", lives).isEqualTo(whole);
      if (!died && lives < 1_000_000) {
        break;
      }
    }
    System.err.println("KILLS " + kills);
    assertThat(kills * STRIDE).isGreaterThan(200);
  }

  /** As a person or a schedule would: resume, or start anew if the run had not begun. */
  private static void goOn(StateFolder state, WorkflowRun run, WorkflowFile workflow)
      throws IOException {
    WorkflowRunTest.buryAny(state);
    try {
      run.resume("", KilledWorkflowTest::read);
    } catch (WeftException e) {
      assertThat(e).hasMessageContaining("expected a run of the workflow, found");
      run.start("w.yaml", workflow);
    }
  }

  /** Files of the workflow, and what they hold; the state and what is hidden are not looked at. */
  private static Map<String, String> outputs(Path dir) throws IOException {
    Map<String, String> outputs = new TreeMap<>();
    try (Stream<Path> children = Files.list(dir)) {
      for (Path child : (Iterable<Path>) children::iterator) {
        String name = child.getFileName().toString();
        if (!name.startsWith(".") && Files.isRegularFile(child)) {
          outputs.put(name.startsWith("b-") ? "b" : name, Files.readString(child));
        }
      }
    }
    return outputs;
  }
}
