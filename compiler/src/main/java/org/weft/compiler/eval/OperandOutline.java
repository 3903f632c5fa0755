package org.weft.compiler.eval;

import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * What a plan needs to know of an operand that is not in this process.
 *
 * @param format how it will be stored where kernels read it
 * @param entries stored entries, or an estimate
 * @param nonzeros whether its zeros are no entries, as in a format that {@linkplain
 *     TensorFormat#pads pads}
 */
public record OperandOutline(
    TensorFormat format, TensorShape shape, double entries, boolean nonzeros) {
  /** An operand whose zeros are entries. */
  public OperandOutline(TensorFormat format, TensorShape shape, double entries) {
    this(format, shape, entries, false);
  }
}
