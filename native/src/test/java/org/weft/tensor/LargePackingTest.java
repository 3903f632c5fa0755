package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
                  .map(e -> e % 10 == 0 ? e * (all / ENTRIES) : e * SIZES[2] % all + 5);
          default -> LongStream.range(0, ENTRIES).map(e -> e * (all / ENTRIES) + random.nextInt(9));
        };
    long[] made = kind.equals("slice") ? different(places.toArray()) : places.toArray();
    for (int e = made.length - 1; e > 0 && !sorted; e--) {
      int other = random.nextInt(e + 1);
      long kept = made[e];
      made[e] = made[other];
      made[other] = kept;
    }
    return made;
  }

  private static long[] different(long[] places) {
    Arrays.sort(places);
    int count = 1;
    for (long place : places) {
      if (place != places[count - 1]) {
        places[count++] = place;
      }
    }
    return Arrays.copyOf(places, count);
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

  /**
   * Every place once, in the order of modes, with the sum of its values. Where places are
   * different, a value is the number of its entry.
   */
  private static void check(TensorStorage form, long[] places, boolean repeated) {
    int[] order = form.format().modeOrder();
    BitSet taken = new BitSet();
    long[] sums = new long[repeated ? ENTRIES / 4 : 0];
    for (int e = 0; repeated && e < places.length; e++) {
      taken.set((int) places[e]);
      sums[(int) places[e]] += e;
    }
    int count = repeated ? taken.cardinality() : places.length;
    assertThat(form.vals().length()).isEqualTo(count);
    long[] seen = {-1, 0}; // the key before, entries
    boolean[] faults = new boolean[2]; // of the order, of values
    form.forEachEntry(
        (at, exactly) -> {
          long key = (at[order[0]] * SIZES[order[1]] + at[order[1]]) * SIZES[order[2]];
          key += at[order[2]];
          faults[0] |= key <= seen[0];
          seen[0] = key;
          seen[1]++;
          long place = (at[0] * SIZES[1] + at[1]) * SIZES[2] + at[2];
          long value = (long) exactly;
          faults[1] |=
              repeated
                  ? place >= sums.length || value != sums[(int) place]
                  : value < 0 || value >= count || place != places[(int) value];
        });
    assertThat(faults[0]).as("order of %s", form.format()).isFalse();
    assertThat(faults[1]).as("coordinates and values of %s", form.format()).isFalse();
    assertThat(seen[1]).as("entries of %s", form.format()).isEqualTo(count);
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
      packed.forms().forEach(form -> check(form, places, kind.equals("repeated")));
    }
  }
}
