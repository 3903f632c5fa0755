package org.weft.tensor.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.Width;

/**
 * What every level format promises, checked on random levels: a subclass names the format and,
 * where it cannot store every set of entries, makes entries that it can. Passing means that
 * packing, iteration, the declared properties and the width checks agree, for the format as it is
 * and for levels declared unordered or non-unique. {@link BrokenLevelFormatsTest} shows that it can
 * fail.
 */
abstract class LevelFormatContract {
  private static final int ROUNDS = 150;

  private final MemoryScope scope = MemoryScope.root("contract", MemorySource.system());

  abstract LevelFormat format();

  /**
   * A level to pack: the entries of parent {@code p} are {@code [starts[p], starts[p + 1])}.
   *
   * @param coordinates of each entry, sorted under each parent
   * @param below coordinates at a branchless level below, sorted where coordinates repeat
   * @param above the level above, or null
   */
  record Sample(
      long size, long sizeBelow, int[] starts, long[] coordinates, long[] below, LevelView above) {
    int parents() {
      return starts.length - 1;
    }
  }

  /** Whether there is exactly one entry under each parent. */
  boolean oneEntryPerParent() {
    return false;
  }

  /** Whether a coordinate without an entry may be stored, as in a full level. */
  boolean storesZeros() {
    return format().properties().full();
  }

  Sample random(Random random, MemoryScope memory) {
    int parents = random.nextInt(6);
    long size = 1 + random.nextInt(9);
    int[] starts = new int[parents + 1];
    List<Long> coordinates = new ArrayList<>();
    for (int p = 0; p < parents; p++) {
      int count = oneEntryPerParent() ? 1 : random.nextInt(7);
      random.longs(count, 0, size).sorted().forEach(coordinates::add);
      starts[p + 1] = coordinates.size();
    }
    long[] here = coordinates.stream().mapToLong(Long::longValue).toArray();
    long[] below = new long[here.length];
    for (int e = 1; e < below.length; e++) {
      below[e] = below[e - 1] + random.nextInt(2);
    }
    return new Sample(size, 100, starts, here, below, null);
  }

  @AfterEach
  void freeAll() {
    scope.close();
  }

  private static LevelPacking pack(
      LevelFormat format,
      Sample sample,
      LevelProperties properties,
      Width crd,
      MemoryScope memory) {
    int parents = sample.parents();
    int[] ends = new int[parents];
    System.arraycopy(sample.starts, Math.min(1, parents), ends, 0, parents);
    LevelPacking packing =
        new LevelPacking(
            (level, entry) -> level == 0 ? sample.coordinates[entry] : sample.below[entry],
            new LevelPacking.Target(
                0,
                sample.size,
                sample.sizeBelow,
                properties.unique() ? 0 : 1,
                format,
                properties,
                Width.W32,
                crd),
            new LevelPacking.Segments(sample.starts, ends, parents),
            memory);
    format.pack(packing);
    return packing;
  }

  @Test
  void symbolFindsTheFormat() {
    assertThat(LevelFormats.bySymbol(format().symbol())).isSameAs(format());
    assertThat(format().description()).isNotBlank();
  }

  @Test
  void capabilitiesAreThoseOfIterationAndAtMostOneAssembly() {
    assertThat(format().capabilities())
        .containsAnyOf(LevelCapability.COORDINATE_ITERATION, LevelCapability.POSITION_ITERATION);
    boolean inserts = format().capabilities().contains(LevelCapability.INSERT);
    assertThat(inserts && format().capabilities().contains(LevelCapability.APPEND)).isFalse();
    assertThat(!inserts || format().capabilities().contains(LevelCapability.LOCATE)).isTrue();
  }

  @Test
  void iterationFindsWhatWasPackedAndPropertiesHold() {
    LevelProperties p = format().properties();
    check(p);
    check(new LevelProperties(p.full(), false, p.unique(), p.branchless(), p.compact()));
    check(new LevelProperties(p.full(), p.ordered(), false, p.branchless(), p.compact()));
    check(new LevelProperties(p.full(), false, false, p.branchless(), p.compact()));
  }

  private void check(LevelProperties properties) {
    Random random = new Random(20261121);
    for (int round = 0; round < ROUNDS; round++) {
      Sample sample = random(random, scope);
      LevelPacking packing = pack(format(), sample, properties, Width.W8, scope);
      checkPacked(format(), sample, properties, packing);
    }
  }

  @Test
  void aCoordinateWidthThatIsTooNarrowIsAnErrorAndTheNarrowestThatFitsIsNot() {
    if (!format().hasCrd()) {
      return;
    }
    Sample sample = random(new Random(7), scope);
    for (long largest : new long[] {255, 256, 65_535, 65_536, 0xFFFF_FFFFL, 0x1_0000_0000L}) {
      LevelProperties properties = format().properties();
      long size = largest;
      while (format().largestCrd(size, 0, properties) < largest && size < largest + 2) {
        size++;
      }
      if (format().largestCrd(size, 0, properties) != largest || format().isSizedByShape()) {
        continue;
      }
      Sample large =
          new Sample(size, 0, new int[] {0}, sample.coordinates, sample.below, sample.above);
      for (Width width : Width.values()) {
        if (largest <= width.maximum()) {
          assertThat(pack(format(), large, properties, width, scope).crd()).isNotNull();
        } else {
          assertThatThrownBy(() -> pack(format(), large, properties, width, scope))
              .isInstanceOfSatisfying(
                  WeftException.class,
                  e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW))
              .hasMessageContaining(width.bits() + " bits");
        }
      }
    }
  }

  /** What iteration over the packed level must find. */
  private void checkPacked(
      LevelFormat format, Sample sample, LevelProperties properties, LevelPacking packing) {
    LevelView view =
        new LevelView(
            sample.size,
            packing.children(),
            packing.pos(),
            packing.crd(),
            sample.above,
            sample.sizeBelow);
    assertThat(packing.pos() != null).isEqualTo(format.hasPos());
    assertThat(packing.crd() != null).isEqualTo(format.hasCrd());
    assertThat(packing.segments().count()).isEqualTo(packing.children());
    long nextPosition = 0;
    for (int p = 0; p < sample.parents(); p++) {
      long first = format.firstChild(view, p);
      long end = format.endChild(view, p);
      assertThat(first).isGreaterThanOrEqualTo(nextPosition);
      assertThat(end).isBetween(first, (long) packing.children());
      if (properties.compact()) {
        assertThat(first).isEqualTo(nextPosition);
      }
      checkSegment(format, sample, properties, packing, view, p, first, end);
      nextPosition = end;
    }
    if (properties.compact()) {
      assertThat(nextPosition).isEqualTo(packing.children());
    }
  }

  private void checkSegment(
      LevelFormat format,
      Sample sample,
      LevelProperties properties,
      LevelPacking packing,
      LevelView view,
      int parent,
      long first,
      long end) {
    TreeSet<Long> found = new TreeSet<>();
    LevelPacking.Segments segments = packing.segments();
    int owned = 0;
    long previous = -1;
    for (long position = first; position < end; position++) {
      int count = segments.end((int) position) - segments.start((int) position);
      if (!format.isLabelled(view, position)) {
        assertThat(properties.compact()).isFalse();
        assertThat(count).isZero();
        continue;
      }
      assertThat(count > 0 || storesZeros()).isTrue();
      long coordinate = format.coordinate(view, parent, position);
      assertThat(coordinate).isBetween(0L, sample.size - 1);
      boolean fresh = found.add(coordinate);
      assertThat(fresh || !properties.unique()).isTrue();
      assertThat(coordinate >= previous || !properties.ordered()).isTrue();
      previous = coordinate;
      for (int e = segments.start((int) position); e < segments.end((int) position); e++) {
        assertThat(sample.coordinates[e]).isEqualTo(coordinate);
        assertThat(e).isBetween(sample.starts[parent], sample.starts[parent + 1] - 1);
        owned++;
      }
    }
    int expected = sample.starts[parent + 1] - sample.starts[parent];
    assertThat(owned).isEqualTo(expected);
    if (properties.full()) {
      assertThat(found).hasSize((int) sample.size);
    } else if (expected > 0) {
      assertThat(found).contains(sample.coordinates[sample.starts[parent]]);
    }
    if (properties.branchless()) {
      assertThat(end - first).isEqualTo(1);
    }
  }
}
