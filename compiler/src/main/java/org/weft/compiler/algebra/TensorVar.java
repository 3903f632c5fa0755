package org.weft.compiler.algebra;

import org.weft.tensor.TensorFormat;

/** A tensor that an expression names, or a temporary that the compiler introduces. */
public record TensorVar(String name, TensorFormat format, Kind kind) {
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
