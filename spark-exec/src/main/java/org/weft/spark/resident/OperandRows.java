package org.weft.spark.resident;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.weft.spark.wire.Sent;
import org.weft.tensor.DenseMatrix;

/**
 * A dense operand as the driver offers it: blocks of consecutive rows. A block travels to a process
 * once, when a partition there reads one of its rows; with a single block that is the whole
 * operand.
 *
 * @param blocks in row order
 * @param rows of the operand
 * @param columns of the operand
 * @param blockRows rows of every block but the last
 */
public record OperandRows(List<Sent<DenseMatrix>> blocks, long rows, int columns, long blockRows)
    implements Serializable {
  public OperandRows {
    blocks = new ArrayList<>(blocks);
  }

  /**
   * Takes the blocks back from all processes. This process's copy is freed when the last task that
   * uses it has ended; others hear of it from Spark, in the background.
   */
  public void destroy() {
    blocks.forEach(Sent::destroy);
    ResidentMatrix.retire(this);
  }
}
