package org.weft.planner.kernel;

import java.io.Serializable;

/**
 * A dense operand of a kernel, bound by name.
 *
 * @param name in the kernel's expression: {@code F0}, {@code U}, {@code v}
 * @param mode the tensor mode that its rows belong to; it has that mode's size of rows
 * @param columns columns of a matrix; 0 for a vector
 */
public record Operand(String name, int mode, int columns) implements Serializable {
  public boolean isVector() {
    return columns == 0;
  }

  /** Bytes of a row at {@code valueBytes} per value. */
  public long rowBytes(int valueBytes) {
    return (long) valueBytes * Math.max(1, columns);
  }
}
