package org.weft.compiler.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.NativeArray;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Levels that are declared unordered or non-unique, as sources and as results of conversions and
 * statements; and what a statement means by tensors that store zeros.
 */
class UnorderedConversionTest extends CompilerCase {
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final List<String> MATRICES =
      List.of(
          "{CN?o, S}",
          "{CN?o, S?o}",
          "{CN?o, S}@1,0",
          "{CN, S?o}",
          "{CU?u, S}",
          "{CU?ou, S?o}@1,0",
          "{CU?u, D}",
          "{CU?o, D}",
          "{CU?ou, D}@1,0",
          "{CU?o, CU?o}",
          "{CU?u, CU?o}@1,0",
          "{D, CU?ou}",
          "{H, CU?o}",
          "HashMatrix");
  private static final List<String> ORDER_3 =
      List.of(
          "{CU?u, CU, D}",
          "{CU?u, CU, D}@2,0,1",
          "{CU?u, CU?u, D}",
          "{CN?o, S?o, S?o}@1,2,0",
          "{D, CN?o, S}",
          "{CN?o, S, D}",
          "{CN, S, CU?o}",
          "{CU, CU?u, CU?o}@2,1,0",
          "{CU, B, D}",
          "{H, D, CU?u}");

  private final Evaluator evaluator = new Evaluator(compiler, 1);

  UnorderedConversionTest() {
    super(0);
  }

  private static List<CooBlock> entries(long[] shape, double density, double zeros) {
    Random random = new Random(11);
    CooBlock.Builder block = new CooBlock.Builder(shape.length, 16);
    long cells = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    for (long cell = 0; cell < cells; cell++) {
      if (random.nextDouble() < density) {
        long[] at = new long[shape.length];
        long rest = cell;
        for (int mode = shape.length - 1; mode >= 0; mode--) {
          at[mode] = rest % shape[mode];
          rest /= shape[mode];
        }
        block.add(at, random.nextDouble() < zeros ? 0 : 1 + random.nextInt(20));
      }
    }
    return List.of(block.build());
  }

  private static TensorFormat format(String text, int order) {
    return TensorFormat.parse(text, order, ValueType.DOUBLE);
  }

  /** Turns the entries of a list of coordinates around, where their order is free. */
  private static void reverse(TensorStorage storage) {
    TensorFormat format = storage.format();
    if (format.level(0).properties().ordered()
        || format.branchlessBelow(0) < format.levelCount() - 1) {
      return;
    }
    for (int level = 0; level < format.levelCount(); level++) {
      reverse(storage.crd(level));
    }
    NativeArray values = storage.vals();
    for (long a = 0, b = values.length() - 1; a < b; a++, b--) {
      double value = values.getDouble(a);
      values.setDouble(a, values.getDouble(b));
      values.setDouble(b, value);
    }
  }

  private static void reverse(NativeArray array) {
    for (long a = 0, b = array.length() - 1; a < b; a++, b--) {
      long value = array.getLong(a);
      array.setLong(a, array.getLong(b));
      array.setLong(b, value);
    }
  }

  /** Converts, and copies by a statement; both have the arrays that packing makes. */
  private void check(String from, String to, long[] shape, List<String> errors) {
    TensorShape sizes = TensorShape.of(shape);
    String labels = shape.length == 2 ? "(i,j)" : "(i,j,k)";
    TensorFormat source = format(from, shape.length);
    TensorFormat target = format(to, shape.length);
    for (double density : new double[] {0, 0.3, 1}) {
      List<CooBlock> entries = entries(shape, density, 0);
      try (TensorStorage packed = Packing.pack(scope, sizes, source, entries);
          TensorStorage wanted = Packing.pack(scope, sizes, target, entries)) {
        List<CooBlock> cells = List.of(present(packed));
        reverse(packed);
        try (TensorStorage found = evaluator.convert(scope, packed, target)) {
          boolean same = Arrays.equals(bytes(found), bytes(wanted));
          if (!same) {
            errors.add(from + " to " + to + " of " + sizes + ", density " + density);
          }
        }
        StatementInput copy =
            StatementInput.of("U" + labels + " = P" + labels, Map.of("P", packed), target);
        try (TensorStorage stored = Packing.pack(scope, sizes, target, cells);
            TensorStorage found = evaluator.evaluate(scope, copy)) {
          boolean same =
              target.pads()
                  ? cells(found).equals(cells(stored))
                  : Arrays.equals(bytes(found), bytes(stored));
          if (!same) {
            errors.add("U = P, " + from + " to " + to + " of " + sizes + ", density " + density);
          }
        }
      } catch (RuntimeException e) {
        errors.add(from + " to " + to + " of " + sizes + ": " + e);
      }
    }
  }

  @Test
  void matricesOfUnorderedLevels() {
    List<String> errors = new ArrayList<>();
    for (int n = 0; n < MATRICES.size(); n++) {
      String format = MATRICES.get(n);
      List<String> others = List.of("CSR", MATRICES.get((n + 3) % 14), "COO@1,0", "Dense");
      for (String other : others.subList(0, LONG ? 4 : 1)) {
        check(format, other, new long[] {7, 5}, errors);
        check(other, format, new long[] {4, 6}, errors);
      }
      check(format, "{CU, D}@1,0", new long[] {3, 3}, errors);
      check(format, "BCSR(2,3)", new long[] {0, 3}, errors);
    }
    assertThat(errors).isEmpty();
  }

  @Tag("long")
  @Test
  void tensorsOfUnorderedLevels() {
    List<String> errors = new ArrayList<>();
    for (int n = 0; n < ORDER_3.size(); n++) {
      String format = ORDER_3.get(n);
      for (String other : List.of("CSF", "COO@2,1,0", ORDER_3.get((n + 3) % 10))) {
        check(format, other, new long[] {3, 4, 3}, errors);
        check(other, format, new long[] {2, 3, 5}, errors);
      }
    }
    assertThat(errors).isEmpty();
  }

  /** An entry that is stored twice counts as the sum of both. */
  @Test
  void cellsThatAreStoredTwiceAreSummed() {
    TensorShape shape = TensorShape.of(3, 4);
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    block.add(new long[] {0, 1}, 1);
    block.add(new long[] {2, 0}, 2);
    block.add(new long[] {2, 3}, 4);
    try (TensorStorage packed =
        Packing.pack(scope, shape, format("{CN?o, S?u}", 2), List.of(block.build()))) {
      packed.crd(0).setLong(2, 0);
      packed.crd(1).setLong(2, 1);
      try (TensorStorage found = evaluator.convert(scope, packed, format("CSR", 2))) {
        assertThat(Packing.unpack(found).size()).isEqualTo(2);
        assertThat(found.vals().getDouble(0)).isEqualTo(5);
        assertThat(found.vals().getDouble(1)).isEqualTo(2);
      }
    }
  }

  private static Map<List<Long>, Double> cells(TensorStorage storage) {
    CooBlock block = present(storage);
    Map<List<Long>, Double> cells = new HashMap<>();
    for (int e = 0; e < block.size(); e++) {
      int entry = e;
      List<Long> at =
          IntStream.range(0, block.order())
              .mapToObj(mode -> block.coordinate(mode, entry))
              .toList();
      // A sum with an absent value may be 0 or -0.
      assertThat(cells.put(at, block.value(e) + 0.0)).as("twice: %s", at).isNull();
    }
    return cells;
  }

  /** The entries of a tensor as statements see them: without zeros if the format pads. */
  private static CooBlock present(TensorStorage storage) {
    CooBlock all = Packing.unpack(storage);
    return storage.format().pads()
        ? all.select(IntStream.range(0, all.size()).filter(e -> all.value(e) != 0).toArray())
        : all;
  }

  /**
   * What is stored is present, zeros too where the format does not pad, however it is converted.
   */
  @Test
  void storedZerosArePresentInStatements() {
    List<String> errors = new ArrayList<>();
    for (String from :
        List.of(
            "{H, D}",
            "{CU?o, D}@1,0",
            "{B, D}",
            "BCSR(2,2)",
            "{CU, CU}@1,0",
            "HashMatrix",
            "CSR")) {
      TensorShape shape = TensorShape.of(4, 6);
      List<CooBlock> entries = entries(new long[] {4, 6}, 0.15, 0.5);
      try (TensorStorage packed = Packing.pack(scope, shape, format(from, 2), entries);
          TensorStorage other = Packing.pack(scope, shape, format("{CU?ou, S}@1,0", 2), entries)) {
        List<CooBlock> cells = List.of(present(packed));
        for (String result : List.of("{CU, CU}@1,0", "{CN?o, S}", "HashMatrix")) {
          StatementInput sum =
              StatementInput.of(
                  "U(i,j) = P(i,j) - Q(i,j)", Map.of("P", packed, "Q", other), format(result, 2));
          CooBlock.Builder zeros = new CooBlock.Builder(2, 16);
          other.forEachEntry((at, value) -> zeros.add(at, -value));
          try (TensorStorage wanted =
                  Packing.pack(
                      scope, shape, format(result, 2), List.of(cells.get(0), zeros.build()));
              TensorStorage found = evaluator.evaluate(scope, sum)) {
            if (!cells(found).equals(cells(wanted))) {
              errors.add(from + " into " + result);
            }
          }
        }
      }
    }
    assertThat(errors).isEmpty();
  }
}
