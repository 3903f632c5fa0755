package org.weft.spark.kernel;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import org.weft.memory.NativeArray;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Runs a step on rows of a statement's result that have been added up elsewhere. */
public final class AddedRows implements Function2<Integer, Iterator<RowBlock>, Iterator<StepPart>> {
  private static final long serialVersionUID = 1L;

  private final RowsStep step;
  private final int columns;

  /**
   * @param columns of the statement's result
   */
  public AddedRows(RowsStep step, int columns) {
    this.step = step;
    this.columns = columns;
  }

  @Override
  public Iterator<StepPart> call(Integer range, Iterator<RowBlock> blocks) {
    long from = step.starts()[range];
    TensorShape shape = TensorShape.of(step.starts()[range + 1] - from, columns);
    TensorStorage made =
        TensorStorage.dense(TaskMemory.ofTask().scope(), shape, step.productType());
    NativeArray values = made.vals();
    while (blocks.hasNext()) {
      RowBlock block = blocks.next();
      long at = (block.firstRow() - from) * columns;
      for (double value : block.values()) {
        values.setDouble(at++, value);
      }
    }
    return List.of(step.run(range, range, made)).iterator();
  }
}
