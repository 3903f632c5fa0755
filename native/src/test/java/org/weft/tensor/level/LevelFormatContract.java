package org.weft.tensor.level;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.Width;

/**
 * What every level format promises, checked on random levels: a subclass names the format and the
 * kind of entries it can store, and passing means that packing, iteration and the declared
 * properties agree.
 */
abstract class LevelFormatContract {
  private static final int ROUNDS = 200;

  private final MemoryScope scope = MemoryScope.root("contract", MemorySource.system());

  abstract LevelFormat format();

  /** Whether the format needs exactly one entry under each parent. */
  boolean oneEntryPerParent() {
    return false;
  }

  @AfterEach
  void freeAll() {
    scope.close();
  }

  /** Parent segments with sorted coordinates; entries may repeat a coordinate. */
  private record Level(long modeSize, int[] starts, long[] coordinates) {
    int parents() {
      return starts.length - 1;
    }
  }

  private Level random(Random random) {
    int parents = random.nextInt(6);
    long modeSize = 1 + random.nextInt(9);
    int[] starts = new int[parents + 1];
    List<Long> coordinates = new ArrayList<>();
    for (int p = 0; p < parents; p++) {
      int count = oneEntryPerParent() ? 1 : random.nextInt(7);
      random.longs(count, 0, modeSize).sorted().forEach(coordinates::add);
      starts[p + 1] = coordinates.size();
    }
    return new Level(modeSize, starts, coordinates.stream().mapToLong(Long::longValue).toArray());
  }

  private LevelPacking pack(Level level) {
    LevelPacking packing =
        new LevelPacking(
            (l, entry) -> level.coordinates[entry],
            0,
            level.parents(),
            level.starts,
            level.modeSize,
            Width.W32,
            Width.W8,
            scope);
    format().pack(packing);
    return packing;
  }

  @Test
  void symbolFindsTheFormat() {
    assertThat(LevelFormats.bySymbol(format().symbol())).isSameAs(format());
    assertThat(format().description()).isNotBlank();
  }

  @Test
  void everyLevelCanBeIterated() {
    assertThat(format().capabilities())
        .containsAnyOf(LevelCapability.COORDINATE_ITERATION, LevelCapability.POSITION_ITERATION);
  }

  @Test
  void iterationFindsWhatWasPackedAndPropertiesHold() {
    Random random = new Random(20261121);
    for (int round = 0; round < ROUNDS; round++) {
      Level level = random(random);
      LevelPacking packing = pack(level);
      LevelView view =
          new LevelView(level.modeSize, packing.children(), packing.pos(), packing.crd());
      assertThat(packing.pos() != null).isEqualTo(format().hasPos());
      assertThat(packing.crd() != null).isEqualTo(format().hasCrd());
      long nextPosition = 0;
      for (int p = 0; p < level.parents(); p++) {
        long first = format().firstChild(view, p);
        long end = format().endChild(view, p);
        if (format().properties().compact()) {
          assertThat(first).isEqualTo(nextPosition);
        }
        checkSegment(level, packing, view, p, first, end);
        nextPosition = end;
      }
      assertThat(nextPosition).isEqualTo(packing.children());
    }
  }

  private void checkSegment(
      Level level, LevelPacking packing, LevelView view, int parent, long first, long end) {
    LevelProperties properties = format().properties();
    Set<Long> found = new HashSet<>();
    int owned = 0;
    long previous = -1;
    for (long position = first; position < end; position++) {
      long coordinate = format().coordinate(view, parent, position);
      boolean fresh = found.add(coordinate);
      assertThat(fresh || !properties.unique()).isTrue();
      assertThat(coordinate >= previous || !properties.ordered()).isTrue();
      previous = coordinate;
      int[] starts = packing.childStarts();
      for (int e = starts[(int) position]; e < starts[(int) position + 1]; e++) {
        assertThat(level.coordinates[e]).isEqualTo(coordinate);
        assertThat(e).isBetween(level.starts[parent], level.starts[parent + 1] - 1);
        owned++;
      }
    }
    assertThat(owned).isEqualTo(level.starts[parent + 1] - level.starts[parent]);
    if (properties.full()) {
      assertThat(found).hasSize((int) level.modeSize);
    }
    if (properties.branchless()) {
      assertThat(end - first).isEqualTo(1);
    }
  }
}
