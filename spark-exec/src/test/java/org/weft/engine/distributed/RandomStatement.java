package org.weft.engine.distributed;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Draws statements of index notation: products, sums, semirings, element-wise monoids, functions
 * and masks over tensors of order 0 to 3, with repeated labels on both sides, and all assignments.
 * An operand's name says how it is labelled, so that each tensor has one shape.
 */
final class RandomStatement {
  private static final List<String> LABELS = List.of("i", "j", "k", "l");
  private static final List<String> SEMIRINGS =
      List.of("(+,*)", "(min,+)", "(max,*)", "(max,min)", "(+,pair)", "(any,pair)");
  private static final List<String> MONOIDS = List.of("(+)", "(*)", "(min)", "(max)");

  private final Random random;
  private final Set<String> used = new TreeSet<>();

  RandomStatement(Random random) {
    this.random = random;
  }

  String text() {
    String value = value();
    List<String> labels = new ArrayList<>(used);
    Collections.shuffle(labels, random);
    int order = Math.min(labels.size(), random.nextInt(4));
    List<String> target = new ArrayList<>(labels.subList(0, order));
    String mask = "";
    if (order > 0 && random.nextInt(6) == 0) {
      mask = " <M(" + String.join(",", target) + ")>";
    } else if (order > 0 && order < 3 && random.nextInt(8) == 0) {
      target.add(target.get(random.nextInt(order)));
    }
    String assignment = List.of("=", "=", "=", "+=", "-=").get(random.nextInt(5));
    return "Y(" + String.join(",", target) + ")" + mask + " " + assignment + " " + value;
  }

  private String value() {
    return switch (random.nextInt(8)) {
      case 0 -> access() + " @" + drawn(SEMIRINGS) + " " + access();
      case 1 -> elementwise(" @" + drawn(MONOIDS) + " ");
      case 2 -> elementwise(random.nextBoolean() ? " + " : " - ");
      case 3 -> product(2) + " + " + product(1 + random.nextInt(2));
      case 4 -> "abs(" + access() + ") * " + product(1);
      case 5 -> (2 + random.nextInt(3)) + " * " + product(1);
      default -> product(1 + random.nextInt(3));
    };
  }

  /** Two operands with the same labels, the second one maybe in another order. */
  private String elementwise(String operator) {
    List<String> labels = labels(1 + random.nextInt(3));
    List<String> other = new ArrayList<>(labels);
    Collections.shuffle(other, random);
    return access("P", labels) + operator + access("Q", other);
  }

  private String product(int factors) {
    List<String> accesses = new ArrayList<>();
    for (int f = 0; f < factors; f++) {
      accesses.add(access());
    }
    return String.join(" * ", accesses);
  }

  private String access() {
    List<String> labels = labels(1 + random.nextInt(3));
    if (labels.size() < 3 && random.nextInt(10) == 0) {
      labels.add(labels.get(0));
    }
    return access(drawn(List.of("A", "B", "C")), labels);
  }

  private String access(String name, List<String> labels) {
    used.addAll(labels);
    return name + String.join("", labels) + "(" + String.join(",", labels) + ")";
  }

  private List<String> labels(int count) {
    List<String> labels = new ArrayList<>(LABELS);
    Collections.shuffle(labels, random);
    return new ArrayList<>(labels.subList(0, count));
  }

  private String drawn(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
