package org.weft.engine;

import java.util.Optional;
import org.weft.engine.distributed.Parts;
import org.weft.planner.distributed.Ranges;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorShape;

/**
 * A tensor that stays in parts between statements. Closing it frees the parts.
 *
 * @param uri what messages call it
 * @param originalStatistics of its entries; the shape is the tensor's own
 * @param sorted how the parts are sorted, if they are
 * @param owned what goes with it
 */
public record PlacedTensor(
    String uri,
    Parts parts,
    TensorStatistics originalStatistics,
    Optional<Sorted> sorted,
    AutoCloseable owned)
    implements StatementOperand, AutoCloseable {
  /**
   * Parts that can be written as they are.
   *
   * @param modeOrder modes in the order by which the entries of every part are sorted
   * @param ranges of the first of them, one for each part
   */
  public record Sorted(int[] modeOrder, Ranges ranges) {}

  public TensorShape shape() {
    return originalStatistics.shape();
  }

  /** The same entries in a shape that is nowhere smaller; closing either frees the parts. */
  public PlacedTensor within(TensorShape larger) {
    return new PlacedTensor(
        uri, parts, originalStatistics.withShape(larger), Optional.empty(), owned);
  }

  @Override
  public boolean declaresShape() {
    return true;
  }

  /** A tensor that was computed has no kind. */
  @Override
  public boolean isArray() {
    return originalStatistics.entries() == shape().cells();
  }

  @Override
  public void close() {
    parts.release();
    try {
      owned.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(uri, e);
    }
  }
}
