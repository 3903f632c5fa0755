package org.weft.compiler;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * An expression of the language in scalars, such as {@code (x - m)^2}: numbers, names, {@code + - *
 * /}, {@code abs}, {@code sqrt}, {@code exp}, {@code log}, {@code min} and {@code max}, and powers
 * with whole exponents from 1 to 9, which become products.
 */
public final class Formula {
  private static final String TARGET = "y = ";
  private static final Pattern POWER =
      Pattern.compile("(\\w[\\w.]*|(?:\\w+)?\\(P(\\d+)\\))\\s*\\^\\s*([1-9])(?![\\d.])");

  private final Syntax value;
  private final String text;

  private Formula(Syntax value, String text) {
    this.value = value;
    this.text = text;
  }

  /**
   * Reads a formula.
   *
   * @param names that may be in it
   * @throws WeftException {@code INVALID_EXPRESSION}
   */
  public static Formula of(String text, Set<String> names) {
    String plain = withoutPowers(text);
    Diagnostics diagnostics = new Diagnostics();
    Statement statement =
        Parser.statement(SourceText.expression(TARGET + plain), diagnostics).orElse(null);
    diagnostics.throwIfErrors();
    if (statement == null) {
      throw error("an expression", text);
    }
    requireScalars(statement.value(), names);
    return new Formula(statement.value(), plain);
  }

  private static void requireScalars(Syntax part, Set<String> names) {
    boolean scalar =
        part instanceof Syntax.Number
            || part instanceof Syntax.Negation
            || part instanceof Syntax.Call
            || part instanceof Syntax.Operation
            || (part instanceof Syntax.Access access
                && access.labels().isEmpty()
                && names.contains(access.tensor()));
    if (!scalar) {
      String known = names.stream().sorted().collect(Collectors.joining(", "));
      throw error(
          "numbers, " + known + ", + - * / ^ and abs, sqrt, exp, log, min, max",
          Derivative.text(part));
    }
    part.children().forEach(child -> requireScalars(child, names));
  }

  private static WeftException error(String expected, String found) {
    return new WeftException(
        ErrorCode.INVALID_EXPRESSION, "expected " + expected + ", found '" + found + "'");
  }

  /**
   * What is in parentheses is set aside, innermost first, until only whole operands have powers.
   */
  private static String withoutPowers(String text) {
    if (!text.contains("^")) {
      return text;
    }
    List<String> inside = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    List<Integer> open = new ArrayList<>();
    for (char c : text.toCharArray()) {
      if (c == '(') {
        open.add(out.length());
        out.append(c);
      } else if (c == ')' && !open.isEmpty()) {
        int from = open.remove(open.size() - 1) + 1;
        inside.add(powers(out.substring(from), inside));
        out.setLength(from);
        out.append('P').append(inside.size() - 1).append(')');
      } else {
        out.append(c);
      }
    }
    String plain = restored(powers(out.toString(), inside), inside);
    if (plain.contains("^")) {
      throw error("powers with a whole exponent from 1 to 9, such as (x-m)^2", text);
    }
    return plain;
  }

  private static String powers(String text, List<String> inside) {
    return POWER
        .matcher(text)
        .replaceAll(
            power ->
                Matcher.quoteReplacement(
                    "("
                        + String.join(
                            " * ",
                            Collections.nCopies(
                                Integer.parseInt(power.group(3)), restored(power.group(1), inside)))
                        + ")"));
  }

  private static String restored(String text, List<String> inside) {
    Pattern aside = Pattern.compile("\\(P(\\d+)\\)");
    return aside
        .matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    "(" + restored(inside.get(Integer.parseInt(found.group(1))), inside) + ")"));
  }

  /** As statements have it. */
  public String text() {
    return text;
  }

  /**
   * The derivative with respect to a name. That of {@code abs(u)} is 0 where u is 0, that of {@code
   * max} and {@code min} the mean of both where they are equal.
   */
  public String derivative(String name) {
    return Derivative.of(value, name);
  }

  @Override
  public String toString() {
    return text;
  }
}
