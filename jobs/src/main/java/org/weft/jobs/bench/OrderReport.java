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
    TextTable facts = new TextTable("<");
    machine.forEach(facts::row);
    StringBuilder text = new StringBuilder(facts.text());
    tensors.forEach(tensor -> text.append(table(tensor, partitions)));
    return text.toString();
  }

  /** The tables of one tensor. */
  public static String table(OrderedTensor tensor, int partitions) {
    TextTable orders =
        new TextTable("<>")
            .row(
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
      orders.row(
          order.name(),
          number("%.3f", order.seconds()),
          number("%.2f", tensor.entriesPerSecond(order) * 1e-6),
          number("%,.1f", order.averageBandwidth()),
          number("%,.1f", order.maximumBandwidth()),
          number("%,.1f", order.cacheLines()),
          number("%,.2f", order.entriesPerBlock()),
          number("%.3f", order.imbalance()),
          String.format(Locale.ROOT, "%,d", order.rowsFetched()));
    }
    return String.format(
            Locale.ROOT,
            "%n%s: %s, %s%n",
            tensor.name(),
            tensor.shape(),
            Counts.of(tensor.entries(), "entry"))
        + orders.text()
        + times(tensor).text();
  }

  private static TextTable times(OrderedTensor tensor) {
    List<String> head = new ArrayList<>(List.of("ms (gain)", "threads"));
    tensor.orders().forEach(order -> head.add(order.name()));
    TextTable table = new TextTable("<>").row(head);
    for (OrderedTensor.Times times : tensor.times()) {
      List<String> cells =
          new ArrayList<>(List.of(times.kernel(), Integer.toString(times.threads())));
      for (OrderedTensor.Order order : tensor.orders()) {
        cells.add(
            number("%.3f", times.of(order.name()) * 1e3)
                + number(" (%5.2f)", times.gain(order.name())));
      }
      table.row(cells);
    }
    return table;
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
    return TabSeparated.of(rows());
  }

  /** Everything, for a JSON writer. */
  public Map<String, Object> content() {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("machine", machine);
    content.put("rows", rows());
    return content;
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
