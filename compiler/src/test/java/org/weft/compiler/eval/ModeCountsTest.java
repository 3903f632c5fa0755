package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class ModeCountsTest {
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final Random random = new Random(3);

  @AfterEach
  void close() {
    scope.close();
  }

  private TensorStorage tensor(String format, Set<List<Long>> entries, long... sizes) {
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, 16);
    entries.forEach(at -> block.add(at.stream().mapToLong(c -> c).toArray(), 1));
    TensorFormat stored = TensorFormat.parse(format, sizes.length, ValueType.DOUBLE);
    return Packing.pack(scope, TensorShape.of(sizes), stored, List.of(block.build()));
  }

  /** Coordinates of which those of each mode are drawn by a function of the mode. */
  private Set<List<Long>> entries(int count, int order, IntToLongFunction draw) {
    Set<List<Long>> entries = new HashSet<>();
    for (int n = 0; n < count; n++) {
      List<Long> at = new ArrayList<>();
      for (int mode = 0; mode < order; mode++) {
        at.add(draw.applyAsLong(mode));
      }
      entries.add(at);
    }
    return entries;
  }

  private static double distinct(Set<List<Long>> entries, int... modes) {
    Set<List<Long>> seen = new HashSet<>();
    for (List<Long> at : entries) {
      List<Long> part = new ArrayList<>();
      for (int mode : modes) {
        part.add(at.get(mode));
      }
      seen.add(part);
    }
    return seen.size();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CSF", "CSF@2,0,1", "COO", "{D, CU, CU}", "{D, D, CU}", "{CU, CU, D}"})
  void slicesAndSharesAreThoseOfTheEntries(String format) {
    Set<List<Long>> entries = entries(120, 3, mode -> random.nextInt(mode == 1 ? 5 : 30) * 2L);
    boolean padded = format.endsWith("D}");
    TensorStorage stored = tensor(format, entries, 60, 60, 60);
    ModeCounts counts = ModeCounts.of(stored).orElseThrow();
    for (int mode = 0; mode < 3; mode++) {
      if (padded && mode == 2) {
        assertThat(counts.mode(mode).distinct()).isEqualTo(60);
        continue;
      }
      ModeCounts.Mode found = counts.mode(mode);
      assertThat(found.distinct()).isEqualTo(distinct(entries, mode));
      for (int at = 0; at < found.coordinates().length && !padded; at++) {
        long coordinate = found.coordinates()[at];
        int wanted = mode;
        double share =
            entries.stream().filter(e -> e.get(wanted) == coordinate).count()
                / (double) entries.size();
        assertThat(found.shares()[at]).isCloseTo(share, within(1e-12));
      }
    }
  }

  @Test
  void fibersOfTheOutermostLevelsAreExact() {
    // Every i has one j: pairs are as few as slices, which no guess from the sizes would say.
    Set<List<Long>> entries = new HashSet<>();
    for (int n = 0; n < 400; n++) {
      long i = random.nextInt(20);
      entries.add(List.of(i, (i * 7) % 20, (long) random.nextInt(50)));
    }
    ModeCounts counts = ModeCounts.of(tensor("CSF", entries, 20, 20, 50)).orElseThrow();
    assertThat(counts.fibers(Set.of(0, 1), entries.size())).isEqualTo(distinct(entries, 0, 1));
    assertThat(counts.fibers(Set.of(1, 2), entries.size())).isGreaterThan(250);
  }

  @Test
  void largeLevelsAreSampled() {
    int count = ModeCounts.MOST_VISITED * 2;
    CooBlock.Builder block = new CooBlock.Builder(2, count);
    for (int n = 0; n < count; n++) {
      block.add(new long[] {n % 1000 * 1_000_003L, n / 1000 % 512}, 1);
    }
    TensorStorage stored =
        Packing.pack(
            scope,
            TensorShape.of(2_000_000_000L, 1024),
            TensorFormat.parse("COO", 2, ValueType.DOUBLE),
            List.of(block.build()));
    ModeCounts counts = ModeCounts.of(stored).orElseThrow();
    assertThat(counts.mode(0).distinct()).isBetween(900.0, 1100.0);
    assertThat(counts.mode(1).distinct()).isBetween(460.0, 564.0);
  }

  @Test
  void nothingIsCountedOfEmptyTensorsAndBlocks() {
    assertThat(ModeCounts.of(tensor("CSR", Set.of(), 4, 4))).isEmpty();
    assertThat(ModeCounts.of(tensor("BCSR(2,2)", Set.of(List.of(1L, 1L)), 4, 4))).isEmpty();
  }

  private final Map<String, TensorStorage> operands = new LinkedHashMap<>();
  private final List<TensorExpr.Access> factors = new ArrayList<>();
  private final Map<String, Long> sizes = new HashMap<>();

  private void factor(String name, String labels, Set<List<Long>> entries, long... extents) {
    TensorStorage stored = tensor("CSF", entries, extents);
    operands.put(name, stored);
    List<IndexVar> variables =
        labels.chars().mapToObj(c -> new IndexVar(Character.toString(c))).toList();
    for (int mode = 0; mode < extents.length; mode++) {
      sizes.put(variables.get(mode).name(), extents[mode]);
    }
    TensorVar tensor = new TensorVar(name, stored.format(), TensorVar.Kind.OPERAND);
    SourceSpan nowhere = new SourceSpan(SourceText.expression(""), 0, 0);
    factors.add(new TensorExpr.Access(factors.size(), tensor, variables, nowhere));
  }

  private ContractionTree tree(boolean counted, String result) {
    Map<String, Double> entries = new HashMap<>();
    operands.forEach((name, storage) -> entries.put(name, (double) storage.storedEntries()));
    Map<String, Optional<ModeCounts>> counts = new HashMap<>();
    operands.forEach((name, storage) -> counts.put(name, ModeCounts.of(storage)));
    Estimates estimates =
        counted
            ? new Estimates(LabelSizes.of(sizes), entries, counts::get)
            : new Estimates(LabelSizes.of(sizes), entries);
    Set<IndexVar> kept = new HashSet<>();
    result.chars().forEach(c -> kept.add(new IndexVar(Character.toString(c))));
    return new ContractionTree(factors, kept, estimates, false, Double.POSITIVE_INFINITY);
  }

  private static Map<Long, List<Long>> rows(Set<List<Long>> matrix) {
    Map<Long, List<Long>> rows = new HashMap<>();
    matrix.forEach(at -> rows.computeIfAbsent(at.get(0), r -> new ArrayList<>()).add(at.get(1)));
    return rows;
  }

  /** How many products multiplying two matrices takes. */
  private static double products(Set<List<Long>> a, Set<List<Long>> b) {
    Map<Long, List<Long>> rows = rows(b);
    return a.stream().mapToDouble(at -> rows.getOrDefault(at.get(1), List.of()).size()).sum();
  }

  private static Set<List<Long>> multiplied(Set<List<Long>> a, Set<List<Long>> b) {
    Map<Long, List<Long>> rows = rows(b);
    Set<List<Long>> made = new HashSet<>();
    for (List<Long> at : a) {
      rows.getOrDefault(at.get(1), List.of()).forEach(k -> made.add(List.of(at.get(0), k)));
    }
    return made;
  }

  /** Counted products of both orders of a chain of three matrices. */
  private static double[] work(Set<List<Long>> a, Set<List<Long>> b, Set<List<Long>> c) {
    return new double[] {
      products(a, b) + products(multiplied(a, b), c), products(b, c) + products(a, multiplied(b, c))
    };
  }

  private void requireOrder(
      Set<List<Long>> a, Set<List<Long>> b, Set<List<Long>> c, String even, String counted) {
    factor("A", "ij", a, 4000, 4000);
    factor("B", "jk", b, 4000, 4000);
    factor("C", "kl", c, 4000, 4000);
    ContractionTree guess = tree(false, "il");
    assertThat(guess.text(guess.best().orElseThrow())).isEqualTo(even);
    ContractionTree known = tree(true, "il");
    assertThat(known.text(known.best().orElseThrow())).isEqualTo(counted);
    double[] work = work(a, b, c);
    boolean left = counted.startsWith("((");
    assertThat(left ? work[0] : work[1]).isLessThan((left ? work[1] : work[0]) / 2);
  }

  /** Entries of A and B in few slices of j meet often; B and C, a bit denser, seldom do. */
  @Test
  void hyperSparseOperandsThatShareTheirSlicesAreMultipliedLate() {
    LongPredicate used = c -> c % 400 == 0;
    Set<List<Long>> a = entries(900, 2, mode -> mode == 1 ? few(used) : random.nextInt(4000));
    Set<List<Long>> b = entries(1000, 2, mode -> mode == 0 ? few(used) : random.nextInt(4000));
    Set<List<Long>> c = entries(1200, 2, mode -> random.nextInt(4000));
    requireOrder(a, b, c, "((A * B) * C)", "(A * (B * C))");
  }

  private long few(LongPredicate used) {
    long coordinate = random.nextInt(4000);
    while (!used.test(coordinate)) {
      coordinate = random.nextInt(4000);
    }
    return coordinate;
  }

  /** A and B have the same heavy slices: their product is large though both have few entries. */
  @Test
  void heavySlicesThatMeetAreSeen() {
    Set<List<Long>> a = entries(1000, 2, mode -> mode == 1 ? skewed() : random.nextInt(4000));
    Set<List<Long>> b = entries(1000, 2, mode -> mode == 0 ? skewed() : random.nextInt(4000));
    Set<List<Long>> c = entries(1500, 2, mode -> random.nextInt(4000));
    requireOrder(a, b, c, "((A * B) * C)", "(A * (B * C))");
  }

  /** Zipf's law with exponent 1, roughly. */
  private long skewed() {
    return (long) Math.floor(Math.exp(random.nextDouble() * Math.log(4000))) - 1;
  }

  /** The counts of two operands without a common slice say that nothing is left. */
  @Test
  void operandsThatNeverMeetGiveNothing() {
    Set<List<Long>> a = entries(500, 2, mode -> mode == 1 ? 2 * random.nextInt(2000) : 5);
    Set<List<Long>> b = entries(500, 2, mode -> mode == 0 ? 2 * random.nextInt(1999) + 1 : 7);
    factor("A", "ij", a, 4000, 4000);
    factor("B", "jk", b, 4000, 4000);
    factor("C", "kl", entries(20, 2, mode -> mode == 0 ? 7 : random.nextInt(4000)), 4000, 4000);
    ContractionTree known = tree(true, "il");
    assertThat(known.text(known.best().orElseThrow())).contains("(A * B)");
  }

  /** The tail of a Tucker step: which mode goes first depends on the fibers, not on the sizes. */
  @Test
  void fibersDecideWhichModeOfATensorIsContractedFirst() {
    Set<List<Long>> entries = new HashSet<>();
    for (int n = 0; n < 6000; n++) {
      long i = random.nextInt(60);
      entries.add(List.of(i, i % 4 * 10L + random.nextInt(2), (long) random.nextInt(60)));
    }
    factor("T", "ijk", entries, 60, 60, 60);
    Set<List<Long>> full = entries(4000, 2, mode -> random.nextInt(mode == 0 ? 60 : 8));
    factor("U", "jr", full, 60, 8);
    factor("V", "ks", full, 60, 8);
    ContractionTree known = tree(true, "irs");
    assertThat(known.text(known.best().orElseThrow())).isEqualTo("(U * (T * V))");
  }
}
