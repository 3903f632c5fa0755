package org.weft.tensor;

import java.util.Locale;

/** Type of the stored values of a tensor. */
public enum ValueType {
  DOUBLE(8),
  FLOAT(4),
  INT(4),
  LONG(8);

  private final int bytes;

  ValueType(int bytes) {
    this.bytes = bytes;
  }

  public int bytes() {
    return bytes;
  }

  /** The name used in programs and options: {@code double}, {@code float}, {@code int}, {@code long}. */
  public String keyword() {
    return name().toLowerCase(Locale.ROOT);
  }
}
