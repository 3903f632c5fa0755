package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/** Random expressions, formats, mode orders, widths, sizes and schedules. */
final class RandomCases {
  private static final List<String> LABELS = List.of("i", "j", "k", "l");
  private final Random random;
  private final Map<String, TensorFormat> formats = new TreeMap<>();
  private List<String> order = LABELS;
  private Set<String> used = new HashSet<>();
  private ValueType type = ValueType.DOUBLE;

  RandomCases(Random random) {
    this.random = random;
  }

  KernelCase next() {
    formats.clear();
    used = new HashSet<>();
    type = random.nextInt(4) == 0 ? ValueType.FLOAT : ValueType.DOUBLE;
    order = new ArrayList<>(LABELS.subList(0, 1 + random.nextInt(4)));
    Collections.shuffle(order, random);
    String value = expression(1 + random.nextInt(4), 2);
    List<String> result = subset(random.nextInt(8) == 0 ? order : List.copyOf(used));
    String target = access("Y", result);
    boolean accumulate = formats.get("Y").isInsertable() && random.nextInt(6) == 0;
    used.addAll(result);
    Map<String, Long> sizes = new TreeMap<>();
    Set<String> constants = new HashSet<>();
    for (String label : order) {
      sizes.put(label, size());
      if (random.nextInt(3) == 0) {
        constants.add(label);
      }
    }
    Schedule schedule = random.nextBoolean() ? Schedule.parallel() : Schedule.sequential();
    return new KernelCase(
        target + (accumulate ? " += " : " = ") + value,
        new TreeMap<>(formats),
        sizes,
        constants,
        schedule);
  }

  private long size() {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> 1;
      default -> 2 + random.nextInt(5);
    };
  }

  private String expression(int operands, int depth) {
    if (operands == 1) {
      return operand(depth);
    }
    int left = 1 + random.nextInt(operands - 1);
    String a = expression(left, depth);
    String b = expression(operands - left, depth);
    return switch (random.nextInt(8)) {
      case 0, 1 -> "(" + a + " + " + b + ")";
      case 2 -> "(" + a + " - " + b + ")";
      case 3 -> depth == 2 ? "max(" + a + ", " + b + ")" : a + " .* " + b;
      default -> a + " * " + b;
    };
  }

  private String operand(int depth) {
    int choice = random.nextInt(16);
    if (choice == 0) {
      return "2.5";
    }
    String name = "T" + formats.size();
    String access = access(name, subset(order));
    return switch (choice) {
      case 1 -> "-" + access;
      case 2 -> "abs(" + access + ")";
      case 3 -> depth == 2 && random.nextInt(3) == 0 ? "exp(" + access + ")" : access;
      case 4 -> explicit(access);
      default -> access;
    };
  }

  private String explicit(String access) {
    int open = access.indexOf('(');
    if (open < 0 || random.nextBoolean()) {
      return access;
    }
    String[] labels = access.substring(open + 1, access.length() - 1).split(",");
    return "sum(" + labels[random.nextInt(labels.length)] + ", " + access + ")";
  }

  private List<String> subset(List<String> labels) {
    List<String> chosen =
        labels.stream().filter(l -> random.nextInt(3) > 0).collect(Collectors.toList());
    Collections.shuffle(chosen, random);
    return chosen;
  }

  /** A new tensor with a random format; its mode order mostly follows one order of the labels. */
  private String access(String name, List<String> labels) {
    TensorFormat format = format(labels.size());
    if (format.order() > 1) {
      List<Integer> modes = new ArrayList<>();
      for (int mode = 0; mode < labels.size(); mode++) {
        modes.add(mode);
      }
      if (random.nextInt(8) == 0) {
        Collections.shuffle(modes, random);
      } else {
        modes.sort((a, b) -> order.indexOf(labels.get(a)) - order.indexOf(labels.get(b)));
      }
      format = format.withModeOrder(modes.stream().mapToInt(m -> m).toArray());
    }
    if (random.nextInt(3) == 0) {
      Width[] widths = {Width.W8, Width.W16, Width.W32, Width.W64};
      format = format.withWidths(Width.W16, widths[random.nextInt(4)]);
    }
    formats.put(name, format);
    used.addAll(labels);
    return labels.isEmpty() ? name : name + "(" + String.join(",", labels) + ")";
  }

  private TensorFormat format(int n) {
    ValueType values = random.nextInt(10) == 0 ? ValueType.FLOAT : type;
    return switch (random.nextInt(5)) {
      case 0 -> TensorFormat.dense(n, values);
      case 1 -> TensorFormat.coo(n, values);
      case 2 -> {
        List<String> symbols = new ArrayList<>();
        for (int level = 0; level < n; level++) {
          symbols.add(random.nextBoolean() ? "D" : "CU");
        }
        yield n == 0
            ? TensorFormat.dense(0, values)
            : TensorFormat.parse("{" + String.join(", ", symbols) + "}", n, values);
      }
      default -> TensorFormat.csf(n, values);
    };
  }
}
