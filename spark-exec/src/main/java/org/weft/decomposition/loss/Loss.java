package org.weft.decomposition.loss;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.weft.compiler.Formula;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A loss f(x, m) of an entry x for which a model has the value m (Hong, Kolda and Duersch 2020,
 * table 1). The derivative is a formula that is computed from the loss's formula.
 *
 * @param name the loss as the user wrote it
 * @param formula an expression of x and m
 * @param nonnegative whether m must not be negative; all factors are nonnegative then
 * @param data the entries for which the loss is defined
 */
public record Loss(String name, String formula, boolean nonnegative, Data data) {
  private static final Set<String> NAMES = Set.of("x", "m");

  /** A set of values that entries may have. */
  public enum Data {
    /** Any finite numbers. */
    ANY("finite numbers"),
    /** Numbers of at least 0. */
    NONNEGATIVE("numbers of at least 0"),
    /** Whole numbers of at least 0. */
    COUNTS("whole numbers of at least 0"),
    /** 0 or 1. */
    BITS("0 or 1");

    private final String text;

    Data(String text) {
      this.text = text;
    }

    /** Whether an entry may have the value {@code x}. */
    public boolean allows(double x) {
      return switch (this) {
        case ANY -> Double.isFinite(x);
        case NONNEGATIVE -> x >= 0 && x <= Double.MAX_VALUE;
        case COUNTS -> x >= 0 && x <= Double.MAX_VALUE && x == Math.rint(x);
        case BITS -> x == 0 || x == 1;
      };
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The losses that have a name. {@code P} in a formula is the number after the colon. */
  private enum Known {
    GAUSSIAN("(x - m) * (x - m)", false, Data.ANY),
    POISSON("m - x * log(m + 1e-10)", true, Data.COUNTS),
    BERNOULLI_ODDS("log(m + 1) - x * log(m + 1e-10)", true, Data.BITS),
    BERNOULLI_LOGIT("max(m, 0) + log(1 + exp(-abs(m))) - x * m", false, Data.BITS),
    GAMMA("x / (m + 1e-10) + log(m + 1e-10)", true, Data.NONNEGATIVE),
    RAYLEIGH(
        "2 * log(m + 1e-10) + 0.7853981633974483 * (x / (m + 1e-10)) * (x / (m + 1e-10))",
        true,
        Data.NONNEGATIVE),
    HUBER("min(abs(x - m), P) * (2 * abs(x - m) - min(abs(x - m), P))", false, Data.ANY),
    NEGATIVE_BINOMIAL("(P + x) * log(1 + m) - x * log(m + 1e-10)", true, Data.COUNTS),
    BETA(
        "exp(P * log(m + 1e-10)) / P - x * exp((P - 1) * log(m + 1e-10)) / (P - 1)",
        true,
        Data.NONNEGATIVE);

    private final String formula;
    private final boolean nonnegative;
    private final Data data;

    Known(String formula, boolean nonnegative, Data data) {
      this.formula = formula;
      this.nonnegative = nonnegative;
      this.data = data;
    }

    boolean hasNumber() {
      return formula.contains("P");
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Reads a name, such as {@code poisson} or {@code huber:0.5}, or an expression of x and m, such
   * as {@code (x-m)^2}.
   *
   * @param nonnegative whether m is to be at least 0 although the loss does not require it
   * @throws WeftException {@code USAGE} or {@code INVALID_EXPRESSION}
   */
  public static Loss parse(String text, boolean nonnegative) {
    String[] parts = text.strip().split(":", 2);
    for (Known known : Known.values()) {
      if (known.toString().equals(parts[0])) {
        return known(known, text, parts, nonnegative);
      }
    }
    if (text.matches("[A-Za-z-]+(:.*)?") && !NAMES.contains(text)) {
      throw usage("one of " + all() + ", or an expression such as '(x-m)^2'", text);
    }
    if (text.contains(";")) {
      throw usage("one expression without ';'", text);
    }
    Formula formula = formula(text);
    if (formula.derivative("m").equals("0")) {
      throw usage("an expression in which m is", text);
    }
    if (!formula.derivative("m").matches(".*\\bm\\b.*")) {
      throw usage("an expression that is least at some m; a line in m has no least value", text);
    }
    return new Loss(text, formula.text(), nonnegative, Data.ANY);
  }

  private static Formula formula(String text) {
    try {
      return Formula.of(text, NAMES);
    } catch (WeftException e) {
      throw new WeftException(e.code(), "--loss '" + text + "': " + e.getMessage(), e);
    }
  }

  private static Loss known(Known known, String text, String[] parts, boolean nonnegative) {
    if (known.hasNumber() != (parts.length == 2)) {
      throw usage(known.hasNumber() ? known + ":N with a number N" : "'" + known + "' alone", text);
    }
    String formula = known.formula;
    if (known.hasNumber()) {
      double number = number(parts[1]);
      boolean apart = known != Known.BETA || number != 1;
      if (!(number > 0 && number < Double.POSITIVE_INFINITY && apart)) {
        throw usage("a number above 0" + (apart ? "" : " and not 1, which is poisson"), text);
      }
      formula = formula.replaceAll("\\bP\\b", Double.toString(number));
    }
    return new Loss(text, formula, known.nonnegative || nonnegative, known.data);
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static String all() {
    return Arrays.stream(Known.values())
        .map(known -> known + (known.hasNumber() ? ":N" : ""))
        .collect(Collectors.joining(", "));
  }

  private static WeftException usage(String expected, String found) {
    return new WeftException(
        ErrorCode.USAGE, "--loss: expected " + expected + ", found '" + found + "'");
  }

  /** The derivative with respect to m, as an expression of x and m. */
  public String derivative() {
    return Formula.of(formula, NAMES).derivative("m");
  }
}
