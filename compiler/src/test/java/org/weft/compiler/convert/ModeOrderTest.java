package org.weft.compiler.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Results in random lists of levels, in every order of the modes: read in the order of the modes,
 * they have the cells that packing stores, zeros too. {@code -Dweft.seed} draws others.
 */
class ModeOrderTest extends CompilerCase {
  private static final int LISTS = Boolean.getBoolean("weft.long") ? 400 : 8;
  private static final List<String> LEVELS = List.of("D", "D", "CU", "CU", "H", "B", "CU?o");

  private final Evaluator evaluator = new Evaluator(compiler, 1);

  ModeOrderTest() {
    super(0);
  }

  @Test
  void resultsHaveTheirStoredCellsInTheOrderOfTheModes() {
    long seed = Long.getLong("weft.seed", 20261125);
    for (int list = 0; list < LISTS; list++) {
      Random random = new Random(seed * 1_000_003 + list);
      int order = 1 + random.nextInt(3);
      ValueType type = ValueType.values()[random.nextInt(4)];
      String levels =
          random
              .ints(order, 0, LEVELS.size())
              .mapToObj(LEVELS::get)
              .collect(Collectors.joining(", ", "{", "}"));
      for (List<Integer> modes : permutations(order)) {
        TensorFormat format =
            TensorFormat.parse(levels, order, type)
                .withModeOrder(modes.stream().mapToInt(m -> m).toArray());
        check(random, format, "list " + list + " of seed " + seed + ": " + format);
      }
    }
  }

  private void check(Random random, TensorFormat format, String name) {
    int order = format.order();
    long[] sizes = random.longs(order, 1, 5).toArray();
    TensorShape shape = TensorShape.of(sizes);
    List<CooBlock> entries = entries(random, sizes);
    String labels = "(" + "i,j,k".substring(0, 2 * order - 1) + ")";
    TensorFormat listed = TensorFormat.csf(order, format.valueType());
    try (MemoryScope inner = scope.child("case")) {
      TensorStorage operand = Packing.pack(inner, shape, listed, entries);
      TensorStorage result =
          evaluator.evaluate(
              inner,
              StatementInput.of("U" + labels + " = P" + labels, Map.of("P", operand), format));
      TreeMap<String, Double> packed = new TreeMap<>();
      Packing.pack(inner, shape, format, entries)
          .forEachEntry((at, value) -> packed.put(Arrays.toString(at), value));
      List<String> wanted = new ArrayList<>();
      packed.forEach((at, value) -> wanted.add(at + " " + value));
      List<String> found = new ArrayList<>();
      evaluator
          .inModeOrder(inner, result)
          .forEachEntry((at, value) -> found.add(Arrays.toString(at) + " " + value));
      assertThat(found).as(name).isEqualTo(wanted);
    }
  }

  private static List<CooBlock> entries(Random random, long[] sizes) {
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, 16);
    long cells = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    for (long cell = 0; cell < cells; cell++) {
      if (random.nextInt(4) == 0) {
        long[] at = new long[sizes.length];
        long rest = cell;
        for (int mode = sizes.length - 1; mode >= 0; mode--) {
          at[mode] = rest % sizes[mode];
          rest /= sizes[mode];
        }
        block.add(at, random.nextInt(3));
      }
    }
    return List.of(block.build());
  }

  private static List<List<Integer>> permutations(int order) {
    List<List<Integer>> all = List.of(List.of());
    for (int mode = 0; mode < order; mode++) {
      List<List<Integer>> longer = new ArrayList<>();
      for (List<Integer> some : all) {
        for (int at = 0; at <= some.size(); at++) {
          List<Integer> one = new ArrayList<>(some);
          one.add(at, mode);
          longer.add(one);
        }
      }
      all = longer;
    }
    return all;
  }
}
