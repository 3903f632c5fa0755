package org.weft.storage.container;

import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.BlockReader;
import org.weft.storage.ReadOptions;
import org.weft.storage.ReadSummary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;

/** The entries of one part in blocks; the part is in memory while it is read. */
final class ContainerReader implements BlockReader {
  private final MemoryScope scope;
  private final Iterator<CooBlock> blocks;
  private final long[] largest;
  private final @Nullable OriginalOrder original;
  private long entries;

  /** Reads {@code part}, or nothing if that is -1. */
  ContainerReader(Container container, int part, ReadOptions options) {
    this.scope = MemoryScope.root("part of " + container.uri(), MemorySource.system());
    this.largest = new long[container.shape().order()];
    java.util.Arrays.fill(largest, -1);
    boolean loaded = false;
    try {
      boolean values = options.wanted() == ReadOptions.Wanted.VALUES;
      boolean asStored = options.storedOrder() || values || part < 0;
      OriginalOrder order = asStored ? null : container.original();
      original = order == null || order.isStored() ? null : order;
      if (part < 0) {
        blocks = Collections.emptyIterator();
      } else if (values && container.hasValuePerEntry(part)) {
        blocks = new ValueBlocks(container.loadValues(scope, part), largest.length, options);
      } else {
        TensorFormat format =
            container.format().narrowedFor(container.shape(), container.entries(part));
        blocks =
            Packing.unpackBlocks(
                options.wanted() == ReadOptions.Wanted.COORDINATES
                    ? container.loadCoordinates(scope, part, format)
                    : container.load(scope, part, format, container.shape(), 0),
                options.blockEntries());
      }
      if (part >= 0) {
        for (int mode = 0; mode < largest.length && original == null; mode++) {
          largest[mode] = container.last(part, mode);
        }
      }
      loaded = true;
    } finally {
      if (!loaded) {
        scope.close();
      }
    }
  }

  @Override
  public boolean hasNext() {
    return blocks.hasNext();
  }

  @Override
  public CooBlock next() {
    CooBlock block = blocks.next();
    entries += block.size();
    return original == null ? block : counted(original.apply(block));
  }

  private CooBlock counted(CooBlock block) {
    for (int mode = 0; mode < largest.length; mode++) {
      for (int e = 0; e < block.size(); e++) {
        largest[mode] = Math.max(largest[mode], block.coordinate(mode, e));
      }
    }
    return block;
  }

  @Override
  public ReadSummary summary() {
    return new ReadSummary(largest, entries, entries, 0);
  }

  @Override
  public void close() {
    if (!scope.isClosed()) {
      scope.close();
    }
  }
}
