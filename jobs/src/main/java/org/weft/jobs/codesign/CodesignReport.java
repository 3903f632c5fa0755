package org.weft.jobs.codesign;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.weft.storage.document.TabSeparated;
import org.weft.text.TextTable;

/**
 * What {@code weft codesign} prints and writes: designs, contractions, and what was assumed.
 *
 * @param own measured seconds of this machine's own kernel, one for each contraction; none if
 *     nothing was measured
 * @param others what the programs compute beside contractions, one line each
 * @param notes how figures were measured, one sentence each
 */
public record CodesignReport(
    List<Prediction> predictions, List<Double> own, List<String> others, List<String> notes) {
  public CodesignReport {
    predictions = List.copyOf(predictions);
    own = List.copyOf(own);
    others = List.copyOf(others);
    notes = List.copyOf(notes);
  }

  private boolean isEmulated() {
    return !own.isEmpty();
  }

  /** 10^9 operations a second of this machine's own kernel, as measured. */
  OptionalDouble ownGigaFlops(MatrixProduct product) {
    int at = predictions.get(0).products().indexOf(product);
    return isEmulated()
        ? OptionalDouble.of(product.flops() / own.get(at) * 1e-9)
        : OptionalDouble.empty();
  }

  /** A line for each design, then one for each contraction, then the assumptions. */
  public String table() {
    StringBuilder text = new StringBuilder();
    List<String> head =
        new ArrayList<>(
            List.of("design", "tile", "cycles", "GHz", "mW", "mm^2", "seconds", "GFLOP/s"));
    if (isEmulated()) {
      head.add("emulated");
    }
    head.addAll(List.of("GFLOP/s/W", "GFLOP/s/mm^2", "front"));
    TextTable table = new TextTable("<>").row(head);
    for (Prediction p : predictions) {
      Design d = p.design();
      List<String> row =
          new ArrayList<>(
              List.of(
                  d.name(),
                  d.tile(),
                  number("%.0f", d.cycles()),
                  number("%.3g", d.clock() * 1e-9),
                  d.power().isPresent() ? number("%.4g", d.power().getAsDouble() * 1e3) : "",
                  optional("%.4g", d.area()),
                  number("%.3g", p.seconds()),
                  number("%.1f", p.gigaFlops())));
      if (isEmulated()) {
        row.add(optional("%.1f", p.emulatedGigaFlops()));
      }
      row.add(optional("%.0f", p.perWatt()));
      row.add(optional("%.0f", p.perArea()));
      row.add(p.isOnFront(predictions) ? "yes" : "");
      table.row(row);
    }
    text.append(table.text());
    text.append(
        isEmulated()
            ? String.format(
                Locale.ROOT,
                "%nGFLOP/s of each contraction: predicted, and emulated (nothing is computed)%n")
            : String.format(Locale.ROOT, "%nGFLOP/s of each contraction%n"));
    text.append(contractions().text());
    if (!others.isEmpty()) {
      text.append(String.format(Locale.ROOT, "%nno dense contractions, left out%n"));
      others.forEach(line -> text.append("- ").append(line).append('\n'));
    }
    text.append(String.format(Locale.ROOT, "%nassumed%n"));
    assumptions().forEach(line -> text.append("- ").append(line).append('\n'));
    return text.toString();
  }

  private TextTable contractions() {
    List<MatrixProduct> products = predictions.get(0).products();
    boolean repeated = products.stream().anyMatch(p -> p.calls() > 1);
    List<String> head = new ArrayList<>(List.of("contraction", "M x N x K"));
    if (repeated) {
      head.add("calls");
    }
    for (Prediction p : predictions) {
      head.add(p.design().name());
      if (isEmulated()) {
        head.add("emulated");
      }
    }
    if (isEmulated()) {
      head.add("this core");
    }
    TextTable table = new TextTable("<>").row(head);
    for (MatrixProduct product : products) {
      List<String> row = new ArrayList<>(List.of(product.name(), product.shape()));
      if (repeated) {
        row.add(Long.toString(product.calls()));
      }
      for (Prediction p : predictions) {
        row.add(number("%.1f", p.gigaFlops(product)));
        if (isEmulated()) {
          row.add(optional("%.1f", p.emulatedGigaFlops(product)));
        }
      }
      if (isEmulated()) {
        row.add(optional("%.1f", ownGigaFlops(product)));
      }
      table.row(row);
    }
    return table;
  }

  /** What the figures rest on, one sentence each. */
  List<String> assumptions() {
    List<String> all = new ArrayList<>();
    all.add(
        String.format(
            Locale.ROOT,
            "the host spends %.3g ps for each operation on loops, packing and transposition,"
                + " however the labels lie; the paper gives no such number, and the usual one is"
                + " set so that its 64 x 64 design reaches the 156 GFLOP/s that it reports",
            predictions.get(0).host() * 1e12));
    all.add("host and accelerator do not overlap; a tile at an edge costs a whole one");
    all.add(
        "a tile moves both operands and the result once, in doubles; without a bandwidth, moving"
            + " costs nothing");
    all.add(
        "the paper states neither clock nor depth of its tiles: 1 GHz and a depth of the other"
            + " sides are readings of the sample file, not facts of the paper");
    all.add(
        "GFLOP/s is the geometric mean over the contractions, each counted once; seconds are of all"
            + " calls; per watt and per area count the accelerator alone, while the time includes"
            + " the host");
    all.add("front: no other design is as good in speed, per watt and per area, and better in one");
    all.addAll(notes);
    for (Prediction p : predictions) {
      p.emulatedHost()
          .ifPresent(
              host ->
                  all.add(
                      String.format(
                          Locale.ROOT,
                          "%s: the host here spent %.3g ps for each operation as measured,"
                              + " geometric mean",
                          p.design().name(),
                          host * 1e12)));
    }
    return all;
  }

  /** A line of names, then one for each design and contraction. */
  public String tabSeparated() {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Prediction p : predictions) {
      for (MatrixProduct c : p.products()) {
        rows.add(columns(p, c));
      }
    }
    return TabSeparated.of(rows);
  }

  private Map<String, Object> columns(Prediction p, MatrixProduct c) {
    Design d = p.design();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("design", d.name());
    row.put("m", d.m());
    row.put("n", d.n());
    row.put("k", d.k());
    row.put("cycles", d.cycles());
    row.put("clock_hz", d.clock());
    row.put("power_watts", cell(d.power()));
    row.put("area_mm2", cell(d.area()));
    row.put("contraction", c.name());
    row.put("M", c.m());
    row.put("N", c.n());
    row.put("K", c.k());
    row.put("batch", c.batch());
    row.put("calls", c.calls());
    row.put("flops", c.flops());
    row.put("seconds", p.seconds(c));
    row.put("gflops_per_second", p.gigaFlops(c));
    row.put("gflops_per_watt", ratio(p.gigaFlops(c), d.power()));
    row.put("gflops_per_mm2", ratio(p.gigaFlops(c), d.area()));
    row.put("front", p.isOnFront(predictions) ? "yes" : "no");
    row.put("emulated_seconds", cell(p.emulatedSeconds(c)));
    row.put("emulated_gflops_per_second", cell(p.emulatedGigaFlops(c)));
    row.put("own_gflops_per_second", cell(ownGigaFlops(c)));
    return row;
  }

  private static String cell(OptionalDouble value) {
    return value.isPresent() ? String.valueOf(value.getAsDouble()) : "";
  }

  private static String ratio(double speed, OptionalDouble unit) {
    return unit.isPresent() ? String.valueOf(speed / unit.getAsDouble()) : "";
  }

  private static String optional(String format, OptionalDouble value) {
    return value.isPresent() ? number(format, value.getAsDouble()) : "";
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
