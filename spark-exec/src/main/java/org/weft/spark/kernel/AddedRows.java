package org.weft.spark.kernel;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import org.weft.memory.NativeArray;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.resident.TaskMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Updates the rows of a factor from rows of the MTTKRP that have been added up elsewhere. */
public final class AddedRows
    implements Function2<Integer, Iterator<RowBlock>, Iterator<FactorSums>> {
  private static final long serialVersionUID = 1L;

  private final FactorUpdate update;

  public AddedRows(FactorUpdate update) {
    this.update = update;
  }

  @Override
  public Iterator<FactorSums> call(Integer range, Iterator<RowBlock> blocks) {
    FactorVersion factor = update.previous();
    long from = factor.starts()[range];
    TensorShape shape = TensorShape.of(factor.starts()[range + 1] - from, factor.columns());
    TensorStorage m = TensorStorage.dense(TaskMemory.ofTask().scope(), shape, factor.type());
    NativeArray values = m.vals();
    while (blocks.hasNext()) {
      RowBlock block = blocks.next();
      long at = (block.firstRow() - from) * factor.columns();
      for (double value : block.values()) {
        values.setDouble(at++, value);
      }
    }
    return List.of(update.update(range, range, m)).iterator();
  }
}
