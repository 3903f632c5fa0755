package org.weft.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.jobs.chart.Bars;

/**
 * The page of measurements, from the tables of {@code it/measured}. A table is a TSV file whose
 * first lines, {@code # key: value}, say title, machine, date, versions, command and notes, and may
 * name the axis of its chart. A table with a column {@code ratio_1} gets a bar chart. A table
 * without rows waits for its measurement and is not on the page.
 */
final class PerformancePage {
  static final Path FOLDER = Pages.ROOT.resolve("it/measured");
  static final Path PAGE = Pages.ROOT.resolve("it/PERFORMANCE.md");

  /** In the order of the page; a table that was not measured yet has no file. */
  static final List<String> TABLES =
      Stream.of(
              "jobs",
              "cluster",
              "spark",
              "methods",
              "billion",
              "mttkrp",
              "kernels",
              "scipy",
              "dense",
              "transpositions",
              "reading",
              "loading",
              "compile",
              "orders",
              "iteration")
          .filter(name -> Files.exists(FOLDER.resolve(name + ".tsv")))
          .toList();

  private static final String RATIO = "ratio_1";

  /** What a chart's axis says where its table does not. */
  private static final String AXIS = "ratio of times, one thread; to the right of 1 Weft is faster";

  private static final String HEAD =
      """
      # Performance

      The current state, from the tables in `it/measured/`. A ratio above 1 says that Weft, or the reordered tensor, is faster. `_1` and `_2` in
      the name of a column mean one thread and two threads. `bound` is the percentage of the speed that the machine's bandwidth and
      arithmetic allow. Peers are other programs in turns with Weft on the same machine; the programs are not in this repository.

      This command makes the page and its charts anew:

      ```
      mvn -q -pl jobs -am test -Dtest=PerformancePageTest -Dsurefire.failIfNoSpecifiedTests=false -Dweft.test.jvm=-Dweft.golden.regenerate=true
      ```

      | tensor | shape | entries |
      | --- | --- | --- |
      | skewed3 | 12092 x 9184 x 28818 | 8.0 million, Zipf-skewed, 2.3 per fiber |
      | ratings | 5954 x 3880 x 36 | 0.8 million, like ratings of films by users and months |
      | thin3 | 165427 x 11374 x 2 | 5.1 million, Zipf-skewed, 1.0 per fiber |
      | skewed4 | 183 x 24 x 1140 x 1717 | 3.4 million, Zipf-skewed |
      """;

  private PerformancePage() {}

  /**
   * One table.
   *
   * @param facts title, machine, date, versions, command, note, axis
   */
  record Table(Map<String, String> facts, List<String> columns, List<List<String>> rows) {}

  static Table read(String name) {
    Map<String, String> facts = new LinkedHashMap<>();
    List<List<String>> lines = new ArrayList<>();
    for (String line : Pages.text(FOLDER.resolve(name + ".tsv")).split("\n")) {
      if (line.startsWith("# ")) {
        String[] fact = line.substring(2).split(": ", 2);
        facts.merge(fact[0], fact[1], (a, b) -> a + " " + b);
      } else {
        lines.add(Arrays.asList(line.split("\t", -1)));
      }
    }
    return new Table(facts, lines.get(0), lines.subList(1, lines.size()));
  }

  /** Every file of the page and what it holds. */
  static Map<Path, String> files() {
    Map<Path, String> files = new TreeMap<>();
    StringBuilder page = new StringBuilder(HEAD);
    for (String name : TABLES) {
      Table table = read(name);
      if (table.rows().isEmpty()) {
        continue;
      }
      page.append("\n## ").append(table.facts().get("title")).append("\n\n");
      page.append(table.facts().get("note")).append("\n\n");
      for (String fact : List.of("machine", "date", "versions")) {
        page.append("- ").append(fact).append(": ").append(table.facts().get(fact)).append('\n');
      }
      page.append("- command: `").append(table.facts().get("command")).append("`\n\n");
      if (table.columns().contains(RATIO)) {
        page.append("![").append(table.facts().get("title")).append("](measured/");
        page.append(name).append(".svg)\n\n");
        files.put(FOLDER.resolve(name + ".svg"), chart(table));
      }
      page.append(row(table.columns()))
          .append(row(table.columns().stream().map(c -> "---").toList()));
      table.rows().forEach(cells -> page.append(row(cells)));
    }
    files.put(PAGE, page.toString());
    return files;
  }

  private static String row(List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /** Bars of the first ratio, from 1. */
  private static String chart(Table table) {
    int ratio = table.columns().indexOf(RATIO);
    Bars bars =
        Bars.ofRatios(table.facts().getOrDefault("axis", AXIS))
            .title(table.facts().getOrDefault("title", ""), "")
            .series("faster", "slower");
    for (List<String> cells : table.rows()) {
      double value = Double.parseDouble(cells.get(ratio));
      bars.row(label(table, cells), value >= 1 ? "faster" : "slower", value, cells.get(ratio));
    }
    return bars.svg();
  }

  private static String label(Table table, List<String> cells) {
    List<String> words = new ArrayList<>();
    for (int c = 0; c < cells.size(); c++) {
      String column = table.columns().get(c);
      switch (column) {
        case "job", "kernel", "workload", "tensor" -> words.add(cells.get(c));
        case "peer" -> words.add("/ " + cells.get(c));
        case "rank", "mode" -> words.add(column + " " + cells.get(c));
        default -> {}
      }
    }
    return String.join(" ", words);
  }
}
