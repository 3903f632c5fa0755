package org.weft.tensor;

/** Receives stored entries. The coordinate array is in mode order and reused between calls. */
@FunctionalInterface
public interface EntryVisitor {
  void visit(long[] coordinates, double value);
}
