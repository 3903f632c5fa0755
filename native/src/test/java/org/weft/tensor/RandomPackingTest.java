package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;

/**
 * Random forms of random tensors, packed together on 1 to 4 threads, have the arrays of {@link
 * ReferencePacking}, bit by bit; what that cannot pack is the same error.
 */
class RandomPackingTest {
  private static final int ROUNDS = 120;
  private static final List<Long> BLOCKS = List.of(1L, 2L, 3L, 5L, 8L, 512L, 1000L);

  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());

  @AfterEach
  void noLeak() {
    assertThat(scope.liveBytes()).isZero();
    scope.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void formsAreThoseOfTheReference(int order) {
    for (int round = 0; round < ROUNDS; round++) {
      long seed = 1000L * order + round;
      Random random = new Random(seed);
      long[] sizes = sizes(order, random);
      long[] origin = new long[order];
      if (random.nextInt(4) == 0) {
        Arrays.setAll(origin, m -> random.nextInt(5));
      }
      TensorShape shape = TensorShape.of(sizes);
      List<CooBlock> blocks = blocks(sizes, origin, random);
      List<TensorFormat> formats = new ArrayList<>();
      for (int f = random.nextInt(5); f >= 0; f--) {
        formats.add(format(shape, random));
      }
      check(shape, formats, blocks, origin, 1 + round % 4, "seed " + seed);
    }
  }

  /** Blocks of a stored tensor have the entries that a walk over its levels comes to. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void storedEntriesComeBackInBlocks(int order) {
    int whole = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(7000L * order + round);
      TensorShape shape = TensorShape.of(sizes(order, random));
      List<CooBlock> blocks = blocks(shape.toArray(), new long[order], random);
      TensorFormat format = format(shape, random);
      String what = "order " + order + ", round " + round + ": " + shape + " " + format;
      for (TensorStorage stored : references(shape, format, List.of(blocks))) {
        int size = 1 + random.nextInt(1 << random.nextInt(12));
        List<CooBlock> found = new ArrayList<>();
        Packing.unpackBlocks(stored, size).forEachRemaining(found::add);
        sameEntries(found, stored, what);
        assertThat(found).as(what).allMatch(block -> block.size() <= size);
        whole += StoredEntries.suits(stored) ? 1 : 0;
        stored.close();
      }
    }
    assertThat(whole).isGreaterThanOrEqualTo(order == 0 ? 0 : 9);
  }

  /** Forms of the parts of a stored tensor are those of their entries, bit by bit. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void storedPartsArePackedAsTheirEntriesAre(int order) {
    int packed = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(9000L * order + round);
      TensorShape shape = TensorShape.of(sizes(order, random));
      List<List<CooBlock>> parts = new ArrayList<>();
      for (int part = random.nextInt(4); part >= 0; part--) {
        parts.add(blocks(shape.toArray(), new long[order], random));
      }
      List<TensorStorage> stored = references(shape, format(shape, random), parts);
      if (stored.size() == parts.size() && stored.stream().allMatch(StoredEntries::suits)) {
        List<TensorFormat> formats = List.of(format(shape, random), format(shape, random));
        checkStored(shape, formats, stored, 1 + round % 4, "order " + order + ", round " + round);
        packed++;
      }
      stored.forEach(TensorStorage::close);
    }
    assertThat(packed).isPositive();
  }

  /** Slices cut from a stored tensor are those that are packed of their entries, bit by bit. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void slicesAreThoseOfTheirEntries(int order) {
    int cut = 0;
    for (int round = 0; round < 3 * ROUNDS; round++) {
      Random random = new Random(11_000L * order + round);
      TensorShape shape = TensorShape.of(sizes(order, random));
      List<CooBlock> blocks = blocks(shape.toArray(), new long[order], random);
      TensorFormat format = format(shape, random);
      for (TensorStorage stored : references(shape, format, List.of(blocks))) {
        if (StorageSlices.suits(format)) {
          checkSlices(stored, random, "order " + order + ", round " + round + ": " + format);
          cut++;
        } else {
          stored.close();
        }
      }
    }
    assertThat(cut).isGreaterThanOrEqualTo(9);
  }

  private void checkSlices(TensorStorage stored, Random random, String what) {
    TensorShape shape = stored.shape();
    int mode = stored.format().modeOf(0);
    long size = shape.size(mode);
    int parts = 1 + random.nextInt(4);
    long[] bounds = random.longs(parts + 1, 0, size + 1).sorted().toArray();
    bounds[0] = 0;
    bounds[parts] = size;
    CooBlock entries = walked(stored);
    List<TensorStorage> slices = new ArrayList<>(StorageSlices.cut(scope, stored, bounds));
    assertThat(slices).as(what).hasSize(parts);
    for (int part = 0; part < parts; part++) {
      long from = bounds[part];
      long to = bounds[part + 1];
      int[] own =
          IntStream.range(0, entries.size())
              .filter(e -> entries.coordinate(mode, e) >= from && entries.coordinate(mode, e) < to)
              .toArray();
      long[] origin = new long[shape.order()];
      origin[mode] = from;
      try (TensorStorage expected =
          ReferencePacking.pack(
              scope,
              shape.with(mode, to - from),
              stored.format(),
              List.of(entries.select(own)),
              origin)) {
        same(slices.get(part), expected, what + ", slices " + from + " to " + to);
      }
    }
    Collections.shuffle(slices, random);
    slices.forEach(TensorStorage::close);
    assertThat(stored.scope().isClosed()).as(what).isTrue();
  }

  private void checkStored(
      TensorShape shape,
      List<TensorFormat> formats,
      List<TensorStorage> stored,
      int threads,
      String what) {
    List<CooBlock> entries = new ArrayList<>();
    stored.forEach(part -> entries.add(walked(part)));
    long[] origin = new long[shape.order()];
    try (PackedForms expected =
        Packing.packAll(
            scope, shape, formats, EntrySource.of(new ArrayDeque<>(entries)), origin, threads)) {
      EntrySource source = new StoredSource(stored);
      try (PackedForms found = Packing.packAll(scope, shape, formats, source, origin, threads)) {
        for (int f = 0; f < formats.size(); f++) {
          same(found.forms().get(f), expected.forms().get(f), what + " " + formats.get(f));
        }
        assertThat(found.duplicates()).as(what).isEqualTo(expected.duplicates());
        assertThat(found.sumOfSquares()).as(what).isEqualTo(expected.sumOfSquares());
      }
    } catch (WeftException e) {
      assertThatThrownBy(
              () ->
                  Packing.packAll(scope, shape, formats, new StoredSource(stored), origin, threads))
          .as(what)
          .isInstanceOfSatisfying(
              WeftException.class, other -> assertThat(other.code()).isEqualTo(e.code()));
    }
  }

  /** Parts that stay the test's: each piece is a copy of one. */
  private final class StoredSource implements EntrySource {
    private final List<TensorStorage> parts;
    private int next;

    StoredSource(List<TensorStorage> parts) {
      this.parts = parts;
    }

    @Override
    public long entries() {
      return parts.stream().mapToLong(TensorStorage::storedEntries).sum();
    }

    @Override
    public boolean hasLongValues() {
      return parts.get(0).format().valueType() == ValueType.LONG;
    }

    @Override
    public Piece poll() {
      if (next == parts.size()) {
        return null;
      }
      TensorStorage part = parts.get(next++);
      return Piece.load(part.storedEntries(), () -> copy(part));
    }

    @Override
    public EntrySource again() {
      return new StoredSource(parts);
    }

    private TensorStorage copy(TensorStorage part) {
      try {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        part.writeTo(new DataOutputStream(bytes));
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        return TensorStorage.readFrom(scope, part.shape(), part.format(), in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Storages of those parts that can be had in the format. */
  private List<TensorStorage> references(
      TensorShape shape, TensorFormat format, List<List<CooBlock>> parts) {
    List<TensorStorage> made = new ArrayList<>();
    for (List<CooBlock> part : parts) {
      try {
        made.add(ReferencePacking.pack(scope, shape, format, part, new long[shape.order()]));
      } catch (WeftException e) {
        assertThat(e.code()).isNotEqualTo(ErrorCode.INTERNAL);
      }
    }
    return made;
  }

  /** The entries of a storage by its levels, one at a time. */
  private static CooBlock walked(TensorStorage stored) {
    boolean exact = stored.format().valueType() == ValueType.LONG;
    CooBlock.Builder block = new CooBlock.Builder(stored.shape().order(), 16, exact);
    stored.forEachPosition(
        (at, position) -> {
          if (exact) {
            block.addLong(at, stored.vals().getLong(position));
          } else {
            block.add(at, stored.vals().getDouble(position));
          }
        });
    return block.build();
  }

  private static void sameEntries(List<CooBlock> found, TensorStorage stored, String what) {
    CooBlock expected = walked(stored);
    int at = 0;
    for (CooBlock block : found) {
      assertThat(block.hasLongValues()).as(what).isEqualTo(expected.hasLongValues());
      for (int e = 0; e < block.size(); e++, at++) {
        for (int mode = 0; mode < block.order(); mode++) {
          assertThat(block.coordinate(mode, e)).as(what).isEqualTo(expected.coordinate(mode, at));
        }
        assertThat(block.longValue(e)).as(what).isEqualTo(expected.longValue(at));
        assertThat(Double.doubleToRawLongBits(block.value(e)))
            .as(what)
            .isEqualTo(Double.doubleToRawLongBits(expected.value(at)));
      }
    }
    assertThat(at).as(what).isEqualTo(expected.size());
  }

  @Test
  void manyEntriesAreSharedAmongThreads() {
    for (int threads : Boolean.getBoolean("weft.long") ? new int[] {1, 4} : new int[] {4}) {
      Random random = new Random(threads);
      TensorShape shape = TensorShape.of(3000, 90, 70_000);
      List<TensorFormat> formats =
          List.of(
              parse("{CU[32,16], CU[32,16], CU[32,32]}", 3),
              parse("{CU[32,16], CN[32,32], S[32,32]}@1,0,2", 3),
              parse("{D:2/512, CU:0, CU:1, CU:2%512}@2,1,0", 3),
              parse("{D, CU, CU}@2,1,0", 3));
      List<CooBlock> blocks = new ArrayList<>();
      for (int b = 0; b < 7; b++) {
        CooBlock.Builder block = new CooBlock.Builder(3, 85_000);
        for (int e = 0; e < 85_000; e++) {
          double skew = random.nextDouble();
          block.add(
              new long[] {
                (long) (3000 * skew * skew * skew), random.nextInt(90), random.nextInt(700) * 100L
              },
              random.nextGaussian());
        }
        blocks.add(block.build());
      }
      check(shape, formats, blocks, new long[3], threads, threads + " threads");
    }
  }

  private void check(
      TensorShape shape,
      List<TensorFormat> formats,
      List<CooBlock> blocks,
      long[] origin,
      int threads,
      String what) {
    List<TensorStorage> expected = new ArrayList<>();
    Set<ErrorCode> refused = EnumSet.noneOf(ErrorCode.class);
    for (TensorFormat format : formats) {
      try {
        expected.add(ReferencePacking.pack(scope, shape, format, blocks, origin));
      } catch (WeftException e) {
        refused.add(e.code());
      }
    }
    try (PackedForms packed =
        Packing.packAll(
            scope, shape, formats, EntrySource.of(new ArrayDeque<>(blocks)), origin, threads)) {
      assertThat(refused).as(what).isEmpty();
      for (int f = 0; f < formats.size(); f++) {
        same(packed.forms().get(f), expected.get(f), what + " " + shape + " " + formats.get(f));
      }
      long entries = blocks.stream().mapToLong(CooBlock::size).sum();
      assertThat(packed.duplicates())
          .as(what)
          .isEqualTo(Packing.countDuplicates(rebased(shape, origin), blocks));
      assertThat(packed.duplicates()).isBetween(0L, entries);
    } catch (WeftException e) {
      assertThat(refused).as("%s: %s", what, e.getMessage()).contains(e.code());
    } finally {
      expected.forEach(TensorStorage::close);
    }
  }

  private static TensorShape rebased(TensorShape shape, long[] origin) {
    long[] sizes = shape.toArray();
    Arrays.setAll(sizes, m -> Math.max(0, sizes[m] + origin[m]));
    return TensorShape.of(sizes);
  }

  private static void same(TensorStorage found, TensorStorage expected, String what) {
    for (int level = 0; level < expected.format().levelCount(); level++) {
      String where = what + ", level " + level;
      assertThat(found.positions(level)).as(where).isEqualTo(expected.positions(level));
      assertThat(found.hasPos(level)).as(where).isEqualTo(expected.hasPos(level));
      assertThat(found.hasCrd(level)).as(where).isEqualTo(expected.hasCrd(level));
      if (expected.hasPos(level)) {
        same(found.pos(level), expected.pos(level), where + " pos");
      }
      if (expected.hasCrd(level)) {
        same(found.crd(level), expected.crd(level), where + " crd");
      }
    }
    same(found.vals(), expected.vals(), what + " values");
  }

  private static void same(NativeArray found, NativeArray expected, String what) {
    assertThat(found.type()).as(what).isEqualTo(expected.type());
    assertThat(bytes(found)).as(what).isEqualTo(bytes(expected));
  }

  private static byte[] bytes(NativeArray array) {
    byte[] bytes = new byte[(int) array.byteSize()];
    NativeMemory.copyToArray(array.address(), bytes, 0, bytes.length);
    return bytes;
  }

  private static long[] sizes(int order, Random random) {
    long[] sizes = new long[order];
    int kind = random.nextInt(4);
    for (int m = 0; m < order; m++) {
      sizes[m] =
          switch (kind) {
            case 0 -> 1L << (10 + random.nextInt(52));
            case 1 -> 1 + random.nextInt(4);
            case 2 -> 1 + random.nextInt(1 << random.nextInt(20));
            default -> random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(12);
          };
    }
    return sizes;
  }

  private static List<CooBlock> blocks(long[] sizes, long[] origin, Random random) {
    boolean empty = Arrays.stream(sizes).anyMatch(size -> size == 0);
    boolean exact = random.nextInt(4) == 0;
    boolean sorted = random.nextInt(3) == 0;
    List<long[]> cells = new ArrayList<>();
    int most = random.nextInt(4) == 0 ? 3000 : 60;
    for (int e = empty ? 0 : random.nextInt(most); e > 0; e--) {
      long[] at = new long[sizes.length];
      Arrays.setAll(at, m -> (random.nextLong() >>> 1) % sizes[m] + origin[m]);
      cells.add(!cells.isEmpty() && random.nextInt(5) == 0 ? cells.get(0) : at);
    }
    if (sorted) {
      cells.sort(Arrays::compare);
    }
    if (random.nextInt(30) == 0 && sizes.length > 0 && !cells.isEmpty()) {
      cells.get(cells.size() - 1)[0] = sizes[0] + origin[0];
    }
    List<CooBlock> blocks = new ArrayList<>();
    int parts = random.nextInt(4);
    for (int part = 0; part < parts; part++) {
      CooBlock.Builder block =
          new CooBlock.Builder(sizes.length, 16, exact || random.nextInt(8) == 0);
      for (int e = cells.size() * part / parts; e < cells.size() * (part + 1) / parts; e++) {
        if (exact) {
          block.addLong(cells.get(e), random.nextLong());
        } else {
          block.add(cells.get(e), value(random));
        }
      }
      blocks.add(block.build());
    }
    return blocks;
  }

  private static double value(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> -0.0;
      case 1 -> 1e300 * random.nextDouble();
      case 2 -> random.nextInt(10);
      default -> random.nextGaussian();
    };
  }

  private static TensorFormat parse(String text, int order) {
    return TensorFormat.parse(text, order, ValueType.DOUBLE);
  }

  /** A format of random levels, mode order, blocks, widths and type of values. */
  private static TensorFormat format(TensorShape shape, Random random) {
    int order = shape.order();
    List<Integer> modes = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      modes.add(m);
    }
    Collections.shuffle(modes, random);
    List<String> coordinates = coordinates(order, random);
    int[] modeOrder = modes.stream().mapToInt(Integer::intValue).toArray();
    ValueType type = ValueType.values()[random.nextInt(ValueType.values().length)];
    List<String> levels = new ArrayList<>();
    double cells = 1;
    for (int level = 0; level < coordinates.size(); level++) {
      cells *= size(shape, modeOrder, coordinates.get(level));
      String above = level == 0 ? "" : levels.get(level - 1);
      boolean listed = above.startsWith("CN") || above.startsWith("CU?u") || above.startsWith("S");
      boolean lists = level + 1 < coordinates.size();
      levels.add(kind(cells, listed, lists, random) + ":" + coordinates.get(level));
    }
    String order1 = Arrays.toString(modeOrder).replace("[", "@").replace("]", "").replace(" ", "");
    String text = "{" + String.join(", ", levels) + "}" + (order == 0 ? "" : order1);
    TensorFormat format =
        order == 0 ? TensorFormat.dense(0, type) : TensorFormat.parse(text, order, type);
    return switch (random.nextInt(3)) {
      case 0 -> format.narrowedFor(shape, 3000);
      case 1 -> format.withWidths(Width.W32, Width.values()[random.nextInt(4)]);
      default -> format;
    };
  }

  private static String kind(double cells, boolean listed, boolean lists, Random random) {
    int choice = random.nextInt(20);
    if (listed) {
      return choice == 0 ? "CU" : "S";
    } else if (choice < 5 && cells < 5000) {
      return "D";
    } else if (choice < 8 && lists) {
      return random.nextBoolean() ? "CN" : "CU?u";
    } else if (choice == 8) {
      return cells < 5000 ? "B" : "H";
    } else if (choice == 9) {
      return random.nextInt(5) == 0 ? "S" : "CU?c";
    }
    return "CU";
  }

  /** Modes whole or as a block and, somewhere below, the offset in it. */
  private static List<String> coordinates(int order, Random random) {
    List<String> coordinates = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      if (random.nextInt(4) > 0) {
        coordinates.add(random.nextInt(coordinates.size() + 1), Integer.toString(mode));
        continue;
      }
      long block = BLOCKS.get(random.nextInt(BLOCKS.size()));
      int at = random.nextInt(coordinates.size() + 1);
      coordinates.add(at, mode + "/" + block);
      int below = at + 1 + random.nextInt(coordinates.size() - at);
      coordinates.add(below, mode + "%" + block);
    }
    return coordinates;
  }

  private static double size(TensorShape shape, int[] modeOrder, String coordinate) {
    String[] parts = coordinate.split("[/%]", 2);
    double size = shape.size(modeOrder[Integer.parseInt(parts[0])]);
    if (parts.length == 1) {
      return size;
    }
    double block = Double.parseDouble(parts[1]);
    return coordinate.contains("%") ? block : Math.ceil(size / block);
  }
}
