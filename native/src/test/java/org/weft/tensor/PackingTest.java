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
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;

class PackingTest {
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());

  @AfterEach
  void noLeak() {
    assertThat(scope.liveBytes()).isZero();
    scope.close();
  }

  private static CooBlock block(long[][] coordinates, double... values) {
    CooBlock.Builder builder = new CooBlock.Builder(coordinates[0].length, values.length);
    for (int e = 0; e < values.length; e++) {
      builder.add(coordinates[e], values[e]);
    }
    return builder.build();
  }

  private static long[] contents(NativeArray array) {
    long[] numbers = new long[(int) array.length()];
    Arrays.setAll(numbers, array::getLong);
    return numbers;
  }

  /** The tensor of Chou et al., figure 2e: rows 0..3 of a 4 x 6 matrix. */
  private static final CooBlock FIGURE =
      block(
          new long[][] {{3, 4}, {0, 0}, {1, 0}, {0, 1}, {1, 1}, {3, 3}, {3, 0}},
          9,
          5,
          7,
          1,
          3,
          4,
          8);

  @Test
  void csrHasAllRows() {
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    try (TensorStorage storage = Packing.pack(scope, TensorShape.of(4, 6), csr, List.of(FIGURE))) {
      assertThat(contents(storage.pos(1))).containsExactly(0, 2, 4, 4, 7);
      assertThat(contents(storage.crd(1))).containsExactly(0, 1, 0, 1, 0, 3, 4);
      assertThat(contents(storage.vals())).containsExactly(5, 1, 7, 3, 8, 4, 9);
      assertThat(storage.positions(0)).isEqualTo(4);
    }
  }

  @Test
  void csfStoresOnlyRowsWithEntries() {
    TensorFormat csf = TensorFormat.csf(2, ValueType.FLOAT).narrowedFor(TensorShape.of(4, 6), 7);
    try (TensorStorage storage = Packing.pack(scope, TensorShape.of(4, 6), csf, List.of(FIGURE))) {
      assertThat(contents(storage.pos(0))).containsExactly(0, 3);
      assertThat(contents(storage.crd(0))).containsExactly(0, 1, 3);
      assertThat(contents(storage.pos(1))).containsExactly(0, 2, 4, 7);
      assertThat(storage.pos(1).type().bytes()).isEqualTo(1);
      assertThat(storage.vals().type().bytes()).isEqualTo(4);
    }
  }

  @Test
  void cooStoresEveryEntryInOrder() {
    TensorFormat coo = TensorFormat.coo(2, ValueType.DOUBLE).withModeOrder(1, 0);
    try (TensorStorage storage = Packing.pack(scope, TensorShape.of(4, 6), coo, List.of(FIGURE))) {
      assertThat(contents(storage.pos(0))).containsExactly(0, 7);
      assertThat(contents(storage.crd(0))).containsExactly(0, 0, 0, 1, 1, 3, 4);
      assertThat(contents(storage.crd(1))).containsExactly(0, 1, 3, 0, 1, 3, 3);
    }
  }

  /** What estimates count is what packed forms take. */
  @ParameterizedTest
  @ValueSource(strings = {"CSR", "CSC", "COO", "DCSR", "Dense", "{CU, CN}", "{D, H}", "{D, B}"})
  void bytesAreThoseOfTheLevels(String name) {
    TensorFormat format = TensorFormat.parse(name, 2, ValueType.FLOAT);
    try (TensorStorage storage =
        Packing.pack(scope, TensorShape.of(4, 6), format, List.of(FIGURE))) {
      double bytes = storage.vals().byteSize();
      for (int level = 0; level < format.levelCount(); level++) {
        long parents = level == 0 ? 1 : storage.positions(level - 1);
        bytes += format.level(level).bytes(parents, storage.positions(level));
      }
      assertThat(bytes).isEqualTo(storage.byteSize());
    }
  }

  @Test
  void duplicatesAreSummedInOrderAndZerosKept() {
    CooBlock block = block(new long[][] {{1}, {0}, {1}, {2}}, 1e16, 0, 1, -0.0);
    TensorFormat csf = TensorFormat.csf(1, ValueType.DOUBLE);
    try (TensorStorage storage = Packing.pack(scope, TensorShape.of(5), csf, List.of(block))) {
      assertThat(storage.storedEntries()).isEqualTo(3);
      assertThat(storage.vals().getDouble(1)).isEqualTo(1e16 + 1);
      assertThat(1 / storage.vals().getDouble(2)).isEqualTo(Double.NEGATIVE_INFINITY);
    }
    assertThat(Packing.countDuplicates(TensorShape.of(5), List.of(block))).isEqualTo(1);
  }

  @Test
  void rootOffsetShiftsTheOutermostMode() {
    CooBlock block = block(new long[][] {{7, 102}, {3, 100}}, 2, 1);
    TensorFormat format = TensorFormat.csf(2, ValueType.DOUBLE).withModeOrder(1, 0);
    try (TensorStorage storage =
        Packing.pack(scope, TensorShape.of(8, 4), format, List.of(block), 100)) {
      assertThat(contents(storage.crd(0))).containsExactly(0, 2);
    }
    assertThatThrownBy(() -> Packing.pack(scope, TensorShape.of(8, 2), format, List.of(block), 100))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATE_OUT_OF_RANGE))
        .hasMessageContaining("102");
  }

  @Test
  void aWidthThatIsTooNarrowIsAnError() {
    TensorFormat narrow = TensorFormat.csf(1, ValueType.DOUBLE).withWidths(Width.W64, Width.W8);
    CooBlock block = block(new long[][] {{300}}, 1);
    assertThatThrownBy(() -> Packing.pack(scope, TensorShape.of(301), narrow, List.of(block)))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
  }

  @Test
  void scalarAndEmptyTensors() {
    CooBlock two = block(new long[][] {{}, {}}, 1, 2);
    try (TensorStorage scalar =
        Packing.pack(
            scope, TensorShape.of(), TensorFormat.dense(0, ValueType.DOUBLE), List.of(two))) {
      assertThat(scalar.vals().getDouble(0)).isEqualTo(3);
    }
    for (String name : List.of("CSF", "COO", "Dense", "{D, CU, CU}", "{CU, D, CU}")) {
      TensorFormat format = TensorFormat.parse(name, 3, ValueType.DOUBLE);
      try (TensorStorage empty = Packing.pack(scope, TensorShape.of(2, 0, 3), format, List.of())) {
        int[] visits = {0};
        empty.forEachEntry((c, v) -> visits[0]++);
        assertThat(visits[0]).isZero();
        assertThat(Packing.unpackBlocks(empty, 10).hasNext()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void randomTensorsComeBackFromEveryFormat(int order) throws IOException {
    Random random = new Random(4711 + order);
    for (int round = 0; round < 40; round++) {
      long[] sizes = new long[order];
      for (int m = 0; m < order; m++) {
        sizes[m] = round % 7 == 0 ? 1L << (10 + random.nextInt(52)) : 1 + random.nextInt(6);
      }
      TensorShape shape = TensorShape.of(sizes);
      Map<List<Long>, Double> expected = new LinkedHashMap<>();
      List<CooBlock> blocks = randomBlocks(random, sizes, expected);
      for (TensorFormat format : formats(order, shape.cells() < 1e5, random)) {
        try (TensorStorage storage = Packing.pack(scope, shape, format, blocks)) {
          checkEntries(storage, format, expected);
          checkShipping(storage);
        }
      }
    }
  }

  private static List<CooBlock> randomBlocks(
      Random random, long[] sizes, Map<List<Long>, Double> expected) {
    List<CooBlock> blocks = new ArrayList<>();
    for (int b = random.nextInt(3); b >= 0; b--) {
      CooBlock.Builder builder = new CooBlock.Builder(sizes.length, 4);
      for (int e = random.nextInt(40); e > 0; e--) {
        long[] at = new long[sizes.length];
        Arrays.setAll(at, m -> (random.nextLong() >>> 1) % sizes[m]);
        double value = random.nextInt(100);
        builder.add(at, value);
        expected.merge(Arrays.stream(at).boxed().toList(), value, Double::sum);
      }
      blocks.add(builder.build());
    }
    return blocks;
  }

  private static List<TensorFormat> formats(int order, boolean small, Random random) {
    List<TensorFormat> formats = new ArrayList<>();
    List<Integer> modes = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      modes.add(m);
    }
    java.util.Collections.shuffle(modes, random);
    int[] modeOrder = modes.stream().mapToInt(Integer::intValue).toArray();
    formats.add(TensorFormat.csf(order, ValueType.DOUBLE).withModeOrder(modeOrder));
    formats.add(TensorFormat.coo(order, ValueType.DOUBLE).withModeOrder(modeOrder));
    if (small) {
      formats.add(TensorFormat.dense(order, ValueType.DOUBLE).withModeOrder(modeOrder));
    }
    return formats;
  }

  private static void checkEntries(
      TensorStorage storage, TensorFormat format, Map<List<Long>, Double> expected) {
    Map<List<Long>, Double> found = new LinkedHashMap<>();
    List<List<Long>> sequence = new ArrayList<>();
    storage.forEachEntry(
        (at, value) -> {
          List<Long> key = Arrays.stream(at).boxed().toList();
          sequence.add(key);
          assertThat(found.put(key, value)).isNull();
        });
    Comparator<List<Long>> storageOrder =
        (a, b) -> {
          for (int mode : format.modeOrder()) {
            int c = Long.compare(a.get(mode), b.get(mode));
            if (c != 0) {
              return c;
            }
          }
          return 0;
        };
    assertThat(sequence).isSortedAccordingTo(storageOrder);
    Map<List<Long>, Double> stored = new TreeMap<>(storageOrder);
    stored.putAll(found);
    if (format.isDense()) {
      found.forEach((key, value) -> assertThat(value).isEqualTo(expected.getOrDefault(key, 0.0)));
    } else {
      assertThat(found).isEqualTo(expected);
    }
    List<List<Long>> blocks = new ArrayList<>();
    for (Iterator<CooBlock> it = Packing.unpackBlocks(storage, 3); it.hasNext(); ) {
      CooBlock block = it.next();
      for (int e = 0; e < block.size(); e++) {
        List<Long> key = new ArrayList<>();
        for (int m = 0; m < block.order(); m++) {
          key.add(block.coordinate(m, e));
        }
        assertThat(block.value(e)).isEqualTo(found.get(key));
        blocks.add(key);
      }
    }
    assertThat(blocks).isEqualTo(sequence);
  }

  private void checkShipping(TensorStorage storage) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    storage.writeTo(new DataOutputStream(bytes));
    CooBlock before = Packing.unpack(storage);
    try (TensorStorage copy =
        TensorStorage.readFrom(
            scope,
            storage.shape(),
            storage.format(),
            new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())))) {
      CooBlock after = Packing.unpack(copy);
      assertThat(after.values()).isEqualTo(before.values());
      assertThat(copy.byteSize()).isEqualTo(storage.byteSize());
    }
    bytes.reset();
    before.writeTo(new DataOutputStream(bytes));
    CooBlock shipped =
        CooBlock.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    assertThat(shipped.size()).isEqualTo(before.size());
    for (int e = 0; e < shipped.size(); e++) {
      assertThat(shipped.coordinate(0, e)).isEqualTo(before.coordinate(0, e));
    }
  }
}
