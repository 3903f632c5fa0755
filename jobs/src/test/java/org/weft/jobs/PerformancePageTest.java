package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code it/PERFORMANCE.md} and its charts are what the tables in {@code it/measured} give. */
class PerformancePageTest {

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
      List<String> facts = List.of("title", "machine", "date", "versions", "command", "note");
      assertThat(table.facts()).containsKeys(facts.toArray(String[]::new));
      assertThat(table.facts().keySet()).isSubsetOf(and(facts, "axis"));
      assertThat(table.rows()).allSatisfy(row -> assertThat(row).hasSameSizeAs(table.columns()));
    }
  }

  private static List<String> and(List<String> facts, String another) {
    return Stream.concat(facts.stream(), Stream.of(another)).toList();
  }
}
