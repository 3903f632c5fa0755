package org.weft.storage.container;

import java.util.Collections;
import java.util.Iterator;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.BlockReader;
import org.weft.storage.ReadSummary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;

/** The entries of one part in blocks; the part is in memory while it is read. */
final class ContainerReader implements BlockReader {
  private final MemoryScope scope;
  private final Iterator<CooBlock> blocks;
  private final long[] largest;
  private long entries;

  /** Reads {@code part}, or nothing if that is -1. */
  ContainerReader(Container container, int part, int blockEntries) {
    this.scope = MemoryScope.root("part of " + container.uri(), MemorySource.system());
    this.largest = new long[container.shape().order()];
    java.util.Arrays.fill(largest, -1);
    boolean loaded = false;
    try {
      if (part < 0) {
        blocks = Collections.emptyIterator();
      } else {
        TensorFormat format =
            container.format().narrowedFor(container.shape(), container.entries(part));
        blocks =
            Packing.unpackBlocks(
                container.load(scope, part, format, container.shape(), 0), blockEntries);
        for (int mode = 0; mode < largest.length; mode++) {
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
