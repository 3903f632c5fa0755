package org.weft.spark.kernel;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.weft.memory.ArrayBytes;

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
    ArrayBytes.write(out, offsets, offsets.length);
    out.writeInt(values.length);
    ArrayBytes.write(out, values, values.length);
  }

  public static RowBlock readFrom(DataInput in) throws IOException {
    int partition = in.readInt();
    long firstRow = in.readLong();
    int columns = in.readInt();
    int[] offsets = new int[in.readInt()];
    ArrayBytes.read(in, offsets);
    double[] values = new double[in.readInt()];
    ArrayBytes.read(in, values);
    return new RowBlock(partition, firstRow, columns, offsets, values);
  }
}
