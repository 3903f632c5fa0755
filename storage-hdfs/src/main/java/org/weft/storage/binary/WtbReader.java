package org.weft.storage.binary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** The blocks of one split, as the file has them: the option {@code blockEntries} is not asked. */
final class WtbReader implements BlockReader {
  private final SourceFile file;
  private final InputPlan plan;
  private final InputStream in;
  private final int order;
  private final long end;
  private final long[] maxCoordinates;
  private long at;
  private long entries;

  WtbReader(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    this.file = file;
    this.plan = plan;
    this.order = plan.header().order();
    this.at = split.start();
    this.end = split.end();
    this.maxCoordinates = new long[order];
    Arrays.fill(maxCoordinates, -1);
    this.in = file.open(at);
  }

  @Override
  public boolean hasNext() {
    return at < end;
  }

  @Override
  public CooBlock next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    try {
      CooBlock block = readBlock();
      check(block);
      entries += block.size();
      if (!hasNext() && plan.splits().size() == 1) {
        plan.verify(summary());
      }
      return block;
    } catch (IOException e) {
      throw FileAccess.unavailable(file.uri(), e);
    }
  }

  private CooBlock readBlock() throws IOException {
    int headBytes = WtbBlock.headBytes(order);
    byte[] head = in.readNBytes(headBytes);
    if (head.length < headBytes) {
      throw WtbFooter.truncated(file);
    }
    long bytes = WtbBlock.blockBytes(ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN), order);
    if (bytes < 0 || bytes > end - at || bytes > Integer.MAX_VALUE - 8) {
      throw WtbFooter.corrupt(file, "no valid block", at);
    }
    byte[] whole = Arrays.copyOf(head, (int) bytes);
    if (in.readNBytes(whole, headBytes, whole.length - headBytes) < whole.length - headBytes) {
      throw WtbFooter.truncated(file);
    }
    ByteBuffer block = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    int checked = whole.length - WtbBlock.CHECK_BYTES;
    int found = WtbBlock.checkSum(whole, 0, checked);
    if (found != block.getInt(checked)) {
      throw WtbFooter.mismatch(file, "the block", at, block.getInt(checked), found);
    }
    CooBlock decoded = WtbBlock.decode(block, order);
    if (decoded == null) {
      throw WtbFooter.corrupt(file, "a negative coordinate in the block", at);
    }
    at += bytes;
    return decoded;
  }

  private void check(CooBlock block) {
    for (int mode = 0; mode < order; mode++) {
      for (int e = 0; e < block.size(); e++) {
        maxCoordinates[mode] = Math.max(maxCoordinates[mode], block.coordinate(mode, e));
      }
      long size = plan.header().shape().orElseThrow().size(mode);
      if (maxCoordinates[mode] >= size) {
        throw new WeftException(
            ErrorCode.COORDINATE_OUT_OF_RANGE,
            file.uri()
                + ": expected coordinates of mode "
                + mode
                + " below its size "
                + size
                + ", found "
                + maxCoordinates[mode]
                + " (counted from 0)");
      }
    }
    for (int e = 0; e < block.size() && !plan.options().allowNonfinite(); e++) {
      if (!Double.isFinite(block.value(e))) {
        throw new WeftException(
            ErrorCode.NONFINITE_VALUE,
            file.uri()
                + ": expected finite values, found "
                + block.value(e)
                + " in entry "
                + (entries + e)
                + " of the split; to keep it, allow non-finite values (--allow-nonfinite)");
      }
    }
  }

  @Override
  public ReadSummary summary() {
    return new ReadSummary(maxCoordinates, entries, entries, 0);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
