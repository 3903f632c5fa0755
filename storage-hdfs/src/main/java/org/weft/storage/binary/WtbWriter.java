package org.weft.storage.binary;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Gathers entries to blocks of one size and writes each as it is full; memory is one block. */
final class WtbWriter implements TensorWriter {
  private static final int BLOCK_ENTRIES = 1 << 16;

  private final OutputStream out;
  private final int order;
  private final WriteOptions options;
  private final CooBlock.Builder builder;
  private final long[] coordinates;
  private final long[] maxCoordinates;
  private final List<WtbFooter.Block> blocks = new ArrayList<>();
  private long at;
  private long entries;
  private boolean closed;

  WtbWriter(OutputStream out, int order, WriteOptions options) throws IOException {
    this.out = out;
    this.order = order;
    this.options = options;
    this.builder = new CooBlock.Builder(order, BLOCK_ENTRIES);
    this.coordinates = new long[order];
    this.maxCoordinates = new long[order];
    Arrays.fill(maxCoordinates, -1);
    put(WtbFooter.header(order));
  }

  private void put(byte[] bytes) throws IOException {
    out.write(bytes);
    at += bytes.length;
  }

  @Override
  public void write(CooBlock block) throws IOException {
    if (block.order() != order) {
      throw new IllegalArgumentException(
          "a block of order " + block.order() + " for a tensor of order " + order);
    }
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < order; mode++) {
        coordinates[mode] = block.coordinate(mode, e);
        maxCoordinates[mode] = Math.max(maxCoordinates[mode], coordinates[mode]);
      }
      if (block.hasLongValues() && !isExact(block.longValue(e))) {
        throw new WeftException(
            ErrorCode.VALUE_OUT_OF_RANGE,
            "expected values that a .wtb file holds, which has doubles, found the integer "
                + block.longValue(e)
                + "; write .tns, .mtx, .npy or .weft");
      }
      builder.add(coordinates, block.value(e));
      if (builder.size() == BLOCK_ENTRIES) {
        writeBlock();
      }
    }
  }

  private static boolean isExact(long value) {
    return (long) (double) value == value && value != Long.MAX_VALUE;
  }

  private void writeBlock() throws IOException {
    CooBlock block = builder.build();
    byte[] bytes = WtbBlock.encode(block);
    blocks.add(new WtbFooter.Block(at, bytes.length, block.size()));
    entries += block.size();
    put(bytes);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (out) {
      if (builder.size() > 0) {
        writeBlock();
      }
      List<WtbFooter.Section> sections = new ArrayList<>();
      for (Map.Entry<Integer, Labels> labels : new TreeMap<>(options.labels()).entrySet()) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        labels.getValue().write(text);
        byte[] bytes = text.toByteArray();
        int check = WtbBlock.checkSum(bytes, 0, bytes.length);
        sections.add(
            new WtbFooter.Section(WtbFooter.LABELS, labels.getKey(), at, bytes.length, check));
        put(bytes);
      }
      TensorShape shape =
          options
              .shape()
              .orElseGet(
                  () -> TensorShape.of(LongStream.of(maxCoordinates).map(m -> m + 1).toArray()));
      put(new WtbFooter(shape, entries, blocks, sections).encode());
    }
  }
}
