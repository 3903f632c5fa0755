package org.weft.spark.kernel;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.weft.memory.NativeMemory;

/**
 * Rows of a dense result, computed by one partition.
 *
 * @param firstRow row of the whole result
 * @param columns numbers in a row
 * @param offsets what to add to {@code firstRow} for each row; empty for consecutive rows
 * @param values row-major
 */
@SuppressWarnings("ArrayRecordComponent")
public record RowBlock(int partition, long firstRow, int columns, int[] offsets, double[] values) {
  private static final int COPY_ELEMENTS = 8192;
  private static final int[] CONSECUTIVE = {};

  /** Consecutive rows. */
  public RowBlock(int partition, long firstRow, int columns, double[] values) {
    this(partition, firstRow, columns, CONSECUTIVE, values);
  }

  public boolean isConsecutive() {
    return offsets.length == 0;
  }

  /** Number of rows. */
  public int rows() {
    return columns == 0 ? 0 : values.length / columns;
  }

  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(partition);
    out.writeLong(firstRow);
    out.writeInt(columns);
    out.writeInt(offsets.length);
    for (int offset : offsets) {
      out.writeInt(offset);
    }
    out.writeInt(values.length);
    byte[] buffer = new byte[Math.min(COPY_ELEMENTS, values.length) * Double.BYTES];
    for (int at = 0; at < values.length; at += COPY_ELEMENTS) {
      int count = Math.min(COPY_ELEMENTS, values.length - at);
      NativeMemory.copyBytes(values, at, buffer, 0, count);
      out.write(buffer, 0, count * Double.BYTES);
    }
  }

  public static RowBlock readFrom(DataInput in) throws IOException {
    int partition = in.readInt();
    long firstRow = in.readLong();
    int columns = in.readInt();
    int[] offsets = new int[in.readInt()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = in.readInt();
    }
    double[] values = new double[in.readInt()];
    byte[] buffer = new byte[Math.min(COPY_ELEMENTS, values.length) * Double.BYTES];
    for (int at = 0; at < values.length; at += COPY_ELEMENTS) {
      int count = Math.min(COPY_ELEMENTS, values.length - at);
      in.readFully(buffer, 0, count * Double.BYTES);
      NativeMemory.copyBytes(buffer, 0, values, at, count);
    }
    return new RowBlock(partition, firstRow, columns, offsets, values);
  }
}
