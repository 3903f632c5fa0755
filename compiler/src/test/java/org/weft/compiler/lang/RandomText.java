package org.weft.compiler.lang;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random statements by the grammar of the language, and mutations of texts. */
final class RandomText {
  private static final List<String> LABELS = List.of("i", "j", "k", "l");
  private static final List<String> TENSORS = List.of("A", "B", "C", "x", "alpha", "T_1");
  private static final List<String> ADD = List.of("+", "min", "max", "any", "or", "|");
  private static final List<String> MULTIPLY =
      List.of("*", "+", "first", "second", "pair", "and", "&", "min", "max");

  /** Characters that begin or end something, and some that no language wants. */
  private static final List<String> FRAGMENTS =
      List.of(
          "(",
          ")",
          "[",
          "]",
          "{",
          "}",
          "<",
          ">",
          ",",
          ";",
          ":",
          "?",
          "@",
          "@(",
          "=",
          "+=",
          "-=",
          "+",
          "-",
          "*",
          ".*",
          "/",
          "|",
          "&",
          "\"",
          "#",
          "\n",
          "\r\n",
          "\t",
          " ",
          ".",
          "..",
          "1e",
          "1e999",
          "9223372036854775808",
          "0x1",
          "3.",
          ".5",
          "sum(",
          "SUM(",
          "transpose(",
          "abs(",
          "min",
          "push",
          "é",
          "\u0000",
          "\uD83D\uDE00",
          "\uD800",
          "%",
          "$",
          "\\",
          "_",
          "i",
          "A[i,j]",
          "def main() {",
          "IndexLabel [i] = [?];",
          "Tensor<double> A([i, j], {CSR});",
          "print(A);",
          "var s = ",
          "comet_read(0)",
          "read(\"x.tns\")",
          "getTime()",
          "true");

  private final Random random;

  RandomText(Random random) {
    this.random = random;
  }

  /** A statement of the expression form without syntax errors. */
  String statement() {
    String mask =
        random.nextInt(6) == 0 ? "<" + pick(List.of("M", "M[i,j]")) + strategy() + ">" : "";
    return access()
        + mask
        + pick(List.of(" = ", " += ", " -= ", "="))
        + expression(4)
        + (random.nextInt(4) == 0 ? ";" : "");
  }

  private String strategy() {
    return random.nextBoolean() ? "" : ", " + pick(List.of("push", "pull", "auto"));
  }

  private String expression(int depth) {
    if (depth == 0) {
      return access();
    }
    List<Supplier<String>> forms = new ArrayList<>();
    forms.add(this::access);
    forms.add(this::access);
    forms.add(() -> pick(List.of("2", "0.5", "1e-3", "1.5E2", ".25")));
    forms.add(() -> "-" + expression(depth - 1));
    forms.add(() -> "(" + expression(depth - 1) + ")");
    forms.add(() -> "sum(" + pick(LABELS) + blank() + "," + expression(depth - 1) + ")");
    forms.add(() -> "SUM(" + expression(depth - 1) + ")");
    forms.add(() -> pick(List.of("abs", "sqrt", "exp", "log")) + "(" + expression(depth - 1) + ")");
    forms.add(
        () -> pick(List.of("min", "max")) + "(" + expression(depth - 1) + ", " + access() + ")");
    forms.add(() -> "transpose(A[i,j]" + blank() + ",{j," + blank() + "i})");
    for (String operator : List.of(" + ", " - ", "*", " .* ", " / ")) {
      forms.add(() -> expression(depth - 1) + operator + expression(depth - 1));
    }
    forms.add(
        () ->
            expression(depth - 1)
                + " @("
                + pick(ADD)
                + ","
                + blank()
                + pick(MULTIPLY)
                + ") "
                + expression(depth - 1));
    forms.add(
        () ->
            expression(depth - 1)
                + " @("
                + pick(List.of("+", "-", "*", "min", "max"))
                + ") "
                + expression(depth - 1));
    return pick(forms).get();
  }

  private String access() {
    int labels = random.nextInt(4);
    if (labels == 0) {
      return pick(TENSORS);
    }
    StringBuilder text = new StringBuilder(pick(TENSORS));
    boolean square = random.nextBoolean();
    text.append(square ? '[' : '(');
    for (int label = 0; label < labels; label++) {
      text.append(label > 0 ? "," : "").append(blank()).append(LABELS.get(label));
    }
    return text.append(square ? ']' : ')').toString();
  }

  private String blank() {
    return random.nextInt(8) == 0 ? pick(List.of(" ", "\n", "\t", " # note\n")) : "";
  }

  /** {@code text} after a few random edits. */
  String mutated(String text) {
    String result = text;
    for (int edit = random.nextInt(4); edit >= 0; edit--) {
      int from = random.nextInt(result.length() + 1);
      int to = Math.min(result.length(), from + random.nextInt(8));
      String piece = result.substring(from, to);
      String before = result.substring(0, from);
      String after = result.substring(to);
      result =
          switch (random.nextInt(7)) {
            case 0 -> before + after;
            case 1 -> before + pick(FRAGMENTS) + piece + after;
            case 2 -> before + piece + piece + after;
            case 3 -> before + (char) random.nextInt(random.nextBoolean() ? 128 : 65_536) + after;
            case 4 -> before;
            case 5 -> before + piece.repeat(1 + random.nextInt(60)) + after;
            default -> after + before + piece;
          };
    }
    return result;
  }

  /** Tokens in no order at all. */
  String soup() {
    StringBuilder text = new StringBuilder();
    for (int piece = random.nextInt(30); piece >= 0; piece--) {
      text.append(pick(FRAGMENTS)).append(random.nextBoolean() ? " " : "");
    }
    return text.toString();
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
