package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Random formats: all named ones, and level lists of every level format with modifiers. */
final class RandomFormats {
  private static final List<String> MATRICES =
      List.of("CSR", "CSC", "DCSR", "DCSC", "CDR", "COO", "Dense");
  private static final List<String> STRUCTURED =
      List.of(
          "ELL",
          "DIA",
          "BCSR(2,2)",
          "BCSR(2,3)",
          "BCSR(1,4)",
          "CSB(2,3)",
          "CSB(4,4)",
          "HashMatrix");

  private final RandomGenerator random;

  RandomFormats(RandomGenerator random) {
    this.random = random;
  }

  /** A format of {@code order} modes in storage order of the modes, except for CSC and DCSC. */
  TensorFormat next(int order, ValueType type) {
    int choice = random.nextInt(12);
    if (order == 2 && choice < 4) {
      return TensorFormat.parse(pick(MATRICES), 2, type);
    } else if (order == 2 && choice == 4) {
      return TensorFormat.parse(pick(STRUCTURED), 2, type);
    } else if (order == 1 && choice == 4) {
      return TensorFormat.parse("HashVector", 1, type);
    } else if (order > 2 && choice == 4) {
      return TensorFormat.parse(
          "ModeGeneric(" + (1 + random.nextInt(order - 1)) + ")", order, type);
    } else if (choice < 7 || order == 0) {
      return random.nextInt(3) == 0
          ? TensorFormat.dense(order, type)
          : TensorFormat.csf(order, type);
    } else if (choice == 7) {
      return TensorFormat.coo(order, type);
    }
    return TensorFormat.parse("{" + String.join(", ", levels(order)) + "}", order, type);
  }

  private List<String> levels(int order) {
    List<String> levels = new ArrayList<>();
    int singletons = order > 1 && random.nextInt(4) == 0 ? 1 + random.nextInt(order - 1) : 0;
    for (int level = 0; level < order; level++) {
      int below = order - 1 - level;
      if (below < singletons) {
        levels.add(random.nextInt(6) == 0 ? "S?o" : "S");
      } else if (singletons > 0 && below == singletons) {
        levels.add(List.of("CN", "CN", "CN", "CN?o", "CU?u").get(random.nextInt(5)));
      } else {
        levels.add(level());
      }
    }
    return levels;
  }

  private String level() {
    return switch (random.nextInt(16)) {
      case 0 -> "H";
      case 1 -> "B";
      case 2 -> "CU?o";
      case 3 -> random.nextInt(4) == 0 ? "CU?ou" : "CU?u";
      default -> random.nextBoolean() ? "D" : "CU";
    };
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
