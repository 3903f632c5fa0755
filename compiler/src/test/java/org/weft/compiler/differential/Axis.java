package org.weft.compiler.differential;

import java.util.List;
import java.util.stream.LongStream;

/**
 * The values that a label takes: the coordinates at which entries may lie, and the mode size. A
 * dense axis has every coordinate; a stretched one has few of a mode that may be huge, so that wide
 * coordinates are reached while the oracle visits few cells.
 */
record Axis(long size, List<Long> coordinates) {
  Axis {
    coordinates = List.copyOf(coordinates);
  }

  static Axis dense(int size) {
    return new Axis(size, LongStream.range(0, size).boxed().toList());
  }

  int cells() {
    return coordinates.size();
  }

  boolean isDense() {
    return coordinates.size() == size;
  }

  /** The axis without its last coordinate. */
  Axis shorter() {
    List<Long> fewer = coordinates.subList(0, cells() - 1);
    return new Axis(isDense() ? size - 1 : size, fewer);
  }

  /** {@code 5}, or {@code 70000 at [3, 65535]}. */
  @Override
  public String toString() {
    return isDense() ? Long.toString(size) : size + " at " + coordinates;
  }
}
