package org.weft.planner.tune;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.runtime.CpuFeatures;
import org.weft.tensor.TensorStorage;

/**
 * What two statements have in common for which the same variant is fast: the expression up to the
 * names of tensors and labels, the formats that are given, the sizes of operands up to a factor of
 * four, the CPU level and the number of threads.
 */
public final class ExpressionClass {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Set<String> WORDS =
      Set.of(
          "abs",
          "sqrt",
          "exp",
          "log",
          "min",
          "max",
          "sum",
          "SUM",
          "transpose",
          "push",
          "pull",
          "auto",
          "any",
          "or",
          "and",
          "first",
          "second",
          "pair");

  private final Map<String, String> names;
  private final String text;

  private ExpressionClass(Map<String, String> names, String text) {
    this.names = names;
    this.text = text;
  }

  /** The class of {@code task}. */
  public static ExpressionClass of(TuningTask task) {
    Map<String, String> names = new LinkedHashMap<>();
    Matcher matcher = NAME.matcher(task.expression());
    StringBuilder renamed = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group();
      String to =
          WORDS.contains(name) ? name : names.computeIfAbsent(name, n -> "x" + names.size());
      matcher.appendReplacement(renamed, to);
    }
    matcher.appendTail(renamed);
    List<String> parts = new ArrayList<>();
    parts.add(renamed.toString().replaceAll("\\s+", "").replace('[', '(').replace(']', ')'));
    parts.add("result " + task.resultFormat());
    for (String name : names.keySet()) {
      TensorStorage operand = task.operands().get(name);
      if (operand != null) {
        parts.add(names.get(name) + " " + describe(operand, task.fixed().contains(name)));
      }
    }
    parts.add(CpuFeatures.level());
    parts.add(task.threads() + " threads");
    return new ExpressionClass(names, String.join("; ", parts));
  }

  private static String describe(TensorStorage operand, boolean fixed) {
    StringBuilder text = new StringBuilder(operand.format().valueType().keyword());
    boolean dense = operand.format().isDense();
    text.append(fixed || dense ? " " + operand.format() : " sparse");
    for (int mode = 0; mode < operand.shape().order(); mode++) {
      text.append(mode == 0 ? " " : "x").append(sizeClass(operand.shape().size(mode)));
    }
    return text.append(", entries ").append(sizeClass(operand.storedEntries())).toString();
  }

  /** Half the binary logarithm: sizes within a factor of four of each other. */
  private static String sizeClass(long size) {
    return "4^" + (size <= 1 ? 0 : (64 - Long.numberOfLeadingZeros(size - 1)) / 2);
  }

  /** The name that all statements of the class share for a tensor or label of this one. */
  String shared(String name) {
    return names.getOrDefault(name, name);
  }

  /** This statement's name for a shared one. */
  String own(String shared) {
    return names.entrySet().stream()
        .filter(e -> e.getValue().equals(shared))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(shared);
  }

  /** A file name for the class. */
  String key() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
