package org.weft.compiler.differential;

import java.util.List;

/** A value of an operand; {@code cell} numbers the coordinates of the axes. May be repeated. */
record Entry(List<Integer> cell, double value) {
  Entry {
    cell = List.copyOf(cell);
  }

  @Override
  public String toString() {
    return cell + "=" + (value == (long) value ? Long.toString((long) value) : value);
  }
}
