package org.weft.compiler.algebra;

import org.weft.compiler.lang.Mask;

/**
 * The mask of a result. Its access is a factor of the statement's value, so the mask is an
 * intersection like any other; the strategy says how the loops use it.
 */
public record TensorMask(TensorExpr.Access access, Mask.Strategy strategy) {
  public TensorMask withStrategy(Mask.Strategy chosen) {
    return new TensorMask(access, chosen);
  }
}
