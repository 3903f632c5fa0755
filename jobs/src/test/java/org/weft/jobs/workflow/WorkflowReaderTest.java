package org.weft.jobs.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

class WorkflowReaderTest {
  private static final String GOOD =
      """
      name: nightly
      parameters:
        date:
        rank: 8
      defaults:
        retries: 2
      steps:
        - id: model
          run: cpd '${date} x.tns' --rank ${rank} --output m$$
          in: ${date} x.tns
          out: m$$
          timeout: 2h
          needs: [first]
          when: exists a and b.json#/fit >= 0.5 or missing c
        - id: first
          run: [stats, "a b"]
          retries: 0
      """;

  private static WorkflowFile read(String text, Map<String, String> parameters) {
    return WorkflowReader.read(
        "w.yaml",
        text,
        parameters,
        words -> words.get(0).equals("nope") ? Optional.of("no command nope") : Optional.empty());
  }

  private static String refused(String text) {
    WeftException refused =
        catchThrowableOfType(WeftException.class, () -> read(text, Map.of("date", "d")));
    assertThat(refused).as(text).isNotNull();
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_WORKFLOW);
    return refused.getMessage();
  }

  @Test
  void stepsHaveTheirParametersAndStandInOrder() {
    WorkflowFile workflow = read(GOOD, Map.of("date", "2026-11-20"));
    assertThat(workflow.name()).isEqualTo("nightly");
    assertThat(workflow.steps()).extracting(WorkflowStep::id).containsExactly("first", "model");
    WorkflowStep model = workflow.step("model");
    assertThat(model.command())
        .containsExactly("cpd", "2026-11-20 x.tns", "--rank", "8", "--output", "m$");
    assertThat(model.inputs()).containsExactly("2026-11-20 x.tns");
    assertThat(model.retries()).isEqualTo(2);
    assertThat(model.timeout()).isEqualTo(Duration.ofHours(2));
    assertThat(model.when().orElseThrow().anyOf()).hasSize(2);
    assertThat(workflow.step("first").command()).isEqualTo(List.of("stats", "a b"));
    assertThat(workflow.step("first").retries()).isZero();
    assertThat(model.line()).isEqualTo("cpd '2026-11-20 x.tns' --rank 8 --output m$");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "name: nightly|nme: nightly|w.yaml:1:1: expected one of name, parameters, defaults, steps",
        "name: nightly|name: a b|w.yaml:1:7: expected name of letters, digits",
        "rank: 8|rank: [8]|w.yaml:4:9: expected text as the value of parameter rank",
        "retries: 2|retries: many|w.yaml:6:12: expected retries as a number from 0 to 999",
        "id: model|id: first|w.yaml:15:5: expected another id",
        "run: cpd|run: nope|w.yaml:9:10: no command nope",
        "${rank}|${rnk}|w.yaml:9:10: expected one of the parameters date, rank, step.key",
        "'${date} x.tns'|'${date} x.tns|w.yaml:9:10: expected the quote ' to be closed",
        "timeout: 2h|timeout: 2 h|w.yaml:12:14: expected timeout as a number with ms, s, m, h or d",
        "timeout: 2h|timeout: 0s|w.yaml:12:14: expected timeout above 0, or none for no limit, found",
        "out: m$$|out: other|w.yaml:11:10: expected out: a file or folder that the command names",
        "needs: [first]|needs: [frist]|w.yaml:8:5: expected steps in needs, found 'frist'; did you",
        "needs: [first]|needs: [{a: b}]|w.yaml:13:13: expected needs as text, or as a list of"
            + " texts",
        "exists a and|exists and|w.yaml:14:11: expected a test such as 'exists URI'",
        "retries: 0|scratch: tmp|w.yaml:17:14: expected scratch: a folder whose own name has",
        "retries: 0|needs: model|expected steps without a circle, found that",
        "needs: [first]|needs: [first|expected YAML:",
        "name: nightly|name: nightly\\nname: nightly|w.yaml:2:1: expected name once",
        "needs: [first]|needs: [model]|w.yaml:8:5: expected other steps in needs of 'model', found itself",
        "out: m$$|out: ''|w.yaml:11:10: expected out: a file or folder, found an empty name",
        "out: m$$|out: ${date} x.tns/|w.yaml:8:5: expected out: of step model to be no input",
      })
  void everyMistakeHasItsPlaceAndWhatIsExpected(String right, String wrong, String said) {
    assertThat(GOOD).contains(right);
    assertThat(refused(GOOD.replace(right, wrong.replace("\\n", "\n")))).contains(said);
  }

  @Test
  void allMistakesAreSaidAtOnceWithTheirLines() {
    String refused = refused(GOOD.replace("retries: 0", "retres: 0").replace("2h", "x"));
    assertThat(refused.lines())
        .containsExactly(
            "w.yaml:12:14: expected timeout as a number with ms, s, m, h or d, such as 30s, found"
                + " 'x'",
            "      timeout: x",
            "               ^",
            "w.yaml:17:5: expected one of id, run, in, uses, out, updates, scratch, needs, when,"
                + " retries, backoff, timeout in a step (did you mean retries?), found 'retres'",
            "      retres: 0",
            "      ^");
  }

  /** No mistake hides another one that has nothing to do with it. */
  @Test
  void noMistakeHidesAnother() {
    String text =
        """
        name: a b
        parameters:
          date:
          list: [1]
        defaults:
          backoff: soon
          retries: many
        steps:
          - id: one
            run: nope ${rnk} ${clumns}
            out: ''
            needs: [two, three, frist]
            when: exists or missing
          - id: two
            run: nope x
          - id: two
            run: stats ${date}
            in: [m, "${date}"]
            out: ${date}
          - id: the third
            run: top m-${list}
            updates: m-${list}
          - id: fourth
            run: top m-
            out: m-
            needs: [fifth, the third]
          - id: fifth
            run: top x
            needs: fourth
        """;
    WeftException refused =
        catchThrowableOfType(WeftException.class, () -> read(text, Map.of("day", "d")));
    assertThat(refused.getMessage().lines().filter(line -> line.startsWith("w.yaml:")).toList())
        .zipSatisfy(
            List.of(
                "1:7: expected name of letters, digits, - and _",
                "3:3: expected a value of parameter date, found none",
                "3:3: --set day: expected one of the parameters date, list",
                "4:9: expected text as the value of parameter list, found a list",
                "6:12: expected backoff as a number with ms, s, m, h or d",
                "7:12: expected retries as a number from 0 to 999, found 'many'",
                "9:5: expected steps in needs, found 'three'",
                "9:5: expected steps in needs, found 'frist'",
                "10:10: expected one of the parameters date, list, step.key, found ${rnk}",
                "10:10: expected one of the parameters date, list, step.key, found ${clumns}",
                "11:10: expected out: a file or folder, found an empty name",
                "13:11: expected a test such as 'exists URI'",
                "13:11: expected a test such as 'exists URI'",
                "15:10: no command nope",
                "16:5: expected another id, 'two' is that of a step before",
                "16:5: expected out: of step two to be no input of it, found '${date}'",
                "20:9: expected id of letters, digits, - and _",
                "23:5: expected steps without a circle, found that fourth, fifth wait"),
            (line, start) -> assertThat(line).startsWith("w.yaml:" + start));
  }

  @Test
  void parametersAreGivenAndKnown() {
    WeftException refused =
        catchThrowableOfType(
            WeftException.class, () -> read(GOOD, Map.of("dat", "x", "rank", "4")));
    assertThat(refused.getMessage())
        .contains("w.yaml:3:3: expected a value of parameter date, found none; give --set date=")
        .contains("--set dat: expected one of the parameters date, rank");
  }

  private static WorkflowFile two(String out, String in, String more) {
    return read(
        String.join(
            "\n",
            "name: two",
            "steps:",
            "  - id: last",
            "    run: top " + in,
            "    in: " + in,
            "  - id: first",
            "    run: cpd x.tns --rank 2 --output " + out,
            "    out: " + out,
            more),
        Map.of());
  }

  /** A file or folder is what it is however its name is written; so is a part of a folder. */
  @ParameterizedTest
  @CsvSource({
    "m, ./m",
    "./m, m",
    "m/, m",
    "a//m, a/./m/",
    "m, m/summary.json",
    "/d/m, /d//m/",
    "hdfs://h:9/d/m/, hdfs://h:9/d/m",
    "hdfs://h:9/m, hdfs://h:9/m/mode0.npy",
  })
  void aStepIsAfterTheStepThatMakesItsInput(String out, String in) {
    WorkflowFile workflow = two(out, in, "");
    assertThat(workflow.steps()).extracting(WorkflowStep::id).containsExactly("first", "last");
    assertThat(workflow.externalInputs()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"m, mm", "m/a, m/b", "m, n/m", "/m, m", "hdfs://h/m, hdfs://g/m"})
  void otherNamesAreOtherFiles(String out, String in) {
    WorkflowFile workflow = two(out, in, "");
    assertThat(workflow.steps()).extracting(WorkflowStep::id).containsExactly("last", "first");
    assertThat(workflow.externalInputs()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"m, m/", "m, ./m/part", "m/part, m"})
  void stepsShareNoOutput(String out, String other) {
    String third = "  - id: third\n    run: top x --json=" + other + "\n    out: " + other;
    WeftException refused = catchThrowableOfType(WeftException.class, () -> two(out, "x", third));
    assertThat(refused).hasMessageContaining("w.yaml:9:5: expected one step that makes");
    assertThat(refused).hasMessageContaining("found first and third");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? ", "[{a: "})
  void depthIsAMistakeAndNoCrash(String opening) {
    for (int depth : new int[] {100, 2_000, 50_000}) {
      assertThat(refused("name: x\nsteps:\n  " + opening.repeat(depth))).contains("w.yaml:");
    }
  }

  @Test
  void aWorkflowHasSteps() {
    WeftException refused =
        catchThrowableOfType(WeftException.class, () -> read("name: none\nsteps: []\n", Map.of()));
    assertThat(refused).hasMessageContaining("w.yaml:2:8: expected at least one step");
  }
}
