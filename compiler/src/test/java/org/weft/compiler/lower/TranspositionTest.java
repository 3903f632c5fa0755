package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class TranspositionTest {
  private static final long SEED = 77;
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final int CASES = LONG ? 200 : 5;
  private static final long[] SIZES = {0, 1, 2, 5, 13, 16, 17, 31, 32, 33, 48, 67, 203};

  /** Doubles of a way of the first cache, more than a tile has columns or rows. */
  private static final long A_WAY = 512;

  /** A copy of a tensor of order 2 to 5 with its labels in any order. */
  private static KernelCase random(Random random) {
    int order = 2 + random.nextInt(4);
    List<String> labels = new ArrayList<>(List.of("a", "b", "c", "d", "e").subList(0, order));
    Map<String, Long> sizes = new TreeMap<>();
    double cells = 1;
    for (String label : labels) {
      long size = cells > 4000 ? 1 + random.nextInt(3) : SIZES[random.nextInt(SIZES.length)];
      size = cells < 64 && random.nextInt(8) == 0 ? A_WAY : size;
      size = size == 0 && random.nextInt(4) > 0 ? 3 : size;
      sizes.put(label, size);
      cells *= size;
    }
    String from = "A(" + String.join(",", labels) + ")";
    Collections.shuffle(labels, random);
    ValueType type = random.nextBoolean() ? ValueType.DOUBLE : ValueType.FLOAT;
    List<Integer> modes = new ArrayList<>(IntStream.range(0, order).boxed().toList());
    Collections.shuffle(modes, random);
    TensorFormat stored = TensorFormat.dense(order, type);
    TensorFormat turned = stored.withModeOrder(modes.stream().mapToInt(mode -> mode).toArray());
    return new KernelCase(
        "B(" + String.join(",", labels) + ") = " + from,
        Map.of("A", random.nextBoolean() ? stored : turned, "B", stored),
        sizes,
        Set.of(),
        random.nextBoolean() ? Schedule.parallel() : Schedule.sequential());
  }

  @ParameterizedTest(name = "guarded {0}")
  @ValueSource(booleans = {false, true})
  void randomTranspositions(boolean guarded) {
    Random random = new Random(SEED);
    List<KernelCase> cases = IntStream.range(0, CASES).mapToObj(n -> random(random)).toList();
    CompilerOptions options = CompilerOptions.forThisHost().withCheck(guarded);
    KernelCase.checkAll(options.withOptimisation(1), cases, 2, SEED);
  }

  /** Statements and sizes of every permutation of 2 to 4 labels. */
  private static Map<String, long[]> permutations() {
    Map<String, long[]> all = new TreeMap<>();
    permute("ab", "", new long[] {37, 131}, all);
    permute("abc", "", new long[] {13, 7, 21}, all);
    permute("abcd", "", new long[] {5, 9, 3, 11}, all);
    return all;
  }

  private static void permute(String rest, String taken, long[] sizes, Map<String, long[]> into) {
    if (rest.isEmpty()) {
      into.put(statement(taken), sizes);
    }
    for (int at = 0; at < rest.length(); at++) {
      String others = rest.substring(0, at) + rest.substring(at + 1);
      permute(others, taken + rest.charAt(at), sizes, into);
    }
  }

  /** {@code B(b,a) = A(a,b)} for {@code ba}. */
  private static String statement(String labels) {
    String sorted = "abcd".substring(0, labels.length());
    return "B(" + commas(labels) + ") = A(" + commas(sorted) + ")";
  }

  private static String commas(String labels) {
    return String.join(",", labels.split(""));
  }

  @ParameterizedTest
  @EnumSource(ValueType.class)
  void everyPermutationOfOddSizes(ValueType type) {
    // Usually each permutation in one type of 4 bytes and in one of 8.
    int first = type == ValueType.DOUBLE || type == ValueType.FLOAT ? 0 : 1;
    Map<String, long[]> all = permutations();
    Map<String, long[]> taken = new TreeMap<>();
    List<String> statements = List.copyOf(all.keySet());
    for (int n = LONG ? 0 : first; n < statements.size(); n += LONG ? 1 : 2) {
      taken.put(statements.get(n), all.get(statements.get(n)));
    }
    check(taken, type);
  }

  /** Results that do not fit the caches: long rows, short ones, and some that follow each other. */
  @ParameterizedTest
  @CsvSource({
    "LONG, ba, 1789, 1801",
    "INT, ba, 7, 950001",
    "INT, ba, 950001, 7",
    "FLOAT, cba, 211, 181, 173",
    "DOUBLE, acb, 111, 177, 163",
    "DOUBLE, acb, 31, 509, 203",
    "FLOAT, acb, 13, 1021, 261",
    "DOUBLE, abdc, 97, 159, 15, 14",
    "DOUBLE, cab, 31, 211, 509",
    "INT, adcb, 211, 40, 35, 25",
    "FLOAT, dcba, 64, 49, 48, 50"
  })
  void largeResults(ArgumentsAccessor row) {
    long[] sizes = IntStream.range(2, row.size()).mapToLong(row::getLong).toArray();
    check(Map.of(statement(row.getString(1)), sizes), ValueType.valueOf(row.getString(0)));
  }

  private static void check(Map<String, long[]> statements, ValueType type) {
    List<String> names = List.copyOf(statements.keySet());
    List<KernelRequest> requests = new ArrayList<>();
    for (String expression : names) {
      TensorFormat dense = TensorFormat.dense(statements.get(expression).length, type);
      Map<String, TensorFormat> formats = Map.of("A", dense, "B", dense);
      String symbol = "k" + requests.size();
      requests.add(new KernelRequest(symbol, expression, formats, Map.of(), Schedule.parallel()));
    }
    CompilerOptions options = CompilerOptions.forThisHost().withOptimisation(1);
    try (TensorCompiler compiler = TensorCompiler.create(options)) {
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int number = 0; number < names.size(); number++) {
          Kernel kernel = Kernel.of(library, image.kernels().get(number));
          String expression = names.get(number);
          for (int shift = 0; shift < 2; shift++) {
            check(kernel, expression, statements.get(expression), type, shift);
          }
        }
      }
    }
  }

  /** Runs a kernel on arrays that begin {@code shift} values behind a line, and checks them. */
  private static void check(
      Kernel kernel, String expression, long[] sizes, ValueType type, int shift) {
    String labels = expression.substring(2, expression.indexOf(')')).replace(",", "");
    int order = sizes.length;
    long[] turned = new long[order];
    long[] strides = new long[order];
    long cells = 1;
    for (int mode = order - 1; mode >= 0; mode--) {
      int from = labels.charAt(mode) - 'a';
      turned[mode] = sizes[from];
      strides[from] = cells;
      cells *= sizes[from];
    }
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray around = scope.allocate(type.elementType(), cells + 3);
      set(around, shift, -1);
      set(around, shift + cells + 1, -1);
      long address = around.address() + (shift + 1L) * type.bytes();
      TensorStorage b = TensorStorage.denseView(scope, TensorShape.of(turned), type, address);
      TensorStorage a = TensorStorage.dense(scope, TensorShape.of(sizes), type);
      for (long cell = 0; cell < cells; cell++) {
        set(a.vals(), cell, cell + 1);
      }
      kernel.run(Map.of("A", a, "B", b), Map.of(), scope, 3);
      long[] at = new long[order];
      long to = 0;
      for (long cell = 0; cell < cells; cell++) {
        long found = get(b.vals(), to);
        if (found != cell + 1) {
          assertThat(found).as("%s at %s", expression, to).isEqualTo(cell + 1);
        }
        to = next(at, to, sizes, strides);
      }
      assertThat(get(around, shift)).as("before").isEqualTo(-1);
      assertThat(get(around, shift + cells + 1)).as("behind").isEqualTo(-1);
    }
  }

  /** Moves to the next cell of the operand; where the cell is in the result. */
  private static long next(long[] at, long to, long[] sizes, long[] strides) {
    long moved = to;
    for (int mode = at.length - 1; mode >= 0; mode--) {
      moved += strides[mode];
      if (++at[mode] < sizes[mode]) {
        break;
      }
      moved -= sizes[mode] * strides[mode];
      at[mode] = 0;
    }
    return moved;
  }

  private static void set(NativeArray array, long at, long value) {
    if (array.type().isFloating()) {
      array.setDouble(at, value);
    } else {
      array.setLong(at, value);
    }
  }

  private static long get(NativeArray array, long at) {
    return array.type().isFloating() ? (long) array.getDouble(at) : array.getLong(at);
  }

  @Test
  void onlyCopiesWhoseNeighboursChangeRunInTiles() {
    assertThat(loops("B(j,i) = A(i,j)", Schedule.parallel())).contains("near_tiles");
    assertThat(loops("B(i,j) = A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) = 2 * A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) += A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) = A(i,j)", Schedule.parse("order(j,i)"))).doesNotContain("near_tiles");
  }

  @Test
  void onlyMatricesThatAreOnePieceOfTheOperandArePrefetchedAsAWhole() {
    Schedule schedule = Schedule.parallel();
    assertThat(loops("B(i,k,j) = A(i,j,k)", schedule)).contains("ahead_group");
    assertThat(loops("B(k,i,j) = A(i,j,k)", schedule)).contains("ahead_group");
    assertThat(loops("B(i,l,k,j) = A(i,j,k,l)", schedule)).contains("ahead_group");
    assertThat(loops("B(j,l,k,i) = A(i,j,k,l)", schedule)).doesNotContain("ahead");
  }

  private static String loops(String expression, Schedule schedule) {
    int order = expression.substring(0, expression.indexOf(')')).split(",").length;
    TensorFormat dense = TensorFormat.dense(order, ValueType.DOUBLE);
    return Lowering.lower(
            new KernelRequest("k", expression, Map.of("A", dense, "B", dense), Map.of(), schedule))
        .function()
        .toString();
  }
}
