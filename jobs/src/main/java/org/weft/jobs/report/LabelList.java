package org.weft.jobs.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/** A list of labels in a page, each with its weight as a number and as a bar. */
final class LabelList {
  private LabelList() {}

  static void add(Html html, List<Figures.Weighted> labels) {
    if (labels.isEmpty()) {
      html.add("<p>No weights.</p>");
      return;
    }
    double most = Math.abs(labels.get(0).weight());
    html.add("<ol class=\"labels\">");
    for (Figures.Weighted label : labels) {
      html.add(
          "<li><span class=\"label\" dir=\"auto\">%s</span> <span class=\"number\">%s</span><span"
              + " class=\"bar%s\" aria-hidden=\"true\"><span"
              + " style=\"width:%.0f%%\"></span></span></li>",
          Html.escape(label.label()),
          weight(label.weight()),
          label.weight() < 0 ? " below" : "",
          most == 0 ? 0 : 100 * Math.abs(label.weight()) / most);
    }
    html.add("</ol>");
  }

  /** A share of a whole; a small one keeps two digits: {@code 12.3 %}, {@code 0.42 %}. */
  static String percent(double share) {
    BigDecimal percent = BigDecimal.valueOf(100 * share);
    BigDecimal tenths = percent.setScale(1, RoundingMode.HALF_EVEN);
    boolean isSmall = Math.abs(share) < 1e-2 && Math.abs(share) >= 1e-8;
    return (isSmall ? percent.round(new MathContext(2)) : tenths).toPlainString() + " %";
  }

  /** A weight in few digits. */
  static String weight(double weight) {
    double size = Math.abs(weight);
    return size != 0 && (size < 1e-3 || size >= 1e5)
        ? String.format(Locale.ROOT, "%.2e", weight)
        : String.format(Locale.ROOT, size >= 100 ? "%.1f" : "%.3f", weight);
  }
}
