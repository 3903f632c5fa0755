package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.spark.model.TuckerValue;

/**
 * An entry of the core of a Tucker model.
 *
 * @param columns of each mode's factor, from 0
 * @param share of the core's sum of squares
 */
public record CoreEntry(List<Integer> columns, double value, double share) {
  /** The entries of the largest magnitude, the largest first; none that are 0. */
  public static List<CoreEntry> largest(TuckerValue core, int count) {
    double squares = squares(core);
    return IntStream.range(0, core.terms())
        .boxed()
        .sorted(Comparator.comparingDouble((Integer term) -> -Math.abs(core.weight(term))))
        .limit(count)
        .filter(term -> core.weight(term) != 0)
        .map(term -> of(core, term, squares))
        .toList();
  }

  private static CoreEntry of(TuckerValue core, int term, double squares) {
    List<Integer> columns = new ArrayList<>();
    for (int mode = 0; mode < core.ranks().length; mode++) {
      columns.add(core.column(term, mode));
    }
    double value = core.weight(term);
    return new CoreEntry(columns, value, value * value / squares);
  }

  private static double squares(TuckerValue core) {
    return Arrays.stream(core.core()).map(value -> value * value).sum();
  }

  /** The share of each column of a mode in the core's sum of squares. */
  public static double[] shares(TuckerValue core, int mode) {
    double squares = squares(core);
    double[] shares = new double[core.columns(mode)];
    for (int term = 0; term < core.terms() && squares > 0; term++) {
      shares[core.column(term, mode)] += core.weight(term) * core.weight(term) / squares;
    }
    return shares;
  }

  /** Its columns and share in words. */
  String place() {
    String at = columns.stream().map(String::valueOf).collect(Collectors.joining(" x "));
    return String.format(java.util.Locale.ROOT, "%s   %.1f %%", at, 100 * share);
  }

  /** As members of JSON. */
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("columns", columns);
    members.put("value", value);
    members.put("share", share);
    return members;
  }
}
