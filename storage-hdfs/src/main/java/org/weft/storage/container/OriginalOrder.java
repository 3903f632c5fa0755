package org.weft.storage.container;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.tensor.CooBlock;

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
              + size
              + " coordinates of "
              + container.modeNames().get(mode)
              + ", found "
              + stored.length
              + " numbers that are none; its writer was at fault, write the tensor again");
    }
    return original;
  }

  boolean isStored() {
    return originals.isEmpty();
  }

  /** The entries under original coordinates, as they stand; shares values and unmoved columns. */
  CooBlock apply(CooBlock block) {
    if (isStored()) {
      return block;
    }
    Object[] columns = new Object[block.order()];
    for (int mode = 0; mode < columns.length; mode++) {
      int @Nullable [] labels = originals.get(mode);
      if (labels == null) {
        columns[mode] = block.isWide(mode) ? block.longColumn(mode) : block.intColumn(mode);
        continue;
      }
      int[] column = new int[block.size()];
      for (int e = 0; e < column.length; e++) {
        column[e] = labels[(int) block.coordinate(mode, e)];
      }
      columns[mode] = column;
    }
    return block.hasLongValues()
        ? CooBlock.ofColumns(columns, block.longValues(), block.size())
        : CooBlock.ofColumns(columns, block.values(), block.size());
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
          String[] names = new String[back.length];
          for (int c = 0; c < back.length; c++) {
            names[back[c]] = labels.label(c);
          }
          return Labels.of(List.of(names));
        });
    return moved;
  }
}
