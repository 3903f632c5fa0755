package org.weft.tensor;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.OptionalLong;
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

  /** Whether values are integers. */
  public boolean isIntegral() {
    return !elementType.isFloating();
  }

  /**
   * Whether a tensor of this type can hold the number: an integer type no fraction and nothing
   * beyond its range, {@code float} no finite number that becomes infinite. Rounding is no reason.
   */
  public boolean holds(double value) {
    return switch (this) {
      case DOUBLE -> true;
      case FLOAT -> !Double.isFinite(value) || Float.isFinite((float) value);
      case INT -> value == (int) value;
      case LONG -> value == (long) value && value < 0x1p63;
    };
  }

  /** As above for an integer. */
  public boolean holds(long value) {
    return this != INT || value == (int) value;
  }

  /** The integer that decimal text stands for, {@code 2e3} included; empty if this has none. */
  public OptionalLong integer(String text) {
    try {
      long value = new BigDecimal(text).longValueExact();
      return holds(value) ? OptionalLong.of(value) : OptionalLong.empty();
    } catch (ArithmeticException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** What an error says of a value that a tensor of this type cannot hold. */
  public String refusal(String found) {
    String expected =
        switch (this) {
          case DOUBLE -> "a number";
          case FLOAT -> "a number of at most 3.4028235e38";
          case INT -> "an integer from -2^31 to 2^31-1";
          case LONG -> "an integer from -2^63 to 2^63-1";
        };
    return "expected "
        + expected
        + ", as the type "
        + keyword()
        + " has, found "
        + found
        + "; use a type that holds it (--type, or that of the tensor in a program)";
  }

  /**
   * The name used in programs and options: {@code double}, {@code float}, {@code int}, {@code
   * long}.
   */
  public String keyword() {
    return name().toLowerCase(Locale.ROOT);
  }
}
