package org.weft.compiler.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.NativeRuntime;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Conversions and copying statements between random formats: all named ones and level lists, in any
 * mode order, with blocks, slots and diagonals. The result has to have the arrays that packing the
 * source's entries makes, and is refused where packing refuses. Prints its seed; {@code
 * -Dweft.seed=SEED -Dweft.case=NUMBER} runs one case again, {@code -Plong} thousands.
 */
class RandomConversionTest {
  private static final int CASES = 40;
  private static final int LONG_CASES = 4_000;
  private static final List<String> NAMED_MATRICES =
      List.of(
          "Dense",
          "COO",
          "CSR",
          "CSC",
          "DCSR",
          "DCSC",
          "CSF",
          "CDR",
          "ELL",
          "DIA",
          "BCSR(2,3)",
          "CSB(3,2)",
          "ModeGeneric(1)",
          "HashMatrix");

  private final long blocks = NativeRuntime.statistics().liveBlocks();

  @AfterEach
  void nothingLeaks() {
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(blocks);
  }

  @Test
  void conversionsHaveTheArraysThatPackingMakes() {
    long seed = Long.getLong("weft.seed", 20_261_121L);
    boolean extended = Boolean.getBoolean("weft.long");
    int cases = Integer.getInteger("weft.cases", extended ? LONG_CASES : CASES);
    int only = Integer.getInteger("weft.case", -1);
    System.out.printf(Locale.ROOT, "conversions: seed %d, %d cases%n", seed, cases);
    CompilerOptions options = CompilerOptions.forThisHost().withOptimisation(extended ? 2 : 0);
    List<String> errors = new ArrayList<>();
    int refused = 0;
    try (TensorCompiler plain = TensorCompiler.create(options);
        TensorCompiler checked = TensorCompiler.create(options.withCheck(true))) {
      for (int number = Math.max(0, only); number < (only < 0 ? cases : only + 1); number++) {
        Conversion conversion = new Conversion(new Random(seed * 1_000_003 + number));
        Evaluator evaluator = new Evaluator(number % 4 == 3 ? checked : plain, 1 + number % 2);
        String error = conversion.run(evaluator);
        refused += conversion.refused ? 1 : 0;
        if (error != null) {
          errors.add("case " + number + " of seed " + seed + ": " + conversion + ": " + error);
        }
      }
    }
    System.out.printf(
        Locale.ROOT, "conversions: %d refused by packing and by conversion%n", refused);
    assertThat(errors.stream().limit(10).collect(Collectors.joining("\n"))).isEmpty();
    assertThat(refused).as("cases without a result").isLessThan(Math.max(2, cases / 5));
  }

  /** One source and the format it is converted to. */
  private static final class Conversion {
    private final Random random;
    private final TensorShape shape;
    private final TensorFormat from;
    private final TensorFormat to;
    private final List<CooBlock> entries;
    private final boolean statement;
    private boolean refused;

    Conversion(Random random) {
      this.random = random;
      statement = random.nextInt(3) == 0;
      int order = 1 + random.nextInt(8) * 3 / 7;
      long[] sizes = new long[order];
      Arrays.setAll(
          sizes, mode -> random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(order > 3 ? 4 : 7));
      shape = TensorShape.of(sizes);
      ValueType type = ValueType.values()[random.nextInt(ValueType.values().length)];
      from = format(order, type);
      to = format(order, random.nextInt(4) == 0 ? ValueType.DOUBLE : type);
      entries = List.of(entries());
    }

    private TensorFormat format(int order, ValueType type) {
      int choice = random.nextInt(6);
      if (choice < 2 && order == 2) {
        TensorFormat named =
            TensorFormat.parse(
                NAMED_MATRICES.get(random.nextInt(NAMED_MATRICES.size())), order, type);
        return random.nextInt(3) == 0 ? named.withModeOrder(1, 0) : named;
      } else if (choice < 4) {
        TensorFormat format = new RandomFormats(random).next(order, type);
        return format.withModeOrder(modes(order));
      }
      return levels(order).withValueType(type).withModeOrder(modes(order));
    }

    private int[] modes(int order) {
      List<Integer> modes = new ArrayList<>();
      for (int mode = 0; mode < order; mode++) {
        modes.add(mode);
      }
      Collections.shuffle(modes, random);
      return modes.stream().mapToInt(mode -> mode).toArray();
    }

    /** Any list of levels, some modes in blocks. */
    private TensorFormat levels(int order) {
      List<String> levels = new ArrayList<>();
      int root = random.nextInt(6);
      int first = 0;
      if (root == 0 && order > 1) {
        levels.addAll(List.of("D:slot", "D:0"));
        first = 1;
      } else if (root == 1 && order > 1) {
        levels.addAll(List.of("D:diagonal", "R:0", "O:1"));
        first = 2;
      }
      List<String> offsets = new ArrayList<>();
      for (int mode = first; mode < order; mode++) {
        if (random.nextInt(3) == 0) {
          int size = 1 + random.nextInt(3);
          levels.add(level() + ":" + mode + "/" + size);
          offsets.add(level() + ":" + mode + "%" + size);
        } else if (root == 0 && mode == order - 1 && random.nextBoolean()) {
          levels.add("S?c:" + mode);
        } else {
          levels.add((random.nextInt(24) == 0 ? "S" : level()) + ":" + mode);
        }
      }
      levels.addAll(offsets);
      String text = levels.stream().collect(Collectors.joining(", ", "{", "}"));
      return TensorFormat.parse(text, order, ValueType.DOUBLE);
    }

    private String level() {
      return List.of("D", "D", "CU", "CU", "H", "B", "CU?o").get(random.nextInt(7));
    }

    private CooBlock entries() {
      int order = shape.order();
      CooBlock.Builder block = new CooBlock.Builder(order, 16);
      double density = List.of(0.0, 0.1, 0.4, 1.0).get(random.nextInt(4));
      boolean zeros = random.nextBoolean();
      long cells = (long) shape.cells();
      for (long cell = 0; cell < cells; cell++) {
        if (random.nextDouble() < density) {
          long rest = cell;
          long[] at = new long[order];
          for (int mode = order - 1; mode >= 0; mode--) {
            at[mode] = rest % shape.size(mode);
            rest /= shape.size(mode);
          }
          block.add(at, zeros && random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(100));
        }
      }
      return block.build();
    }

    /** Null, or what is wrong. */
    String run(Evaluator evaluator) {
      MemoryScope scope = MemoryScope.root("case", MemorySource.system());
      try (scope) {
        TensorStorage source;
        try {
          source = Packing.pack(scope, shape, from, entries);
        } catch (WeftException e) {
          refused = true;
          return null;
        }
        TensorFormat narrow = to.narrowedFor(shape, source.storedEntries());
        TensorFormat target = random.nextBoolean() ? to : narrow;
        List<CooBlock> cells = List.of(statement ? copied(source) : converted(source));
        Disorder.shuffle(source, random.nextLong());
        TensorStorage wanted;
        try {
          wanted = Packing.pack(scope, shape, target, cells);
        } catch (WeftException e) {
          refused = true;
          return refusal(evaluator, scope, source, target, e);
        }
        TensorStorage found = convert(evaluator, scope, source, target);
        boolean same =
            found.format().equals(target)
                && Arrays.equals(CompilerCase.bytes(found), CompilerCase.bytes(wanted));
        return same ? null : "expected " + text(wanted) + ", found " + text(found);
      } catch (WeftException e) {
        return e.toString();
      }
    }

    /** Converts, or copies by a statement. */
    private TensorStorage convert(
        Evaluator evaluator, MemoryScope scope, TensorStorage source, TensorFormat target) {
      if (!statement) {
        return evaluator.convert(scope, source, target);
      }
      String labels = "(" + "i,j,k,l".substring(0, 2 * shape.order() - 1) + ")";
      return evaluator.evaluate(
          scope, StatementInput.of("U" + labels + " = P" + labels, Map.of("P", source), target));
    }

    private String refusal(
        Evaluator evaluator,
        MemoryScope scope,
        TensorStorage source,
        TensorFormat target,
        WeftException expected) {
      try {
        TensorStorage found = convert(evaluator, scope, source, target);
        return "expected " + expected + ", found " + text(found);
      } catch (WeftException e) {
        return e.code() == expected.code() ? null : "expected " + expected + ", found " + e;
      }
    }

    /** The entries that a conversion takes over: zeros of a full last level are none. */
    private CooBlock converted(TensorStorage source) {
      CooBlock all = Packing.unpack(source);
      String last = from.level(from.levelCount() - 1).format().symbol();
      boolean sameLevels =
          from.withWidths(to.level(0).posWidth(), to.level(0).crdWidth())
              .withValueType(to.valueType())
              .equals(to.withWidths(to.level(0).posWidth(), to.level(0).crdWidth()));
      boolean pads = last.equals("D") || last.equals("O");
      return !pads || to.isDense() || sameLevels ? all : nonzeros(source);
    }

    /** The entries that a statement copies: zeros show in a sparse result only. */
    private CooBlock copied(TensorStorage source) {
      boolean shown = from.pads() && !to.isDense() && !to.pads();
      return shown ? nonzeros(source) : Packing.unpack(source);
    }

    private CooBlock nonzeros(TensorStorage source) {
      CooBlock.Builder nonzero = new CooBlock.Builder(shape.order(), 16);
      source.forEachEntry(
          (at, value) -> {
            if (value != 0) {
              nonzero.add(at, value);
            }
          });
      return nonzero.build();
    }

    private static String text(TensorStorage storage) {
      StringBuilder text = new StringBuilder(storage.toString());
      for (int level = 0; level < storage.format().levelCount(); level++) {
        text.append(storage.hasPos(level) ? " pos " + array(storage.pos(level)) : "");
        text.append(storage.hasCrd(level) ? " crd " + array(storage.crd(level)) : "");
      }
      return text + " vals " + array(storage.vals());
    }

    private static String array(org.weft.memory.NativeArray array) {
      List<String> numbers = new ArrayList<>();
      for (long p = 0; p < Math.min(40, array.length()); p++) {
        numbers.add(Double.toString(array.getDouble(p)));
      }
      return array.length() + ":" + numbers;
    }

    @Override
    public String toString() {
      return (statement ? "U = P, " : "")
          + from
          + " "
          + from.valueType()
          + " to "
          + to
          + " "
          + to.valueType()
          + " of "
          + shape;
    }
  }
}
