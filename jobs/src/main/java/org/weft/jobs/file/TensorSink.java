package org.weft.jobs.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.weft.storage.TensorWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.EntryVisitor;

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

  public void flush() {
    try {
      writer.write(block.build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    block = new CooBlock.Builder(order, BLOCK);
  }

  public long entries() {
    return entries;
  }
}
