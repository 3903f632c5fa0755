package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workflows whose steps are processes. */
class WorkflowCommandTest {
  private static final String STEPS =
      """
      name: small
      parameters: {dir: , seed: 1}
      steps:
        - id: make
          run: generate 9x9x9 ${dir}/x.tns --nonzeros 50 --seed ${seed}
          out: ${dir}/x.tns
      """;

  @TempDir Path dir;

  private Run workflow(String action, String... more) {
    String[] words = new String[5 + more.length];
    words[0] = "workflow";
    words[1] = action;
    words[2] = dir.resolve("w.yaml").toString();
    words[3] = "--set";
    words[4] = "dir=" + dir;
    System.arraycopy(more, 0, words, 5, more.length);
    return Run.of(words);
  }

  @Test
  void aRunHasAStateALogAndMetrics() throws Exception {
    Run.write(dir, "w.yaml", STEPS);
    Path metrics = dir.resolve("w.prom");
    Run first = workflow("run", "--metrics", metrics.toString());
    assertThat(first.status()).as(first.out() + first.err()).isZero();
    assertThat(first.out()).contains("[make] wrote ", "[make] done (", "done: run ");
    assertThat(Files.readString(metrics))
        .contains(
            "weft_workflow_run_status{workflow=\"small\"} 0\n",
            "weft_workflow_step_attempts{workflow=\"small\",step=\"make\"} 1\n",
            "weft_workflow_step_state{workflow=\"small\",step=\"make\",state=\"done\"} 1\n");
    assertThat(workflow("explain").out()).matches("make: kept, done in run \\S+\\n");
    assertThat(workflow("explain", "--set", "seed=2").out()).contains("  the command was weft gen");
    assertThat(workflow("graph").out()).contains("\"make\" [label=\"make\\nweft generate\"];");
    Run status = Run.of("workflow", "status", dir.resolve("w.yaml").toString(), "--log");
    assertThat(status.out())
        .contains("with status 0\n", "done  make  1 attempt", "Z [make] runs weft gen");
    assertThat(Run.of("workflow", "gc", dir.resolve("w.yaml").toString()).out())
        .isEqualTo("removed 0 runs and 0 records\n");
    String[] lines =
        Run.read(
                Files.walk(dir)
                    .filter(file -> file.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow()
                    .toString())
            .split("\n");
    assertThat(lines)
        .allMatch(line -> line.matches("\\{\"time\":\"\\S+Z\",\"run\":\"\\S+\",\"event\":\".*}"));
  }

  @Test
  void aStepThatTakesTooLongIsEnded() {
    Run.write(
        dir, "w.yaml", STEPS.replace("--nonzeros 50", "--nonzeros 700") + "    timeout: 50ms\n");
    Run run = workflow("run");
    assertThat(run.status()).as(run.out() + run.err()).isEqualTo(5);
    assertThat(run.err()).contains("WEFT-602", "step make: took longer than 0.05 s");
    assertThat(dir.resolve("x.tns")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "resident | expected a command that ends by itself, found 'resident'",
        "workflow run ${dir}/w.yaml | expected a step that does not run its own workflow, found",
        "workflow resume ${dir}/v/../w.yaml | expected a step that does not run its own workflow",
        "workflow gc ${dir}/w.yaml --keep 1 | expected a step that does not run its own workflow",
      })
  void aStepThatWouldNotEndIsAMistake(String command, String message) {
    Run.write(dir, "w.yaml", STEPS + "    needs: other\n  - id: other\n    run: " + command + "\n");
    Run run = workflow("run");
    assertThat(run.status()).as(run.out() + run.err()).isEqualTo(2);
    assertThat(run.err()).contains("WEFT-111", "w.yaml:9:10: " + message);
    assertThat(dir.resolve("x.tns")).doesNotExist();
  }

  /** A workflow of another file has a state of its own. */
  @Test
  void aStepMayRunAnotherWorkflow() {
    Run.write(dir, "other.yaml", STEPS);
    Run.write(
        dir,
        "w.yaml",
        """
        name: outer
        parameters: {dir: }
        steps:
          - id: inner
            run: workflow run ${dir}/other.yaml --set dir=${dir}
        """);
    Run run = workflow("run");
    assertThat(run.status()).as(run.out() + run.err()).isZero();
    assertThat(dir.resolve("x.tns")).exists();
  }

  @Test
  void aMistakeIsSaidBeforeAnyWork() {
    Run.write(dir, "w.yaml", STEPS.replace("--nonzeros", "--nonzeroes"));
    workflow("run")
        .fails(
            2,
            "weft: WEFT-111: ",
            "w.yaml:5:10: unknown option --nonzeroes, did you mean --nonzeros?",
            "         ^");
    assertThat(Run.names(dir)).containsExactly("w.yaml");
    assertThat(workflow("frob").err()).contains("unknown");
  }
}
