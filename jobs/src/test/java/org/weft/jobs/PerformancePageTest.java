package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code it/PERFORMANCE.md} and its charts are what the tables in {@code it/measured} give. */
class PerformancePageTest {
  private static final int LONGEST_NOTE = 60;
  private static final int LONGEST_SENTENCE = 25;
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  @Test
  void thePageIsWhatTheTablesGive() throws IOException {
    for (Map.Entry<Path, String> file : PerformancePage.files().entrySet()) {
      if (Boolean.getBoolean("weft.golden.regenerate")) {
        Files.writeString(file.getKey(), file.getValue());
      }
      assertThat(Pages.text(file.getKey()))
          .as("make the page anew with -Dweft.test.jvm=-Dweft.golden.regenerate=true")
          .isEqualTo(file.getValue());
    }
  }

  @Test
  void everyTableSaysWhereItComesFrom() throws IOException {
    try (Stream<Path> tables = Files.list(PerformancePage.FOLDER)) {
      assertThat(tables.map(path -> path.getFileName().toString()).filter(n -> n.endsWith(".tsv")))
          .containsExactlyInAnyOrderElementsOf(
              PerformancePage.TABLES.stream().map(name -> name + ".tsv").toList());
    }
    for (String name : PerformancePage.TABLES) {
      PerformancePage.Table table = PerformancePage.read(name);
      List<String> facts = List.of("title", "machine", "date", "versions", "note");
      assertThat(table.facts()).containsKeys(facts.toArray(String[]::new));
      assertThat(table.facts().keySet()).isSubsetOf(and(facts, "axis", "peer", "group"));
      assertThat(table.columns())
          .contains(table.facts().getOrDefault("group", table.columns().get(0)));
      assertThat(table.commands()).isNotEmpty();
      assertThat(table.hasRatios())
          .as("%s has ratios, so it has a peer, and the other way round", name)
          .isEqualTo(!table.peers().isEmpty());
      assertThat(table.rows())
          .isNotEmpty()
          .allSatisfy(row -> assertThat(row).hasSameSizeAs(table.columns()));
    }
  }

  /** A note that is longer tells of several measurements: they belong in tables of their own. */
  @ParameterizedTest
  @MethodSource("tables")
  void aNoteIsShort(String name) {
    PerformancePage.Table table = PerformancePage.read(name);
    String note = table.facts().get("note");
    assertThat(words(note)).as("words of the note of %s", name).isLessThanOrEqualTo(LONGEST_NOTE);
    assertThat(Stream.concat(Stream.of(note.split("(?<=[.;:])\\s")), table.meanings().stream()))
        .allSatisfy(sentence -> assertThat(words(sentence)).isLessThanOrEqualTo(LONGEST_SENTENCE));
    for (String meaning : table.meanings()) {
      assertThat(CODE.matcher(meaning.split(": ", 2)[0]).results().map(code -> code.group(1)))
          .as("columns that '%s' explains", meaning)
          .isNotEmpty()
          .isSubsetOf(table.columns());
    }
  }

  static List<String> tables() {
    return PerformancePage.TABLES;
  }

  private static int words(String text) {
    return text.split("\\s+").length;
  }

  private static List<String> and(List<String> facts, String... more) {
    return Stream.concat(facts.stream(), Stream.of(more)).toList();
  }
}
