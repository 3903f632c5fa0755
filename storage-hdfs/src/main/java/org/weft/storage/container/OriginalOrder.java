package org.weft.storage.container;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.tensor.CooBlock;
import org.weft.text.Counts;

/**
 * From the coordinates that a container stores to those that its tensor had before it was
 * reordered: what readers show unless asked for the stored ones. Memory: 4 bytes per coordinate of
 * each mode that was reordered.
 */
final class OriginalOrder {
  private final Map<Integer, int[]> originals;

  private OriginalOrder(Map<Integer, int[]> originals) {
    this.originals = originals;
  }

  /**
   * Inverts the permutations of {@code container}.
   *
   * @throws WeftException {@code CORRUPT_INPUT} if one is no permutation of its mode
   */
  static OriginalOrder of(Container container) {
    Map<Integer, int[]> originals = new HashMap<>();
    container
        .permutations()
        .forEach(
            (mode, stored) ->
                originals.put(
                    mode, inverted(stored, container.shape().size(mode), container, mode)));
    return new OriginalOrder(originals);
  }

  private static int[] inverted(int[] stored, long size, Container container, int mode) {
    int[] original = new int[stored.length];
    Arrays.fill(original, -1);
    boolean bijection = stored.length == size;
    for (int c = 0; c < stored.length && bijection; c++) {
      bijection = stored[c] >= 0 && stored[c] < stored.length && original[stored[c]] < 0;
      if (bijection) {
        original[stored[c]] = c;
      }
    }
    if (!bijection) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          container.uri()
              + ": expected a permutation of the "
              + Counts.plain(size, "coordinate")
              + " of "
              + container.modeNames().get(mode)
              + ", found "
              + Counts.plain(stored.length, "number")
              + " that are none; its writer was at fault, write the tensor again");
    }
    return original;
  }

  /** The original coordinate of a stored one. */
  long of(int mode, long stored) {
    int @Nullable [] back = originals.get(mode);
    return back == null ? stored : back[(int) stored];
  }

  boolean isStored() {
    return originals.isEmpty();
  }

  /** The entries under original coordinates, as they stand; shares values and unmoved columns. */
  CooBlock apply(CooBlock block) {
    if (isStored()) {
      return block;
    }
    return Blocks.relabelled(block, originals, (mode, labels, c) -> labels[(int) c]);
  }

  /** Labels of stored coordinates as labels of original ones. */
  Map<Integer, Labels> labels(Map<Integer, Labels> stored) {
    Map<Integer, Labels> moved = new HashMap<>(stored);
    moved.replaceAll(
        (mode, labels) -> {
          int @Nullable [] back = originals.get(mode);
          if (back == null) {
            return labels;
          }
          int[] there = new int[back.length];
          int last = -1;
          for (int c = 0; c < back.length; c++) {
            there[back[c]] = c;
            last = c < labels.size() ? Math.max(last, back[c]) : last;
          }
          Labels.Builder names = new Labels.Builder();
          for (int c = 0; c <= last; c++) {
            boolean known = there[c] < labels.size();
            names.add(known ? labels.utf8(there[c]) : Labels.number(c));
          }
          return names.build();
        });
    return moved;
  }
}
