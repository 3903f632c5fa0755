package org.weft.jobs.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the suite found.
 *
 * @param machine facts of machine, software and run, by name
 * @param bounds by number of threads
 * @param rows one for each workload
 */
public record BenchReport(
    Map<String, String> machine, Map<Integer, Bounds.Rates> bounds, List<Measured> rows) {

  /** Machine, bounds and a line for each workload. */
  public String table() {
    StringBuilder text = new StringBuilder();
    machine.forEach((name, value) -> text.append(String.format("%-8s %s%n", name, value)));
    bounds.forEach(
        (threads, rates) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "bounds   %d thread%s: triad %.1f GB/s, read %.1f GB/s, FMA %.0f GFLOP/s%n",
                    threads,
                    threads == 1 ? "" : "s",
                    rates.triad() * 1e-9,
                    rates.read() * 1e-9,
                    rates.flops() * 1e-9)));
    boolean beside = rows.stream().anyMatch(row -> !Double.isNaN(row.otherRatio()));
    String row =
        ("%-" + width(8, m -> m.workload().kernel()) + "s %-14s %-")
            + width(12, m -> m.workload().parameters())
            + "s %3s %11s %11s %9s %8s %7s %6s %6s"
            + (beside ? " %7s%n" : "%n");
    text.append(
        String.format(
            row,
            "kernel",
            "tensor",
            "",
            "thr",
            "median ms",
            "least ms",
            "Mnnz/s",
            "GFLOP/s",
            "GB/s",
            "bound",
            "x 1",
            "other x"));
    for (Measured m : rows) {
      text.append(
          String.format(
              row,
              m.workload().kernel(),
              shortened(m.tensor()),
              m.workload().parameters(),
              m.workload().threads(),
              number("%.4f", m.medianSeconds() * 1e3),
              number("%.4f", m.leastSeconds() * 1e3),
              number("%.1f", m.megaNonzerosPerSecond()),
              number("%.2f", m.gigaFlops()),
              number("%.2f", m.gigaBytes()),
              number("%.0f%%", m.boundShare() * 100),
              m.speedUp() == 0 || m.workload().threads() == 1 ? "" : number("%.2f", m.speedUp()),
              Double.isNaN(m.otherRatio()) ? "" : number("%.2f", m.otherRatio())));
    }
    return text.toString();
  }

  private int width(int least, Function<Measured, String> cell) {
    return Math.max(least, rows.stream().mapToInt(m -> cell.apply(m).length()).max().orElse(0));
  }

  /** A line of names, then one for each workload, separated by tabs. */
  public String tabSeparated() {
    StringBuilder text = new StringBuilder();
    for (Measured row : rows) {
      Map<String, @Nullable Object> columns = row.columns();
      if (text.isEmpty()) {
        text.append(String.join("\t", columns.keySet())).append('\n');
      }
      text.append(
              columns.values().stream()
                  .map(value -> value == null ? "" : value.toString())
                  .collect(Collectors.joining("\t")))
          .append('\n');
    }
    return text.toString();
  }

  /** Everything, for a JSON writer. */
  public Map<String, Object> content() {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("machine", machine);
    content.put("bounds", bounds);
    content.put("rows", rows.stream().map(Measured::columns).toList());
    return content;
  }

  static String shortened(String tensor) {
    int slash = tensor.lastIndexOf('/');
    String name = tensor.substring(slash + 1);
    return name.length() <= 14 ? name : name.substring(0, 13) + "~";
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
