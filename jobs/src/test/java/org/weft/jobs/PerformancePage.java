package org.weft.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.weft.jobs.chart.Bars;

/**
 * The page of measurements, from the tables of {@code it/measured}. A table is a TSV file whose
 * first lines, {@code # key: value}, say title, machine, date, versions, commands and a note. They
 * may name the axis of its chart, the peer of all rows, and what columns mean. A table with a
 * column {@code ratio_1} gets a bar chart. The page shows a long table with a chart in short: the
 * ratios of the rows that agree in the column {@code group}, and the rows that are slower.
 */
final class PerformancePage {
  static final Path FOLDER = Pages.ROOT.resolve("it/measured");
  static final Path PAGE = Pages.ROOT.resolve("it/PERFORMANCE.md");

  /** In the order of the page. */
  static final List<String> TABLES =
      List.of(
          "jobs",
          "spark",
          "cluster",
          "tucker",
          "cpapr",
          "constrained",
          "complete-als",
          "complete-ccd",
          "complete-sgd",
          "kernels",
          "mttkrp",
          "dense",
          "transpositions",
          "scipy",
          "reading",
          "loading",
          "compile",
          "billion",
          "orders",
          "iteration");

  private static final String RATIO = "ratio_1";

  /** A column of ratios; the group is the number of threads. */
  private static final Pattern A_RATIO = Pattern.compile("ratio(?:_([12]))?(?:_tuned)?");

  /** What a chart's axis says where its table does not. */
  private static final String AXIS = "ratio of times, one thread; to the right of 1 Weft is faster";

  /** Rows that are slower than the peer are named up to this number, and counted above it. */
  private static final int NAMED = 2;

  /** A table with a chart and more rows is shown in short. */
  private static final int LONGEST_TABLE = 25;

  private static final String HEAD =
      """
      # Performance

      This page says how fast Weft is, beside which programs, and how to repeat each measurement. A *ratio* is the time of the peer per the
      time of Weft: above 1, Weft is faster. The *peer* is the other program. The peer ran on the same machine and in turns with Weft. The
      peers are not in this repository.

      The first table sums up every section: the median ratio, and the least and greatest in brackets. A section without a
      peer has no ratio.

      """;

  private static final String READING =
      """

      In the sections, `_1` and `_2` in the name of a column mean one and two threads. `seconds` and `ms` are times of Weft. `bound` is the
      percentage of the speed that the machine's bandwidth and arithmetic allow. `x.tns` stands for the tensor of a row,
      `PEER` and `other.sh` for a [program that runs the peer](../conf/reference/commands/bench.md). The
      [glossary](../conf/reference/glossary.md) defines the words.

      In the sections from Tucker decomposition to completion, times are medians of three rounds, without reading and packing. In the
      sections of completion, a time is how long a program takes to reach a certain validation error. SPLATT reaches this error in 30 epochs
      with its default regularisation. `error` and `peer_error` are the least validation errors that the programs reach.

      To change the page, change a table in `it/measured/` and run this command:

      ```
      mvn -q -pl jobs -am test -Dtest=PerformancePageTest -Dsurefire.failIfNoSpecifiedTests=false -Dweft.test.jvm=-Dweft.golden.regenerate=true
      ```

      | tensor | shape | entries |
      | --- | --- | --- |
      | skewed3 | 12092 x 9184 x 28818 | 8.0 million, Zipf-skewed, 2.3 per fiber |
      | thin3 | 165427 x 11374 x 2 | 5.1 million, Zipf-skewed, 1.0 per fiber |
      | skewed4 | 183 x 24 x 1140 x 1717 | 3.4 million, Zipf-skewed |
      | long3 | 290000 x 214000 x 2500000 | 10.1 million |
      | ratings | 5954 x 3880 x 36 | 0.8 million, like ratings of films by users and months |
      | retrosheet, games4 | batters, pitchers, statistics, years | 7.0 million, statistics of baseball games |
      | zipf-0.7, zipf-1.1 | 200000 x 100000 x 50000 | 2.0 million, drawn by Zipf's law with this exponent |
      | uniform 8192, 0.67 M | 8192 x 8192 | 0.67 million; the names of other matrices also give rows and entries |
      | nell-1, nell-2, vast, uber, lbnl, half-slice | as `weft bench` has them | generated |
      """;

  private PerformancePage() {}

  /**
   * One table.
   *
   * @param facts title, machine, date, versions, note, axis, peer, group
   * @param commands that repeat the measurement
   * @param meanings what columns mean
   */
  record Table(
      Map<String, String> facts,
      List<String> commands,
      List<String> meanings,
      List<String> columns,
      List<List<String>> rows) {

    String title() {
      return facts.get("title");
    }

    /** The cells of a row in the columns of ratios; of one number of threads if it is not 0. */
    List<Double> ratios(List<String> row, int threads) {
      List<Double> ratios = new ArrayList<>();
      for (int c = 0; c < columns.size(); c++) {
        Matcher ratio = A_RATIO.matcher(columns.get(c));
        if (ratio.matches() && !row.get(c).isEmpty()) {
          int of = "1".equals(ratio.group(1)) ? 1 : 2;
          if (threads == 0 || threads == of) {
            ratios.add(Double.valueOf(row.get(c)));
          }
        }
      }
      return ratios;
    }

    boolean hasRatios() {
      return columns.stream().anyMatch(A_RATIO.asMatchPredicate());
    }

    /** The programs that Weft is beside. */
    String peers() {
      int peer = columns.indexOf("peer");
      return peer < 0
          ? facts.getOrDefault("peer", "")
          : rows.stream().map(row -> row.get(peer)).distinct().collect(Collectors.joining(", "));
    }
  }

  static Table read(String name) {
    Map<String, String> facts = new LinkedHashMap<>();
    List<String> commands = new ArrayList<>();
    List<String> meanings = new ArrayList<>();
    List<List<String>> lines = new ArrayList<>();
    for (String line : Pages.text(FOLDER.resolve(name + ".tsv")).split("\n")) {
      if (line.startsWith("# ")) {
        String[] fact = line.substring(2).split(": ", 2);
        switch (fact[0]) {
          case "command" -> commands.add(fact[1]);
          case "column" -> meanings.add(fact[1]);
          default -> facts.merge(fact[0], fact[1], (a, b) -> a + " " + b);
        }
      } else {
        lines.add(Arrays.asList(line.split("\t", -1)));
      }
    }
    return new Table(facts, commands, meanings, lines.get(0), lines.subList(1, lines.size()));
  }

  /** Every file of the page and what it holds. */
  static Map<Path, String> files() {
    Map<Path, String> files = new TreeMap<>();
    StringBuilder page = new StringBuilder(HEAD);
    List<String> heads =
        List.of("work", "beside", "one thread", "two threads or cores", "slower than the peer");
    page.append(row(heads)).append(rule(heads));
    TABLES.forEach(name -> page.append(row(summary(read(name)))));
    page.append(READING);
    for (String name : TABLES) {
      Table table = read(name);
      page.append("\n## ").append(table.title()).append("\n\n");
      page.append(table.facts().get("note")).append("\n\n");
      for (String fact : List.of("machine", "date", "versions")) {
        page.append("- ").append(fact).append(": ").append(table.facts().get(fact)).append('\n');
      }
      table.meanings().forEach(meaning -> page.append("- ").append(meaning).append('\n'));
      page.append("\n```\n");
      table.commands().forEach(command -> page.append(command).append('\n'));
      page.append("```\n\n");
      if (table.columns().contains(RATIO)) {
        page.append("![").append(table.title()).append("](measured/").append(name);
        page.append(".svg)\n\n");
        files.put(FOLDER.resolve(name + ".svg"), chart(table));
      }
      page.append(isLong(table) ? inShort(name, table) : full(table.columns(), table.rows()));
    }
    files.put(PAGE, page.toString());
    return files;
  }

  private static boolean isLong(Table table) {
    return table.columns().contains(RATIO) && table.rows().size() > LONGEST_TABLE;
  }

  /** What the chart does not say: the ratios of each group, and all figures of slower rows. */
  private static String inShort(String name, Table table) {
    StringBuilder text = new StringBuilder();
    text.append("The chart shows every row. The file [").append(name).append(".tsv](measured/");
    text.append(name).append(".tsv) has every figure.\n");
    if (table.facts().containsKey("group")) {
      text.append("\n").append(groups(table));
    }
    List<List<String>> slower = slowerRows(table);
    if (!slower.isEmpty()) {
      text.append("\nWeft is slower in these rows:\n\n").append(full(table.columns(), slower));
    }
    return text.toString();
  }

  private static String groups(Table table) {
    String column = table.facts().get("group");
    Map<String, List<List<String>>> groups =
        table.rows().stream()
            .collect(
                Collectors.groupingBy(
                    row -> row.get(table.columns().indexOf(column)),
                    LinkedHashMap::new,
                    Collectors.toList()));
    List<List<String>> rows = new ArrayList<>();
    groups.forEach(
        (group, of) ->
            rows.add(
                List.of(
                    group, String.valueOf(of.size()), spread(table, of, 1), spread(table, of, 2))));
    return full(List.of(column, "rows", RATIO, "ratio_2"), rows);
  }

  private static String full(List<String> columns, List<List<String>> rows) {
    return row(columns)
        + rule(columns)
        + rows.stream().map(PerformancePage::row).collect(Collectors.joining());
  }

  /** A table in one line. */
  private static List<String> summary(Table table) {
    String link = "[" + table.title() + "](#" + PagesTest.anchor(table.title()) + ")";
    return List.of(
        link,
        table.peers(),
        spread(table, table.rows(), 1),
        spread(table, table.rows(), 2),
        table.hasRatios() ? slower(table) : "");
  }

  /** The median ratio, and the least and the greatest one. */
  private static String spread(Table table, List<List<String>> rows, int threads) {
    List<Double> ratios =
        rows.stream().flatMap(row -> table.ratios(row, threads).stream()).sorted().toList();
    if (ratios.isEmpty()) {
      return "";
    }
    int half = ratios.size() / 2;
    double median =
        ratios.size() % 2 == 1 ? ratios.get(half) : (ratios.get(half - 1) + ratios.get(half)) / 2;
    String range = number(ratios.get(0)) + " to " + number(ratios.get(ratios.size() - 1));
    return number(median) + (ratios.size() == 1 ? "" : " (" + range + ")");
  }

  private static String number(double ratio) {
    return String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.0f", ratio);
  }

  private static String slower(Table table) {
    List<String> slower = slowerRows(table).stream().map(row -> label(table, row)).toList();
    if (slower.isEmpty()) {
      return "nowhere";
    }
    return slower.size() <= NAMED
        ? String.join(", ", slower)
        : slower.size() + " of " + table.rows().size() + " rows";
  }

  private static List<List<String>> slowerRows(Table table) {
    return table.rows().stream()
        .filter(row -> table.ratios(row, 0).stream().anyMatch(ratio -> ratio < 1))
        .toList();
  }

  private static String rule(List<String> columns) {
    return row(columns.stream().map(column -> "---").toList());
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
