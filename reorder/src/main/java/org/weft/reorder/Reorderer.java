package org.weft.reorder;

import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Proposes a relabelling of every mode of a tensor.
 *
 * <p>Contract: one permutation of the mode's size for each mode, in mode order; the same entries,
 * in whatever blocks, give the same answer; entries are only read; any order from 1, empty tensors,
 * mode sizes 0 and 1, duplicates and unsorted entries are fine. Values play no part.
 */
public interface Reorderer {

  /** The text that {@link Reorderers#named} knows it by. */
  String name();

  /**
   * Whether slices that share entries with the same other slices get labels near each other, so
   * that an order of a sample extends to slices that the sample lacks by the positions of their
   * neighbours.
   */
  default boolean followsNeighbours() {
    return true;
  }

  /**
   * @param shape mode sizes, each below 2^31
   * @param blocks the entries
   * @throws org.weft.error.WeftException UNSUPPORTED_OPERATION for a mode that is too large
   */
  List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks);
}
