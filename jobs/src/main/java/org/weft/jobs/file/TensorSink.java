package org.weft.jobs.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import org.weft.storage.TensorWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.TensorStorage.EntryVisitor;

/** Gathers entries into blocks for a writer; memory is one block. Flush it at the end. */
public final class TensorSink implements EntryVisitor {
  private static final int BLOCK = 1 << 16;

  private final TensorWriter writer;
  private final int order;
  private CooBlock.Builder block;
  private long entries;

  public TensorSink(TensorWriter writer, int order) {
    this.writer = writer;
    this.order = order;
    this.block = new CooBlock.Builder(order, BLOCK);
  }

  @Override
  public void visit(long[] coordinates, double value) {
    block.add(coordinates, value);
    entries++;
    if (block.size() == BLOCK) {
      flush();
    }
  }

  /** Writes the entries of {@code tensor} in storage order, its longs with all their digits. */
  public void write(TensorStorage tensor) {
    flush();
    for (Iterator<CooBlock> blocks = Packing.unpackBlocks(tensor, BLOCK); blocks.hasNext(); ) {
      CooBlock next = blocks.next();
      write(next);
      entries += next.size();
    }
  }

  public void flush() {
    write(block.build());
    block = new CooBlock.Builder(order, BLOCK);
  }

  private void write(CooBlock entries) {
    try {
      writer.write(entries);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long entries() {
    return entries;
  }
}
