package org.weft.engine.entries;

import java.util.stream.IntStream;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Entries that a tensor has in the slices by which it has grown. */
public final class NewEntries {
  private NewEntries() {}

  /**
   * What selects them.
   *
   * @param before mode sizes that it had
   */
  public static EntryBlocks.OfBlock<CooBlock> outside(TensorShape before) {
    long[] sizes = before.toArray();
    return block ->
        block.select(
            IntStream.range(0, block.size()).filter(e -> isOutside(block, e, sizes)).toArray());
  }

  private static boolean isOutside(CooBlock block, int entry, long[] sizes) {
    return IntStream.range(0, sizes.length)
        .anyMatch(mode -> block.coordinate(mode, entry) >= sizes[mode]);
  }
}
