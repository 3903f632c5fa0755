package org.weft.tensor;

import java.util.Locale;
import org.weft.memory.ElementType;

/** Type of the stored values of a tensor. */
public enum ValueType {
  DOUBLE(ElementType.F64),
  FLOAT(ElementType.F32),
  INT(ElementType.I32),
  LONG(ElementType.I64);

  private final ElementType elementType;

  ValueType(ElementType elementType) {
    this.elementType = elementType;
  }

  public int bytes() {
    return elementType.bytes();
  }

  public ElementType elementType() {
    return elementType;
  }

  /**
   * The name used in programs and options: {@code double}, {@code float}, {@code int}, {@code
   * long}.
   */
  public String keyword() {
    return name().toLowerCase(Locale.ROOT);
  }
}
