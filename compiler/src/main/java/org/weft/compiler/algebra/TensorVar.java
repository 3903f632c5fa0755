package org.weft.compiler.algebra;

import org.weft.tensor.TensorFormat;

/**
 * A tensor that an expression names, or a temporary that the compiler introduces.
 *
 * @param format one mode for each index of an access
 * @param stored the format of the arrays: another one where lowering sees the levels of a blocked,
 *     ELL or DIA tensor as the modes of a tensor of a higher order
 */
public record TensorVar(String name, TensorFormat format, Kind kind, TensorFormat stored) {

  /** A tensor that is seen as it is stored. */
  public TensorVar(String name, TensorFormat format, Kind kind) {
    this(name, format, kind, format);
  }

  /** Where the tensor lives. */
  public enum Kind {
    OPERAND,
    RESULT,
    /** A workspace of the kernel. */
    TEMPORARY,
    /** Present where both coordinates are equal; has no arrays. */
    DIAGONAL
  }

  @Override
  public String toString() {
    return name;
  }
}
