package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

class WorkflowRunTest {
  private static final String SUM_OF_XX =
      "crc32c-sha256:cf8dc10e7f7449e2c697fc466df7015b0d118b0c987ed59e3ca283bcf7a9ebd5";
  private static final String TEXT =
      """
      name: test
      parameters: {dir: , word: hello}
      steps:
        - id: a
          run: join ${dir}/a ${dir}/in
          in: ${dir}/in
          out: ${dir}/a
        - id: b
          run: join ${dir}/b ${dir}/a ${dir}/a
          in: ${dir}/a
          out: ${dir}/b
        - id: c
          run: note ${dir}/c ${word}
          out: ${dir}/c
        - id: d
          run: mark ${dir}/list ${word}
          in: ${dir}/b
          updates: ${dir}/list
      """;

  @TempDir Path dir;
  private final FileAccess files = FileAccess.plain();
  private final Fakes fakes = new Fakes(files);
  private final List<String> said = new ArrayList<>();
  private StateFolder state = new StateFolder(files, "unset");

  @BeforeEach
  void setUp() throws IOException {
    Files.writeString(dir.resolve("in"), "x");
    state = new StateFolder(files, dir.resolve("state").toString());
  }

  private WorkflowFile read(String text, Map<String, String> parameters) {
    return WorkflowReader.read("w.yaml", text, parameters, Fakes::anyCommand);
  }

  private WorkflowFile workflow(String text) {
    return read(text, Map.of("dir", dir.toString()));
  }

  private WorkflowRun runner() {
    return new WorkflowRun(state, fakes, said::add, Optional.empty(), "1");
  }

  private String run(String text) throws IOException {
    fakes.ran.clear();
    return runner().start("w.yaml", workflow(text));
  }

  private ErrorCode failed(String text) {
    fakes.ran.clear();
    return catchThrowableOfType(WeftException.class, () -> runner().start("w.yaml", workflow(text)))
        .code();
  }

  private String resume() throws IOException {
    fakes.ran.clear();
    return runner().resume("", this::read);
  }

  private Records.StepRun step(String id) {
    return WorkflowRun.steps(state, WorkflowRun.find(state, "")).get(id);
  }

  private void edit(String name, String text) {
    try {
      Files.writeString(dir.resolve(name), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void stepsRunOnceForTheSameContents() throws IOException {
    String first = run(TEXT);
    assertThat(fakes.ran).hasSize(4);
    assertThat(dir.resolve("b")).hasContent("xx");
    Records.Done done =
        state.read(StateNames.done(step("b").key()), Records.Done.class).orElseThrow();
    assertThat(done.outputs())
        .containsExactly(new Records.Made(dir.resolve("b").toString(), 2, SUM_OF_XX));
    Files.setLastModifiedTime(dir.resolve("in"), FileTime.fromMillis(12345));
    run(TEXT);
    assertThat(fakes.ran).isEmpty();
    assertThat(said)
        .contains("[b] done in run " + first + " from the same inputs by the same command");
  }

  @Test
  void whatDependsOnAChangeRunsAgainAndItIsSaidWhy() throws IOException {
    run(TEXT);
    edit("in", "y");
    assertThat(new WorkflowExplanation(state, workflow(TEXT)).lines())
        .anyMatch(line -> line.startsWith("a: runs weft join"))
        .anyMatch(
            line ->
                line.matches(
                    "  input .*/in: was crc32c-sha256:\\w+ of 1 byte, is crc32c-sha256:.*"))
        .anyMatch(line -> line.matches("  input .*/a: known after step a"))
        .anyMatch(line -> line.startsWith("c: kept"));
    run(TEXT);
    assertThat(fakes.ran)
        .extracting(line -> line.split(" ")[0] + line.contains("--overwrite"))
        .containsExactly("jointrue", "jointrue", "markfalse");
    assertThat(dir.resolve("b")).hasContent("yy");
    edit("b", "damaged");
    run(TEXT);
    assertThat(fakes.ran).hasSize(1);
    assertThat(said)
        .anyMatch(line -> line.matches("\\[b\\] runs again: .*/b is not as the step.*"));
    assertThat(dir.resolve("b")).hasContent("yy");
  }

  @Test
  void transientFaultsAreTriedAgainAndBadInputNever() throws IOException {
    String flaky = TEXT + "  - {id: e, run: fail 1 2, retries: 2, backoff: 1ms}\n";
    run(flaky);
    assertThat(fakes.ran.subList(4, 7)).containsOnly("fail 1 2");
    assertThat(step("e").attempts()).isEqualTo(3);
    String often = TEXT + "  - {id: e, run: fail 1 9, retries: 1, backoff: 1ms}\n";
    assertThat(failed(often)).isEqualTo(ErrorCode.STEP_FAILED);
    assertThat(ErrorCode.STEP_FAILED.kind().exitStatus()).isEqualTo(1);
    String bad = TEXT + "  - {id: e, run: fail 2 9, retries: 5, backoff: 1ms}\n";
    assertThat(failed(bad)).isEqualTo(ErrorCode.STEP_REFUSED);
    assertThat(ErrorCode.STEP_REFUSED.kind().exitStatus()).isEqualTo(2);
    assertThat(fakes.ran).containsExactly("fail 2 9");
    String slow = TEXT + "  - {id: e, run: fail -1 9, timeout: 1s}\n";
    assertThat(failed(slow)).isEqualTo(ErrorCode.STEP_TIMEOUT);
    assertThat(ErrorCode.STEP_TIMEOUT.kind().exitStatus()).isEqualTo(5);
  }

  @Test
  void aFailedRunGoesOnWithItsOwnParameters() throws IOException {
    String text = TEXT.replace("  - id: b", "  - {id: x, run: fail 1 1}\n  - id: b\n    needs: x");
    Map<String, String> parameters = Map.of("dir", dir.toString(), "word", "first");
    assertThatThrownBy(() -> runner().start("w.yaml", read(text, parameters)))
        .hasMessageContaining("step x: ended with status 1");
    assertThat(step("a").state()).isEqualTo(Records.State.DONE);
    assertThat(step("b").state()).isEqualTo(Records.State.BLOCKED);
    assertThat(step("b").reason()).isEqualTo("does not run: it needs x, which failed");
    assertThat(step("c").state()).isEqualTo(Records.State.DONE);
    resume();
    assertThat(fakes.ran)
        .extracting(line -> line.split(" ")[0])
        .containsExactly("fail", "join", "mark");
    assertThat(dir.resolve("list")).hasContent("first");
    resume();
    assertThat(fakes.ran).isEmpty();
  }

  @Test
  void inputsThatChangeAreNotMixed() throws IOException {
    String failing =
        TEXT.replace("  - id: b", "  - {id: x, run: fail 1 1}\n  - id: b\n    needs: x")
            .replace("    in: ${dir}/a\n", "    in: [\"${dir}/a\", \"${dir}/in\"]\n");
    assertThat(failed(failing)).isEqualTo(ErrorCode.STEP_FAILED);
    edit("in", "z");
    WeftException changed = catchThrowableOfType(WeftException.class, this::resume);
    assertThat(changed.code()).isEqualTo(ErrorCode.INPUT_CHANGED);
    assertThat(changed.code().kind().exitStatus()).isEqualTo(4);
    assertThat(changed).hasMessageContaining("expected the input of step b as at the start of run");
    fakes.meanwhile = () -> edit("in", "changing" + fakes.ran.size());
    assertThat(failed(TEXT)).isEqualTo(ErrorCode.INPUT_CHANGED);
    assertThat(step("a").state()).isEqualTo(Records.State.FAILED);
    assertThat(step("a").reason()).isEqualTo("an input changed while it ran");
    fakes.meanwhile = () -> {};
    run(TEXT);
    assertThat(dir.resolve("a")).hasContent("changing1");
  }

  /** Neither steps before the one that reads it, nor the steps beside it. */
  @Test
  void nothingRunsAfterAnInputHasChanged() throws IOException {
    String text = TEXT.replace("  - id: a", "  - {id: x, run: fail 1 1}\n  - id: a\n    needs: x");
    assertThat(failed(text)).isEqualTo(ErrorCode.STEP_FAILED);
    edit("in", "z");
    fakes.ran.clear();
    WeftException changed = catchThrowableOfType(WeftException.class, this::resume);
    assertThat(changed.code()).isEqualTo(ErrorCode.INPUT_CHANGED);
    assertThat(fakes.ran).isEmpty();
    edit("in", "x");
    resume();
    assertThat(dir.resolve("b")).hasContent("xx");
    edit("in", "z");
    resume();
    assertThat(fakes.ran).as("all steps are done").isEmpty();
  }

  @Test
  void conditionsDecideAndAreKept() throws IOException {
    edit("f.json", "{\"drift\": 0.3}");
    String text =
        TEXT
            + """
              - {id: e, run: 'note "${dir}/e" e', out: "${dir}/e", when: "${dir}/f.json#/drift <= 0.2"}
              - {id: f, run: 'note "${dir}/f" f', out: "${dir}/f", needs: e, when: "missing ${dir}/e"}
            """;
    run(text);
    assertThat(step("e").state()).isEqualTo(Records.State.SKIPPED);
    assertThat(step("f").state()).isEqualTo(Records.State.DONE);
    edit("f.json", "{\"drift\": 0.1}");
    run(text);
    assertThat(fakes.ran).hasSize(1);
    assertThat(step("f").state()).as("done before").isEqualTo(Records.State.DONE);
  }

  @Test
  void oneRunAtATime() throws IOException {
    try (Lease lease = Lease.take(state, "other")) {
      WeftException locked =
          catchThrowableOfType(WeftException.class, () -> runner().start("w", workflow(TEXT)));
      assertThat(locked.code()).isEqualTo(ErrorCode.WORKFLOW_LOCKED);
      assertThat(locked.code().kind().exitStatus()).isEqualTo(3);
      assertThat(locked).hasMessageContaining("found run other in process");
      lease.check();
    }
    run(TEXT);
  }

  @Test
  void aLeaseOfTheDeadIsTakenAndTheSlowNoticeIt() {
    Lease slow = Lease.take(state, "slow");
    bury(state);
    try (Lease next = Lease.take(state, "next")) {
      next.check();
      assertThatThrownBy(slow::check).hasMessageContaining("another process took the lease");
    }
    slow.close();
  }

  /** A clock that was set forward, or a process that was stopped for a while, is no death. */
  @Test
  void theLivingKeepTheirLeaseWhateverTheClockSays() {
    String past = Instant.EPOCH.toString();
    String future = Instant.now().plusSeconds(60).toString();
    try (Lease lease = Lease.take(state, "living")) {
      lease.check();
      rewrite(state, held -> held(held, held.host(), held.processStart(), past));
      assertThatThrownBy(() -> Lease.take(state, "next")).hasMessageContaining("run living");
      rewrite(state, held -> held(held, "elsewhere", held.processStart(), future));
      assertThatThrownBy(() -> Lease.take(state, "next")).hasMessageContaining("on elsewhere");
      rewrite(state, held -> held(held, "elsewhere", held.processStart(), past));
      Lease.take(state, "next").close();
    }
  }

  /** In a container whose first process collects none, the killed stay until the container ends. */
  @Test
  void theDeadHaveNoLeaseEvenIfNobodyCollectedThem() throws Exception {
    Lease killed = Lease.take(state, "killed");
    // The child of a program that waits for none.
    Process parent = new ProcessBuilder("sh", "-c", "sleep 0.2 & echo $!; exec sleep 60").start();
    try {
      long pid = Long.parseLong(parent.inputReader().readLine());
      rewrite(
          state,
          held ->
              new Lease.Held(
                  held.owner(),
                  held.host(),
                  pid,
                  processFields(pid)[19],
                  held.run(),
                  held.expires(),
                  held.released()));
      await("Z", pid);

      Lease.take(state, "next").close();
    } finally {
      parent.destroyForcibly();
      killed.close();
    }
  }

  private static String[] processFields(long pid) {
    try {
      String text = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return text.substring(text.lastIndexOf(')') + 2).split(" ");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(String processState, long pid) throws InterruptedException {
    while (!processFields(pid)[0].equals(processState)) {
      Thread.sleep(10);
    }
  }

  /** As {@link #bury}, if there is a lease. */
  static void buryAny(StateFolder state) {
    if (state.names("").stream().anyMatch(name -> name.startsWith("lease-"))) {
      bury(state);
    }
  }

  /** Makes the newest lease one of a process that is gone. */
  static void bury(StateFolder state) {
    rewrite(state, held -> held(held, held.host(), "gone", held.expires()));
  }

  private static Lease.Held held(Lease.Held held, String host, String start, String expires) {
    return new Lease.Held(
        held.owner(), host, held.process(), start, held.run(), expires, held.released());
  }

  private static void rewrite(StateFolder state, UnaryOperator<Lease.Held> change) {
    String name =
        state.names("").stream()
            .filter(n -> n.startsWith("lease-"))
            .reduce((a, b) -> b)
            .orElseThrow();
    state.write(name, change.apply(state.read(name, Lease.Held.class).orElseThrow()));
  }

  @Test
  void whatTheWorkflowDidNotMakeStays() throws IOException {
    edit("b", "mine");
    assertThat(failed(TEXT)).isEqualTo(ErrorCode.STEP_REFUSED);
    assertThat(dir.resolve("b")).hasContent("mine");
    Files.delete(dir.resolve("b"));
    Files.delete(dir.resolve("in"));
    assertThat(failed(TEXT)).isEqualTo(ErrorCode.INPUT_NOT_FOUND);
  }

  @Test
  void oldRunsAndUselessRecordsAreRemoved() throws IOException {
    run(TEXT);
    edit("in", "y");
    String last = run(TEXT);
    List<String> garbage = new Garbage(state).collect(1, false);
    assertThat(garbage).hasSize(3);
    assertThat(state.names(StateNames.RUNS)).containsExactly(last);
    run(TEXT);
    assertThat(fakes.ran).isEmpty();
  }
}
