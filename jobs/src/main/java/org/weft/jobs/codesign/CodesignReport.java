package org.weft.jobs.codesign;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

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
    List<List<String>> rows = new ArrayList<>();
    rows.add(head);
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
      rows.add(row);
    }
    text.append(aligned(rows));
    text.append(
        isEmulated()
            ? String.format(
                "%nGFLOP/s of each contraction: predicted, and emulated (nothing is computed)%n")
            : String.format("%nGFLOP/s of each contraction%n"));
    text.append(aligned(contractions()));
    if (!others.isEmpty()) {
      text.append(String.format("%nno dense contractions, left out%n"));
      others.forEach(line -> text.append("- ").append(line).append('\n'));
    }
    text.append(String.format("%nassumed%n"));
    assumptions().forEach(line -> text.append("- ").append(line).append('\n'));
    return text.toString();
  }

  private List<List<String>> contractions() {
    List<MatrixProduct> products = predictions.get(0).products();
    boolean repeated = products.stream().anyMatch(p -> p.calls() > 1);
    List<List<String>> rows = new ArrayList<>();
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
    rows.add(head);
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
      rows.add(row);
    }
    return rows;
  }

  /** Columns as wide as their widest cell; the first one to the left, the others to the right. */
  private static String aligned(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int at = 0; at < columns; at++) {
        widths[at] = Math.max(widths[at], row.get(at).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int at = 0; at < columns; at++) {
        String blanks = " ".repeat(widths[at] - row.get(at).length());
        line.append(at == 0 ? "" : "  ");
        line.append(at == 0 ? row.get(at) + blanks : blanks + row.get(at));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
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
    StringBuilder text = new StringBuilder();
    text.append(
        "design\tm\tn\tk\tcycles\tclock_hz\tpower_watts\tarea_mm2\tcontraction\tM\tN\tK\tbatch\t"
            + "calls\tflops\tseconds\tgflops_per_second\tgflops_per_watt\tgflops_per_mm2\tfront\t"
            + "emulated_seconds\temulated_gflops_per_second\town_gflops_per_second\n");
    for (Prediction p : predictions) {
      Design d = p.design();
      String front = p.isOnFront(predictions) ? "yes" : "no";
      for (MatrixProduct c : p.products()) {
        List<Object> cells =
            List.of(
                d.name(),
                d.m(),
                d.n(),
                d.k(),
                d.cycles(),
                d.clock(),
                cell(d.power()),
                cell(d.area()),
                c.name(),
                c.m(),
                c.n(),
                c.k(),
                c.batch(),
                c.calls(),
                c.flops(),
                p.seconds(c),
                p.gigaFlops(c),
                ratio(p.gigaFlops(c), d.power()),
                ratio(p.gigaFlops(c), d.area()),
                front,
                cell(p.emulatedSeconds(c)),
                cell(p.emulatedGigaFlops(c)),
                cell(ownGigaFlops(c)));
        text.append(String.join("\t", cells.stream().map(Object::toString).toList()));
        text.append('\n');
      }
    }
    return text.toString();
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
