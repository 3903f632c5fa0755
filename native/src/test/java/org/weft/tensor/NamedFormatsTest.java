package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;

/** Every named format holds what was packed into it, whatever the shape. */
class NamedFormatsTest {
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());

  @AfterEach
  void noLeak() {
    assertThat(scope.liveBytes()).isZero();
    scope.close();
  }

  private static long[] contents(NativeArray array) {
    long[] numbers = new long[(int) array.length()];
    Arrays.setAll(numbers, array::getLong);
    return numbers;
  }

  /** The matrix of Chou et al., figure 2e. */
  private static List<CooBlock> figure() {
    long[][] cells = {{3, 4}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 3}, {3, 1}};
    double[] values = {9, 5, 7, 1, 3, 4, 8};
    CooBlock.Builder builder = new CooBlock.Builder(2, 7);
    for (int e = 0; e < values.length; e++) {
      builder.add(cells[e], values[e]);
    }
    return List.of(builder.build());
  }

  private TensorStorage pack(String format, TensorShape shape, List<CooBlock> blocks) {
    return Packing.pack(
        scope, shape, TensorFormat.parse(format, shape, 1000, ValueType.DOUBLE), blocks);
  }

  @Test
  void arraysOfEllAreThoseOfTheFigure() {
    try (TensorStorage ell = pack("ELL", TensorShape.of(4, 6), figure())) {
      assertThat(ell.positions(0)).isEqualTo(3);
      assertThat(ell.positions(1)).isEqualTo(12);
      assertThat(contents(ell.crd(2)))
          .containsExactly(0, 0, 255, 1, 1, 1, 255, 3, 255, 255, 255, 4);
      assertThat(contents(ell.vals())).containsExactly(5, 7, 0, 8, 1, 3, 0, 4, 0, 0, 0, 9);
    }
  }

  @Test
  void arraysOfDiaAreThoseOfTheFigure() {
    try (TensorStorage dia = pack("DIA", TensorShape.of(4, 6), figure())) {
      assertThat(contents(dia.crd(1))).as("offsets -2 -1 0 1, plus 3").containsExactly(1, 2, 3, 4);
      assertThat(contents(dia.vals()))
          .containsExactly(0, 0, 0, 8, 0, 7, 0, 0, 5, 3, 0, 4, 1, 0, 0, 9);
    }
  }

  @Test
  void arraysOfBcsrAreThoseOfTheFigure() {
    try (TensorStorage bcsr = pack("BCSR(2,2)", TensorShape.of(4, 6), figure())) {
      assertThat(contents(bcsr.pos(1))).containsExactly(0, 1, 4);
      assertThat(contents(bcsr.crd(1))).containsExactly(0, 0, 1, 2);
      assertThat(contents(bcsr.vals()))
          .containsExactly(5, 1, 7, 3, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 9, 0);
    }
  }

  @Test
  void arraysOfCsbHoldCooBlocks() {
    try (TensorStorage csb = pack("CSB(2,3)", TensorShape.of(4, 6), figure())) {
      assertThat(contents(csb.pos(2))).containsExactly(0, 4, 4, 5, 7);
      assertThat(contents(csb.crd(2))).containsExactly(0, 0, 1, 1, 1, 1, 1);
      assertThat(contents(csb.crd(3))).containsExactly(0, 1, 0, 1, 1, 0, 1);
    }
  }

  @Test
  void modeGenericHasOneDenseBlockPerCoordinatePath() {
    try (TensorStorage generic = pack("ModeGeneric(1)", TensorShape.of(4, 6), figure())) {
      assertThat(contents(generic.crd(0))).containsExactly(0, 1, 3);
      assertThat(generic.storedEntries()).isEqualTo(18);
    }
  }

  @Test
  void everyHashTableKeepsAFreeBucket() {
    CooBlock.Builder builder = new CooBlock.Builder(1, 4);
    for (long i : new long[] {1, 9, 17, 6}) {
      builder.add(new long[] {i}, i);
    }
    List<CooBlock> blocks = List.of(builder.build());
    try (TensorStorage hash = pack("HashVector", TensorShape.of(20), blocks)) {
      assertThat(contents(hash.pos(0))).containsExactly(8);
      assertThat(contents(hash.crd(0))).containsExactly(255, 1, 9, 17, 255, 255, 6, 255);
    }
  }

  @ParameterizedTest
  @EnumSource(ValueType.class)
  void everyFormatReturnsWhatWasPacked(ValueType type) throws IOException {
    Random random = new Random(4242);
    long[][] shapes = {
      {},
      {0},
      {1},
      {9},
      {0, 0},
      {0, 3},
      {3, 0},
      {1, 1},
      {1, 9},
      {9, 1},
      {5, 7},
      {8, 6},
      {7, 5, 3},
      {2, 0, 3},
      {1, 1, 1},
      {3, 4, 2, 5}
    };
    for (long[] sizes : shapes) {
      for (double density : new double[] {0, 0.2, 0.6, 1}) {
        List<CooBlock> blocks = new ArrayList<>();
        Map<List<Long>, Number> expected = entries(random, sizes, density, type, blocks);
        for (String name : names(sizes.length, random)) {
          for (String widths : new String[] {"", "[32,32]", "[64,64]"}) {
            String order = order(sizes.length, random);
            check(name + widths + order, TensorShape.of(sizes), type, blocks, expected);
          }
        }
      }
    }
  }

  private static String order(int order, Random random) {
    List<Integer> modes = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      modes.add(m);
    }
    java.util.Collections.shuffle(modes, random);
    return order < 2 ? "" : "@" + modes.toString().replaceAll("[\\[\\] ]", "");
  }

  private static List<String> names(int order, Random random) {
    List<String> names = new ArrayList<>(List.of("Dense", "CSF"));
    if (order > 0) {
      names.add("COO");
    }
    if (order == 1) {
      names.add("HashVector");
    }
    if (order == 2) {
      int b = 1 + random.nextInt(4);
      int c = 1 + random.nextInt(10);
      String blocks = "(" + b + "," + c + ")";
      names.addAll(List.of("CSR", "CSC", "DCSR", "DCSC", "CDR", "ELL", "DIA", "HashMatrix"));
      names.addAll(List.of("BCSR" + blocks, "CSB" + blocks, "BCSR(1,1)", "CSB(100,100)"));
    }
    for (int dense = 1; dense < order; dense++) {
      names.add("ModeGeneric(" + dense + ")");
    }
    return names;
  }

  private static Map<List<Long>, Number> entries(
      Random random, long[] sizes, double density, ValueType type, List<CooBlock> into) {
    boolean exact = type == ValueType.LONG;
    Map<List<Long>, Number> expected = new HashMap<>();
    CooBlock.Builder builder = new CooBlock.Builder(sizes.length, 16, exact);
    double cells = TensorShape.of(sizes).cells();
    for (int e = (int) Math.ceil(cells * density); e > 0; e--) {
      long[] at = new long[sizes.length];
      Arrays.setAll(at, m -> random.nextInt((int) sizes[m]));
      List<Long> key = Arrays.stream(at).boxed().toList();
      if (exact) {
        long value = (random.nextLong() >> 4) | 1;
        builder.addLong(at, value);
        expected.merge(key, value, (a, b) -> a.longValue() + b.longValue());
      } else {
        double value = random.nextInt(50) - 10;
        builder.add(at, value);
        expected.merge(key, value, (a, b) -> a.doubleValue() + b.doubleValue());
      }
      if (random.nextInt(10) == 0) {
        into.add(builder.build());
      }
    }
    into.add(builder.build());
    return expected;
  }

  private void check(
      String name,
      TensorShape shape,
      ValueType type,
      List<CooBlock> blocks,
      Map<List<Long>, Number> expected)
      throws IOException {
    TensorFormat format = TensorFormat.parse(name, shape, expected.size(), type);
    assertThat(TensorFormat.parse(format.toString(), shape.order(), type)).isEqualTo(format);
    try (TensorStorage storage = Packing.pack(scope, shape, format, blocks)) {
      Map<List<Long>, Number> found = found(storage);
      Set<List<Long>> padding = new HashSet<>(found.keySet());
      padding.removeAll(expected.keySet());
      assertThat(padding).as(name).allMatch(cell -> found.get(cell).doubleValue() == 0);
      found.keySet().removeAll(padding);
      assertThat(found).as(name + " of " + shape).isEqualTo(expected);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      storage.writeTo(new DataOutputStream(bytes));
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
      try (TensorStorage copy = TensorStorage.readFrom(scope, shape, format, in)) {
        Map<List<Long>, Number> shipped = found(copy);
        shipped.keySet().removeAll(padding);
        assertThat(shipped).isEqualTo(expected);
      }
    }
  }

  /** All entries, in the three ways that there are to see them. */
  private static Map<List<Long>, Number> found(TensorStorage storage) {
    Map<List<Long>, Number> found = new HashMap<>();
    boolean exact = storage.format().valueType() == ValueType.LONG;
    storage.forEachPosition(
        (at, p) -> {
          List<Long> key = Arrays.stream(at).boxed().toList();
          Number value = storage.vals().getLong(p);
          Number before = found.put(key, exact ? value : (Number) storage.vals().getDouble(p));
          assertThat(before).as("entry " + key + " of " + storage).isNull();
        });
    int[] visits = {0};
    storage.forEachEntry((at, value) -> visits[0]++);
    assertThat(visits[0]).isEqualTo(found.size());
    int blocks = 0;
    for (Iterator<CooBlock> it = Packing.unpackBlocks(storage, 3); it.hasNext(); ) {
      blocks += it.next().size();
    }
    assertThat(blocks).isEqualTo(found.size());
    CooBlock all = Packing.unpack(storage);
    assertThat(all.size()).isEqualTo(found.size());
    for (int e = 0; e < all.size(); e++) {
      List<Long> key = new ArrayList<>();
      for (int m = 0; m < all.order(); m++) {
        key.add(all.coordinate(m, e));
      }
      Number value = all.longValue(e);
      assertThat(exact ? value : (Number) all.value(e)).isEqualTo(found.get(key));
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource({
    "255, 8, 8",
    "256, 8, 16",
    "257, 16, 16",
    "65535, 16, 16",
    "65536, 16, 32",
    "65537, 32, 32",
    "4294967295, 32, 32",
    "4294967296, 32, 64",
    "4294967297, 64, 64"
  })
  void coordinatesAtTheLimitsOfWidths(long size, int compressed, int hashed) {
    CooBlock.Builder builder = new CooBlock.Builder(1, 2);
    builder.add(new long[] {size - 1}, 1);
    builder.add(new long[] {0}, 2);
    List<CooBlock> blocks = List.of(builder.build());
    TensorShape shape = TensorShape.of(size);
    for (String name : new String[] {"CSF", "COO", "HashVector"}) {
      int width = name.equals("HashVector") ? hashed : compressed;
      TensorFormat format = TensorFormat.parse(name, shape, 2, ValueType.DOUBLE);
      assertThat(format.level(0).crdWidth().bits()).as(name).isEqualTo(width);
      try (TensorStorage storage = Packing.pack(scope, shape, format, blocks)) {
        Map<List<Long>, Number> found = found(storage);
        assertThat(found).isEqualTo(Map.of(List.of(size - 1), 1.0, List.of(0L), 2.0));
      }
      for (Width narrow : Width.values()) {
        if (narrow.bits() < width) {
          assertThatThrownBy(
                  () -> Packing.pack(scope, shape, format.withWidths(Width.W64, narrow), blocks))
              .isInstanceOfSatisfying(
                  WeftException.class,
                  e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"255, true", "256, false"})
  void positionsAtTheLimitsOfWidths(int entries, boolean fits) {
    CooBlock.Builder builder = new CooBlock.Builder(2, entries);
    for (int e = 0; e < entries; e++) {
      builder.add(new long[] {e % 3, e / 3}, e);
    }
    List<CooBlock> blocks = List.of(builder.build());
    TensorShape shape = TensorShape.of(3, 100);
    for (String name : new String[] {"CSR[8,8]", "COO[8,8]", "CSF[8,8]"}) {
      TensorFormat format = TensorFormat.parse(name, 2, ValueType.INT);
      if (fits) {
        try (TensorStorage storage = Packing.pack(scope, shape, format, blocks)) {
          assertThat(found(storage)).hasSize(entries);
        }
      } else {
        assertThatThrownBy(() -> Packing.pack(scope, shape, format, blocks))
            .isInstanceOfSatisfying(
                WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
      }
    }
  }
}
