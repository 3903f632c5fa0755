package org.weft.storage.container;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * From original coordinates to those that a reordered container stores, for entries that are added
 * to it. Coordinates that it did not have yet keep their places, after those that it has. Memory: 4
 * bytes per coordinate of each mode that was reordered.
 */
final class StoredOrder {
  private final String uri;
  private final Map<Integer, int[]> stored;

  private StoredOrder(String uri, Map<Integer, int[]> stored) {
    this.uri = uri;
    this.stored = stored;
  }

  /**
   * That of {@code base}, or of a container in its original order without one.
   *
   * @throws WeftException {@code CORRUPT_INPUT} if a permutation is none
   */
  static StoredOrder of(@Nullable Container base) {
    if (base == null) {
      return new StoredOrder("", Map.of());
    }
    base.original(); // checks them
    return new StoredOrder(base.uri(), base.permutations());
  }

  /** {@code options} with a shape that has room for stored coordinates, too. */
  static WriteOptions covering(WriteOptions options, @Nullable Container base) {
    TensorShape shape = options.shape().orElse(null);
    if (base == null || shape == null || shape.order() != base.shape().order()) {
      return options;
    }
    long[] sizes = new long[shape.order()];
    for (int mode = 0; mode < sizes.length; mode++) {
      long present = base.isReordered(mode) ? base.shape().size(mode) : 0;
      sizes[mode] = Math.max(shape.size(mode), present);
    }
    return options.withShape(TensorShape.of(sizes));
  }

  /** The entries under stored coordinates, as they stand. */
  CooBlock apply(CooBlock block) {
    return stored.isEmpty() ? block : Blocks.relabelled(block, stored, this::stored);
  }

  private int stored(int mode, int[] known, long coordinate) {
    if (coordinate >= known.length) {
      return Math.toIntExact(requireNarrow(mode, coordinate));
    }
    return known[(int) coordinate];
  }

  private long requireNarrow(int mode, long coordinate) {
    if (coordinate >= Integer.MAX_VALUE) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          uri
              + ": expected coordinates below 2^31 - 1 to add to mode "
              + mode
              + ", which was reordered, found "
              + coordinate
              + "; add them to the original and reorder that");
    }
    return coordinate;
  }

  /** The permutation of a mode that now has {@code size} coordinates; null: in original order. */
  int @Nullable [] permutation(int mode, long size) {
    int @Nullable [] known = stored.get(mode);
    if (known == null) {
      return null;
    }
    int[] extended = Arrays.copyOf(known, (int) Math.max(known.length, size));
    for (int c = known.length; c < extended.length; c++) {
      extended[c] = c;
    }
    return extended;
  }

  /** Labels of original coordinates as labels of stored ones. */
  Labels labels(int mode, Labels original) {
    int @Nullable [] known = stored.get(mode);
    if (known == null) {
      return original;
    }
    int count = original.size();
    int[] there = new int[count];
    for (int c = 0; c < count; c++) {
      int place = stored(mode, known, c);
      if (place >= count) {
        throw new WeftException(
            ErrorCode.USAGE,
            uri
                + ": expected a label for each of the "
                + Counts.plain(known.length, "coordinate")
                + " of mode "
                + mode
                + ", which was reordered, found "
                + count);
      }
      there[place] = c;
    }
    Labels.Builder names = new Labels.Builder();
    for (int place = 0; place < count; place++) {
      names.add(original.utf8(there[place]));
    }
    return names.build();
  }
}
