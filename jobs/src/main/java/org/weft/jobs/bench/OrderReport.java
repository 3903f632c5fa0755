package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What orders cost and give.
 *
 * @param machine facts of machine, software and run, by name
 * @param partitions of mode 0 in the metrics
 */
public record OrderReport(
    Map<String, String> machine, int partitions, List<OrderedTensor> tensors) {
  public OrderReport {
    tensors = List.copyOf(tensors);
  }

  /** Machine, then for each tensor a table of orders and one of kernels. */
  public String table() {
    StringBuilder text = new StringBuilder();
    machine.forEach((name, value) -> text.append(String.format("%-8s %s%n", name, value)));
    tensors.forEach(tensor -> text.append(table(tensor, partitions)));
    return text.toString();
  }

  /** The tables of one tensor. */
  public static String table(OrderedTensor tensor, int partitions) {
    StringBuilder text = new StringBuilder();
    line(text, "%n%s: %s, %,d entries", tensor.name(), tensor.shape(), tensor.entries());
    line(
        text,
        "%-14s %10s %9s %13s %13s %13s %11s %9s %14s",
        "order",
        "seconds",
        "Mnnz/s",
        "bandwidth",
        "maximum",
        "cache lines",
        "per block",
        "/" + partitions + " uneven",
        "rows fetched");
    for (OrderedTensor.Order order : tensor.orders()) {
      line(
          text,
          "%-14s %10.3f %9.2f %,13.1f %,13.1f %,13.1f %,11.2f %9.3f %,14d",
          order.name(),
          order.seconds(),
          tensor.entriesPerSecond(order) * 1e-6,
          order.averageBandwidth(),
          order.maximumBandwidth(),
          order.cacheLines(),
          order.entriesPerBlock(),
          order.imbalance(),
          order.rowsFetched());
    }
    line(
        text,
        "%-12s %7s %s",
        "ms (gain)",
        "threads",
        tensor.orders().stream()
            .map(order -> String.format(Locale.ROOT, "%20s", order.name()))
            .collect(Collectors.joining(" ")));
    for (OrderedTensor.Times times : tensor.times()) {
      line(
          text,
          "%-12s %7d %s",
          times.kernel(),
          times.threads(),
          tensor.orders().stream()
              .map(
                  order ->
                      String.format(
                          Locale.ROOT,
                          "%12.3f (%5.2f)",
                          times.of(order.name()) * 1e3,
                          times.gain(order.name())))
              .map(cell -> String.format("%20s", cell))
              .collect(Collectors.joining(" ")));
    }
    return text.toString();
  }

  /** A row for each tensor, kernel, number of threads and order. */
  List<Map<String, Object>> rows() {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (OrderedTensor tensor : tensors) {
      for (OrderedTensor.Times times : tensor.times()) {
        for (OrderedTensor.Order order : tensor.orders()) {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("tensor", tensor.name());
          row.put("shape", tensor.shape().toString());
          row.put("entries", tensor.entries());
          row.put("order", order.name());
          row.put("order_seconds", order.seconds());
          row.put("order_entries_per_second", tensor.entriesPerSecond(order));
          row.put("bandwidth_average", order.averageBandwidth());
          row.put("bandwidth_maximum", order.maximumBandwidth());
          row.put("cache_lines_per_window", order.cacheLines());
          row.put("entries_per_block", order.entriesPerBlock());
          row.put("partitions", partitions);
          row.put("imbalance", order.imbalance());
          row.put("rows_fetched", order.rowsFetched());
          row.put("kernel", times.kernel());
          row.put("threads", times.threads());
          row.put("clock", times.threads() == 1 ? "processor" : "elapsed");
          row.put("seconds", times.of(order.name()));
          row.put("gain", times.gain(order.name()));
          rows.add(row);
        }
      }
    }
    return rows;
  }

  /** A line of names, then {@link #rows}, separated by tabs. */
  public String tabSeparated() {
    StringBuilder text = new StringBuilder();
    for (Map<String, Object> row : rows()) {
      if (text.isEmpty()) {
        text.append(String.join("\t", row.keySet())).append('\n');
      }
      text.append(row.values().stream().map(String::valueOf).collect(Collectors.joining("\t")))
          .append('\n');
    }
    return text.toString();
  }

  /** Everything, for a JSON writer. */
  public Map<String, Object> content() {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("machine", machine);
    content.put("rows", rows());
    return content;
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
