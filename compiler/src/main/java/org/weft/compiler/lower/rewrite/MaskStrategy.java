package org.weft.compiler.lower.rewrite;

import java.util.List;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.Mask;
import org.weft.error.WeftException;

/**
 * Chooses how a mask without a strategy takes part in the loops.
 *
 * <p>To pull computes one reduction for each entry of the mask, {@code O(sum over entries of the
 * operands' fibers)}; to push computes every contribution, of which the mask keeps some. Where the
 * formats let the loops run either way, each contribution is reached by random access, and pulling
 * reaches only those that count. Where they let the loops run one way only, the other needs an
 * operand to be converted first.
 */
public final class MaskStrategy {
  private MaskStrategy() {}

  /** {@code assignment} with a mask that pushes or pulls, if it has one. */
  public static TensorAssignment choose(TensorAssignment assignment, List<String> loopOrder) {
    TensorMask mask = assignment.mask();
    if (mask == null || mask.strategy() != Mask.Strategy.AUTO) {
      return assignment;
    }
    TensorAssignment pull = assignment.withMask(mask.withStrategy(Mask.Strategy.PULL));
    return hasLoopOrder(pull, loopOrder)
        ? pull
        : assignment.withMask(mask.withStrategy(Mask.Strategy.PUSH));
  }

  private static boolean hasLoopOrder(TensorAssignment assignment, List<String> loopOrder) {
    try {
      IterationGraph.of(assignment, loopOrder).loopOrder();
      return true;
    } catch (WeftException conflict) {
      return false;
    }
  }
}
