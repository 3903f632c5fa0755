package org.weft.spark.output;

import java.io.IOException;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.spark.kernel.RowBlock;
import org.weft.storage.TensorWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Writes every cell of a dense result in row-major order, from blocks sorted by first row: adds
 * blocks of the same rows, and fills rows without a block with zeros.
 */
final class RowSums {
  private static final int FILL_ELEMENTS = 1 << 16;

  private final TensorShape shape;
  private final TensorWriter writer;
  private final long first;
  private final long rows;
  private final int columns;
  private long nextRow;
  private @Nullable RowBlock current;
  private final BitSet scattered = new BitSet();

  /** Order 2: rows x columns; order 1: one row; order 0: one number. */
  RowSums(TensorShape shape, TensorWriter writer) {
    this(shape, writer, 0, shape.order() == 2 ? shape.size(0) : 1);
  }

  /** The rows {@code [from, to)} of a matrix; the row of other shapes is {@code [0, 1)}. */
  RowSums(TensorShape shape, TensorWriter writer, long from, long to) {
    this.shape = shape;
    this.writer = writer;
    this.first = from;
    this.nextRow = from;
    this.rows = to;
    this.columns = shape.order() == 0 ? 1 : Math.toIntExact(shape.size(shape.order() - 1));
  }

  void add(RowBlock block) throws IOException {
    if (!block.isConsecutive()) {
      scatter(block);
      return;
    }
    RowBlock before = current;
    if (before != null
        && before.firstRow() == block.firstRow()
        && before.values().length == block.values().length) {
      for (int i = 0; i < block.values().length; i++) {
        before.values()[i] += block.values()[i];
      }
      return;
    }
    flush();
    current = block;
  }

  /** Adds rows of a region of {@link OriginalRows}, whose blocks follow one another. */
  private void scatter(RowBlock block) throws IOException {
    RowBlock region = current;
    if (region == null || region.firstRow() != block.firstRow()) {
      flush();
      long inRegion = Math.min(OriginalRows.regionRows(columns), rows - block.firstRow());
      double[] zeros = new double[Math.toIntExact(inRegion * columns)];
      region = new RowBlock(block.partition(), block.firstRow(), columns, zeros);
      current = region;
      scattered.clear();
    }
    for (int i = 0; i < block.rows(); i++) {
      int row = block.offsets()[i];
      int to = row * columns;
      if (scattered.get(row)) {
        for (int r = 0; r < columns; r++) {
          region.values()[to + r] += block.values()[i * columns + r];
        }
      } else {
        System.arraycopy(block.values(), i * columns, region.values(), to, columns);
        scattered.set(row);
      }
    }
  }

  /** Writes what is left; returns the number of cells. */
  long finish() throws IOException {
    flush();
    fillTo(rows);
    return (rows - first) * columns;
  }

  private void flush() throws IOException {
    RowBlock block = current;
    if (block == null) {
      return;
    }
    if (block.firstRow() < nextRow) {
      throw new IllegalStateException(
          "rows from " + block.firstRow() + " come after row " + nextRow);
    }
    fillTo(block.firstRow());
    write(block.firstRow(), block.values());
    nextRow = block.firstRow() + block.rows();
    current = null;
  }

  private void fillTo(long row) throws IOException {
    int most = Math.max(1, FILL_ELEMENTS / Math.max(1, columns));
    while (nextRow < row) {
      int count = (int) Math.min(most, row - nextRow);
      write(nextRow, new double[count * columns]);
      nextRow += count;
    }
  }

  private void write(long firstRow, double[] values) throws IOException {
    if (shape.order() == 2) {
      writer.writeRows(firstRow, columns, values);
      return;
    }
    Object[] coordinates = new Object[shape.order()];
    if (shape.order() == 1) {
      coordinates[0] = IntStream.range(0, values.length).toArray();
    }
    writer.write(CooBlock.ofColumns(coordinates, values, values.length));
  }
}
