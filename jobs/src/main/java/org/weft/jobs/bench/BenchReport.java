package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.storage.document.TabSeparated;
import org.weft.text.Counts;
import org.weft.text.TextTable;

/**
 * What a run of the suite found.
 *
 * @param machine facts of machine, software and run, by name
 * @param bounds by number of threads
 * @param rows one for each workload
 */
public record BenchReport(
    Map<String, String> machine, Map<Integer, Bounds.Rates> bounds, List<WorkloadFigures> rows) {

  /** Machine, bounds and a line for each workload. */
  public String table() {
    TextTable facts = new TextTable("<");
    machine.forEach(facts::row);
    bounds.forEach(
        (threads, rates) ->
            facts.row(
                "bounds",
                String.format(
                    Locale.ROOT,
                    "%s: triad %.1f GB/s, read %.1f GB/s, FMA %.0f GFLOP/s",
                    Counts.plain(threads, "thread"),
                    rates.triad() * 1e-9,
                    rates.read() * 1e-9,
                    rates.flops() * 1e-9)));
    return facts.text() + rowsTable().text();
  }

  private TextTable rowsTable() {
    boolean beside = rows.stream().anyMatch(row -> !Double.isNaN(row.otherRatio()));
    List<String> head =
        new ArrayList<>(
            List.of("kernel", "tensor", "", "thr", "median ms", "least ms", "Mnnz/s", "GFLOP/s"));
    head.addAll(List.of("GB/s", "bound", "x 1"));
    if (beside) {
      head.add("other x");
    }
    TextTable table = new TextTable("<<<>").row(head);
    for (WorkloadFigures m : rows) {
      List<String> cells =
          new ArrayList<>(
              List.of(
                  m.workload().kernel(),
                  shortened(m.tensor()),
                  m.workload().parameters(),
                  Integer.toString(m.workload().threads()),
                  number("%.4f", m.medianSeconds() * 1e3),
                  number("%.4f", m.leastSeconds() * 1e3),
                  number("%.1f", m.megaNonzerosPerSecond()),
                  number("%.2f", m.gigaFlops()),
                  number("%.2f", m.gigaBytes()),
                  number("%.0f%%", m.boundShare() * 100)));
      boolean alone = m.speedUp() == 0 || m.workload().threads() == 1;
      cells.add(alone ? "" : number("%.2f", m.speedUp()));
      if (beside) {
        cells.add(Double.isNaN(m.otherRatio()) ? "" : number("%.2f", m.otherRatio()));
      }
      table.row(cells);
    }
    return table;
  }

  /** A line of names, then one for each workload, separated by tabs. */
  public String tabSeparated() {
    return TabSeparated.of(rows.stream().map(WorkloadFigures::columns).toList());
  }

  /** Everything, for a JSON writer. */
  public Map<String, Object> content() {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("machine", machine);
    Map<String, Object> rates = new LinkedHashMap<>();
    bounds.forEach((threads, found) -> rates.put(String.valueOf(threads), found.columns()));
    content.put("bounds", rates);
    content.put("rows", rows.stream().map(WorkloadFigures::columns).toList());
    return content;
  }

  /** A tensor's name in a picture: of a file without its folder. */
  static String named(String tensor) {
    return tensor.substring(tensor.lastIndexOf('/') + 1);
  }

  private static String shortened(String tensor) {
    String name = named(tensor);
    return name.length() <= 14 ? name : name.substring(0, 13) + "~";
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
