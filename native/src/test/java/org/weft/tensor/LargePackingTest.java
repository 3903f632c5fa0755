package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/** Forms of so many entries that they have the values of the sorted records as their own. */
class LargePackingTest {
  private static final int ENTRIES = 1_200_000;
  private static final int[] SIZES = {2000, 500, 3000};

  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());

  @AfterEach
  void noLeak() {
    assertThat(scope.liveBytes()).isZero();
    scope.close();
  }

  /** Coordinates, each as one number with the first mode as its highest digit. */
  private static long[] places(String kind) {
    Random random = new Random(7);
    long all = (long) SIZES[0] * SIZES[1] * SIZES[2];
    boolean sorted = kind.startsWith("sorted");
    LongStream places =
        switch (kind) {
          case "sortedSlice" -> LongStream.range(0, ENTRIES).map(e -> all / 2 + e);
          case "repeated" -> LongStream.range(0, ENTRIES).map(e -> random.nextInt(ENTRIES / 4));
          case "slice" -> // nine of ten in one slice of the last mode
              LongStream.range(0, ENTRIES)
                  .map(e -> e % 10 == 0 ? e * (all / ENTRIES) : e * SIZES[2] % all + 5)
                  .distinct();
          default -> LongStream.range(0, ENTRIES).map(e -> e * (all / ENTRIES) + random.nextInt(9));
        };
    long[] made = places.toArray();
    for (int e = made.length - 1; e > 0 && !sorted; e--) {
      int other = random.nextInt(e + 1);
      long kept = made[e];
      made[e] = made[other];
      made[other] = kept;
    }
    return made;
  }

  private static long coordinate(long place, int mode) {
    return switch (mode) {
      case 0 -> place / SIZES[2] / SIZES[1];
      case 1 -> place / SIZES[2] % SIZES[1];
      default -> place % SIZES[2];
    };
  }

  private static Queue<CooBlock> blocks(long[] places, boolean exact) {
    Queue<CooBlock> blocks = new ArrayDeque<>();
    int each = 1 << 16;
    for (int begin = 0; begin < places.length; begin += each) {
      CooBlock.Builder block = new CooBlock.Builder(3, each, exact);
      for (int e = begin; e < Math.min(places.length, begin + each); e++) {
        long[] at = {coordinate(places[e], 0), coordinate(places[e], 1), coordinate(places[e], 2)};
        if (exact) {
          block.addLong(at, e);
        } else {
          block.add(at, e);
        }
      }
      blocks.add(block.build());
    }
    return blocks;
  }

  /** Places in the order of modes, and the sums of the values there. */
  private static long[][] expected(long[] places, int[] order) {
    long[] keys = new long[places.length];
    Arrays.setAll(
        keys,
        e -> {
          long key = coordinate(places[e], order[0]);
          key = key * SIZES[order[1]] + coordinate(places[e], order[1]);
          key = key * SIZES[order[2]] + coordinate(places[e], order[2]);
          return key << 21 | e;
        });
    Arrays.sort(keys);
    long[] merged = new long[keys.length];
    long[] sums = new long[keys.length];
    int kept = 0;
    for (long key : keys) {
      if (kept == 0 || merged[kept - 1] != key >> 21) {
        merged[kept++] = key >> 21;
      }
      sums[kept - 1] += key & (1 << 21) - 1;
    }
    return new long[][] {Arrays.copyOf(merged, kept), Arrays.copyOf(sums, kept)};
  }

  private static void check(TensorStorage form, long[] places) {
    int[] order = form.format().modeOrder();
    long[][] expected = expected(places, order);
    assertThat(form.vals().length()).isEqualTo(expected[0].length);
    CooBlock stored = Packing.unpack(form);
    long[] keys = new long[stored.size()];
    long[] values = new long[stored.size()];
    for (int e = 0; e < keys.length; e++) {
      keys[e] = stored.coordinate(order[0], e);
      keys[e] = keys[e] * SIZES[order[1]] + stored.coordinate(order[1], e);
      keys[e] = keys[e] * SIZES[order[2]] + stored.coordinate(order[2], e);
      values[e] = (long) form.vals().getDouble(e);
    }
    assertThat(Arrays.equals(keys, expected[0])).as("coordinates of %s", form.format()).isTrue();
    assertThat(Arrays.equals(values, expected[1])).as("values of %s", form.format()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "shuffled, 2, false", "shuffled, 1, true", "sorted, 2, false", "sorted, 1, false",
    "sortedSlice, 2, false", "slice, 2, false", "slice, 1, true", "repeated, 2, false"
  })
  void everyFormHasAllEntriesInItsOrder(String kind, int threads, boolean exact) {
    long[] places = places(kind);
    ValueType type = exact ? ValueType.LONG : ValueType.DOUBLE;
    TensorFormat csf = TensorFormat.csf(3, type);
    TensorFormat floats = TensorFormat.csf(3, ValueType.FLOAT);
    List<TensorFormat> formats = new ArrayList<>();
    formats.add(csf);
    formats.add(csf.withModeOrder(1, 0, 2));
    formats.add(floats.withModeOrder(1, 2, 0));
    formats.add(csf.withModeOrder(2, 0, 1));
    formats.add(TensorFormat.coo(3, type).withModeOrder(2, 1, 0));
    formats.add(csf.withModeOrder(0, 2, 1));
    try (PackedForms packed =
        Packing.packAll(
            scope,
            TensorShape.of(SIZES[0], SIZES[1], SIZES[2]),
            formats,
            blocks(places, exact),
            threads)) {
      packed.forms().forEach(form -> check(form, places));
    }
  }
}
