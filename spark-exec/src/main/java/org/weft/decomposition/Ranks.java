package org.weft.decomposition;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Ranks of a Tucker decomposition, by mode: each at least 1, and at most the product of the others,
 * beyond which the core has slices of zeros.
 */
public record Ranks(List<Integer> values) {
  public Ranks {
    values = List.copyOf(values);
    if (values.size() < 2 || values.stream().anyMatch(rank -> rank < 1)) {
      String found = values.stream().map(String::valueOf).collect(Collectors.joining(","));
      throw usage("two ranks or more, one for each mode and each at least 1", found);
    }
    for (int mode = 0; mode < values.size(); mode++) {
      long most = columns(values, mode);
      if (values.get(mode) > most) {
        String expected = "a rank of mode " + mode + " of at most " + most;
        throw usage(expected + ", the product of the other ranks", values.get(mode));
      }
    }
  }

  int order() {
    return values.size();
  }

  int of(int mode) {
    return values.get(mode);
  }

  int[] toArray() {
    return values.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The products of the tensor with the factors of all modes but one, for each mode. */
  List<RowStatement> products() {
    return IntStream.range(0, order())
        .mapToObj(mode -> RowStatement.ttmc(mode, toArray()))
        .toList();
  }

  /** The product of the ranks of the other modes, at most {@link Integer#MAX_VALUE}. */
  long columns(int mode) {
    return columns(values, mode);
  }

  private static long columns(List<Integer> values, int mode) {
    return IntStream.range(0, values.size())
        .filter(m -> m != mode)
        .mapToLong(values::get)
        .reduce(1, (a, b) -> Math.min(Integer.MAX_VALUE, a * b));
  }

  /** The products of a mode and what the user can do about their memory. */
  String about(int mode, TensorShape shape, ValueType type) {
    return String.format(
        Locale.ROOT,
        "the products for mode %d, %s of %s; give lower --ranks%s",
        mode,
        Counts.of(shape.size(mode), "row"),
        Counts.of(columns(mode), "number"),
        type == ValueType.DOUBLE ? " or --type float" : "");
  }

  /**
   * Checks that a tensor has as many modes, and none smaller than its rank.
   *
   * @throws WeftException {@code USAGE}
   */
  void check(TensorShape shape) {
    checkOrder(shape.order());
    for (int mode = 0; mode < order(); mode++) {
      if (of(mode) > shape.size(mode)) {
        String expected = "a rank of mode " + mode + " of at most " + shape.size(mode);
        throw usage(expected + ", its size", of(mode));
      }
    }
  }

  /**
   * Checks that a tensor of {@code modes} modes has a rank for each.
   *
   * @throws WeftException {@code USAGE}
   */
  public void checkOrder(int modes) {
    if (modes != order()) {
      throw usage(
          Counts.plain(modes, "rank") + " for a tensor of " + Counts.plain(modes, "mode"), order());
    }
  }

  private static WeftException usage(String expected, Object found) {
    return new WeftException(
        ErrorCode.USAGE,
        String.format(
            Locale.ROOT, "tucker: expected %s, found %s; change the ranks", expected, found));
  }
}
