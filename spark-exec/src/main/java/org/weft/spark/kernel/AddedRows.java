package org.weft.spark.kernel;

import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.ColumnPasses;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.PartitionWork.ElementWork;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Runs a step on a range of rows that several partitions have a part in: adds the parts up in the
 * order of the partitions, some rows at a time.
 *
 * @param parts rows that partitions have made, those of one after those of another
 * @param firsts row of the result that the first row of each partition's part is for
 */
@SuppressWarnings("ArrayRecordComponent")
public record AddedRows(RowsStep step, FactorVersion parts, long[] firsts)
    implements ElementWork<Integer, StepPart> {
  private static final int BLOCKS = 8; // whose rows are asked for together

  @Override
  public StepPart of(Integer range) {
    long from = step.starts()[range];
    long to = step.starts()[range + 1];
    TensorShape shape = TensorShape.of(to - from, parts.columns());
    TensorStorage made =
        TensorStorage.dense(TaskMemory.ofTask().scope(), shape, step.productType());
    long rowBytes = (long) parts.columns() * parts.type().bytes();
    long count = BLOCKS * FactorBlocks.blockRows(rowBytes);
    try (TensorStorage some =
        TensorStorage.dense(
            TaskMemory.ofTask().scope(),
            TensorShape.of(Math.min(count, to - from), parts.columns()),
            parts.type())) {
      for (long row = from; row < to; row += count) {
        add(row, Math.min(to, row + count), made.vals(), row - from, some.vals());
      }
    }
    return step.run(range, range, made);
  }

  /**
   * Adds the parts of rows {@code [from, to)} up.
   *
   * @param made zeros, from {@code row} on
   * @param some memory for these rows
   */
  private void add(long from, long to, NativeArray made, long row, NativeArray some) {
    int columns = parts.columns();
    int rowBytes = columns * parts.type().bytes();
    boolean first = true;
    for (int part = 0; part < firsts.length; part++) {
      long skipped = parts.starts()[part] - firsts[part];
      long begin = Math.max(from, firsts[part]);
      long end = Math.min(to, parts.starts()[part + 1] - skipped);
      if (begin < end) {
        long at = row + begin - from;
        if (first) {
          parts.copy(begin + skipped, end + skipped, made.address() + at * rowBytes);
        } else {
          NativeMemory.fill(some.address(), (end - begin) * rowBytes, (byte) 0);
          parts.copy(begin + skipped, end + skipped, some.address());
          ColumnPasses.add(some, (end - begin) * columns, made, at * columns);
        }
        first = false;
      }
    }
  }
}
