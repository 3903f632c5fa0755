package org.weft.spark.kernel;

import org.weft.memory.NativeArray;
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
  @Override
  public StepPart of(Integer range) {
    long from = step.starts()[range];
    long to = step.starts()[range + 1];
    TensorShape shape = TensorShape.of(to - from, parts.columns());
    TensorStorage made =
        TensorStorage.dense(TaskMemory.ofTask().scope(), shape, step.productType());
    long count = FactorBlocks.blockRows((long) parts.columns() * parts.type().bytes());
    for (long row = from; row < to; row += count) {
      add(row, Math.min(to, row + count), made.vals(), (row - from) * parts.columns());
    }
    return step.run(range, range, made);
  }

  private void add(long from, long to, NativeArray made, long at) {
    double[] sums = new double[Math.toIntExact((to - from) * parts.columns())];
    for (int part = 0; part < firsts.length; part++) {
      long skipped = parts.starts()[part] - firsts[part];
      long first = Math.max(from, firsts[part]);
      long end = Math.min(to, parts.starts()[part + 1] - skipped);
      if (first < end) {
        double[] some = parts.rows(first + skipped, end + skipped);
        int target = (int) (first - from) * parts.columns();
        for (int i = 0; i < some.length; i++) {
          sums[target + i] += some[i];
        }
      }
    }
    for (int i = 0; i < sums.length; i++) {
      made.setDouble(at + i, sums[i]);
    }
  }
}
