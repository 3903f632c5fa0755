package org.weft.tensor;

/** Receives stored entries. The coordinate array is in mode order and reused between calls. */
@FunctionalInterface
public interface PositionVisitor {
  /**
   * Called for every stored entry.
   *
   * @param position where the value is in {@link TensorStorage#vals}
   */
  void visit(long[] coordinates, long position);
}
