package org.weft.jobs.codesign;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What {@code weft codesign} prints and writes: designs, contractions, and what was assumed. */
public record CodesignReport(List<Prediction> predictions) {
  public CodesignReport {
    predictions = List.copyOf(predictions);
  }

  /** A line for each design, then one for each contraction, then the assumptions. */
  public String table() {
    StringBuilder text = new StringBuilder();
    int name = width("design", predictions.stream().map(p -> p.design().name()).toList());
    String row = "%-" + name + "s %15s %9s %9s %9s %9s %9s %12s %12s %6s%n";
    text.append(
        String.format(
            row,
            "design",
            "tile",
            "cycles",
            "GHz",
            "mW",
            "mm^2",
            "GFLOP/s",
            "GFLOP/s/W",
            "GFLOP/s/mm^2",
            "front"));
    for (Prediction p : predictions) {
      Design d = p.design();
      text.append(
          String.format(
              row,
              d.name(),
              d.tile(),
              number("%.0f", d.cycles()),
              number("%.3g", d.clock() * 1e-9),
              d.power().isPresent() ? number("%.4g", d.power().getAsDouble() * 1e3) : "",
              optional("%.4g", d.area()),
              number("%.1f", p.gigaFlops()),
              optional("%.0f", p.perWatt()),
              optional("%.0f", p.perArea()),
              p.isOnFront(predictions) ? "yes" : ""));
    }
    text.append(String.format("%nGFLOP/s of each contraction%n"));
    contractions(text);
    text.append(String.format("%nassumed%n"));
    assumptions().forEach(line -> text.append("- ").append(line).append('\n'));
    return text.toString();
  }

  private void contractions(StringBuilder text) {
    List<MatrixProduct> products = predictions.get(0).products();
    int name = width("contraction", products.stream().map(MatrixProduct::name).toList());
    StringBuilder head = new StringBuilder();
    head.append(String.format("%-" + name + "s %24s", "contraction", "M x N x K"));
    for (Prediction p : predictions) {
      head.append(String.format(" %12s", p.design().name()));
    }
    text.append(head).append('\n');
    for (MatrixProduct product : products) {
      String shape = number("%.0f", product.m()) + " x " + number("%.0f", product.n());
      shape += " x " + number("%.0f", product.k());
      text.append(String.format("%-" + name + "s %24s", product.name(), shape));
      for (Prediction p : predictions) {
        text.append(String.format(" %12s", number("%.1f", p.gigaFlops(product))));
      }
      text.append('\n');
    }
  }

  /** What the figures rest on, one sentence each. */
  List<String> assumptions() {
    return List.of(
        String.format(
            Locale.ROOT,
            "the host spends %.3g ps for each operation on loops, packing and transposition,"
                + " however the labels lie; the paper gives no such number, and the usual one is"
                + " set so that its 64 x 64 design reaches the 156 GFLOP/s that it reports",
            predictions.get(0).host() * 1e12),
        "host and accelerator do not overlap; a tile at an edge costs a whole one",
        "a tile moves both operands and the result once, in doubles; without a bandwidth, moving"
            + " costs nothing",
        "the paper states neither clock nor depth of its tiles: 1 GHz and a depth of the other"
            + " sides are readings of the sample file, not facts of the paper",
        "GFLOP/s is the geometric mean over the contractions; per watt and per area count the"
            + " accelerator alone, while the time includes the host",
        "front: no other design is as good in speed, per watt and per area, and better in one");
  }

  /** A line of names, then one for each design and contraction. */
  public String tabSeparated() {
    StringBuilder text = new StringBuilder();
    text.append(
        "design\tm\tn\tk\tcycles\tclock_hz\tpower_watts\tarea_mm2\tcontraction\tM\tN\tK\tbatch\t"
            + "flops\tseconds\tgflops_per_second\tgflops_per_watt\tgflops_per_mm2\tfront\n");
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
                c.flops(),
                p.seconds(c),
                p.gigaFlops(c),
                ratio(p.gigaFlops(c), d.power()),
                ratio(p.gigaFlops(c), d.area()),
                front);
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

  private static int width(String head, List<String> cells) {
    return Math.max(head.length(), cells.stream().mapToInt(String::length).max().orElse(0));
  }
}
