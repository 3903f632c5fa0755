package org.weft.decomposition.constraint;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * What a factor of a CP model has to be like, or is charged for: the function h in {@code min 1/2
 * |X - model|^2 + h(A)}, whose proximity operators are those of Parikh and Boyd (2014, chapter 6).
 *
 * @param weight of a charge, relative to the tensor; 0 where there is none
 */
public record FactorConstraint(Kind kind, double weight) implements Serializable {

  /** Kinds, as users write them. */
  public enum Kind {
    /** No number is negative. */
    NONNEG(false),
    /** No number is negative, and a row sums to 1. */
    SIMPLEX(false),
    /** Sums of absolute values are charged: many zeros. */
    L1(true),
    /** As {@link #L1}, and no number is negative. */
    NONNEG_L1(true),
    /** Second differences of slices that follow each other are charged, squared. */
    SMOOTH(true);

    private final boolean weighted;

    Kind(boolean weighted) {
      this.weighted = weighted;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Of {@code nonneg}, {@code simplex}, {@code l1:W}, {@code nonneg-l1:W} or {@code smooth:W}.
   *
   * @throws WeftException {@code USAGE}
   */
  public static FactorConstraint parse(String text) {
    String[] parts = text.strip().split(":", 2);
    Kind kind =
        Arrays.stream(Kind.values())
            .filter(each -> each.toString().equals(parts[0]))
            .findFirst()
            .orElseThrow(() -> usage("one of " + known(), text));
    if (kind.weighted != (parts.length == 2)) {
      throw usage(kind.weighted ? kind + ":W with a weight W" : "'" + kind + "' alone", text);
    }
    double weight = 0;
    try {
      weight = kind.weighted ? Double.parseDouble(parts[1]) : 0;
    } catch (NumberFormatException e) {
      weight = Double.NaN;
    }
    if (kind.weighted && !(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
      throw usage("a weight above 0", text);
    }
    return new FactorConstraint(kind, weight);
  }

  private static String known() {
    return Arrays.stream(Kind.values())
        .map(kind -> kind + (kind.weighted ? ":W" : ""))
        .collect(Collectors.joining(", "));
  }

  private static WeftException usage(String expected, String found) {
    return new WeftException(
        ErrorCode.USAGE, "a constraint: expected " + expected + ", found '" + found + "'");
  }

  /** Whether a row can be dealt with whatever the other rows are. */
  public boolean isOfRows() {
    return kind != Kind.SMOOTH;
  }

  /** Whether columns cannot be multiplied by positive numbers: weights are in another mode then. */
  public boolean fixesScale() {
    return kind == Kind.SIMPLEX;
  }

  /** Whether it only forbids, so that a least-squares solution that is allowed is the solution. */
  public boolean isSet() {
    return weight == 0;
  }

  @Override
  public String toString() {
    return kind.weighted ? kind + ":" + weight : kind.toString();
  }
}
