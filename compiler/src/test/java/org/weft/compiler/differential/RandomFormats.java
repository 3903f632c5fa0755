package org.weft.compiler.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Random formats: all named ones and level lists of every level format. */
final class RandomFormats {
  private static final List<String> MATRICES =
      List.of("CSR", "CSC", "DCSR", "DCSC", "CDR", "COO", "Dense");

  private final RandomGenerator random;

  RandomFormats(RandomGenerator random) {
    this.random = random;
  }

  /** A format of {@code order} modes in storage order of the modes, except for CSC and DCSC. */
  TensorFormat next(int order, ValueType type) {
    int choice = random.nextInt(10);
    if (order == 2 && choice < 4) {
      return TensorFormat.parse(MATRICES.get(random.nextInt(MATRICES.size())), 2, type);
    } else if (choice < 6 || order == 0) {
      return random.nextInt(3) == 0
          ? TensorFormat.dense(order, type)
          : TensorFormat.csf(order, type);
    } else if (choice == 6) {
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
        levels.add("S");
      } else if (singletons > 0 && below == singletons) {
        levels.add("CN");
      } else {
        levels.add(random.nextBoolean() ? "D" : "CU");
      }
    }
    return levels;
  }
}
