package org.weft.compiler.algebra;

/**
 * An index variable: one dimension of the iteration space. Equal by name.
 *
 * <p>A label of the language is an identifier. Lowering adds variables with other names: {@code
 * i/4} and {@code i%4}, the block number and the offset in the block of {@code i}, and {@code
 * A.slot}, which counts slots or diagonals.
 */
public record IndexVar(String name) {

  /** The number of the block of {@code size} coordinates that {@code variable} lies in. */
  public static IndexVar block(IndexVar variable, long size) {
    return new IndexVar(variable.name() + "/" + size);
  }

  /** The offset of {@code variable} in its block of {@code size} coordinates. */
  public static IndexVar within(IndexVar variable, long size) {
    return new IndexVar(variable.name() + "%" + size);
  }

  /** Whether this is an offset in a block. */
  public boolean isWithin() {
    return name.indexOf('%') >= 0;
  }

  /** Whether this is the number of a block. */
  public boolean isBlock() {
    return name.indexOf('/') >= 0;
  }

  /** Whether this counts the slots or diagonals of an access. */
  public boolean isSlot() {
    return name.indexOf('.') >= 0;
  }

  /** The label whose block number or offset this is; otherwise the variable itself. */
  public IndexVar label() {
    return isWithin() || isBlock() ? new IndexVar(name.split("[/%]", 2)[0]) : this;
  }

  /** Coordinates in a block, of a block number or an offset. */
  public long blockSize() {
    return Long.parseLong(name.split("[/%]", 2)[1]);
  }

  @Override
  public String toString() {
    return name;
  }
}
