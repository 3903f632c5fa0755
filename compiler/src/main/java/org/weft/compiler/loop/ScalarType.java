package org.weft.compiler.loop;

import org.weft.memory.ElementType;
import org.weft.tensor.ValueType;

/** Type of a value in a register. Positions, coordinates and counts are always {@link #I64}. */
public enum ScalarType {
  BOOL("bool"),
  I64("int64_t"),
  F64("double"),
  F32("float"),
  I32("int32_t");

  private final String keyword;

  ScalarType(String keyword) {
    this.keyword = keyword;
  }

  /** The C name of the type. */
  public String keyword() {
    return keyword;
  }

  public boolean isFloat() {
    return this == F64 || this == F32;
  }

  public boolean isInteger() {
    return this == I64 || this == I32;
  }

  public boolean isNumeric() {
    return this != BOOL;
  }

  /** The register type of an element: unsigned narrow elements widen to I64. */
  public static ScalarType of(ElementType element) {
    return switch (element) {
      case U8, U16, U32, I64 -> I64;
      case I32 -> I32;
      case F32 -> F32;
      case F64 -> F64;
    };
  }

  /** The register type of tensor values. */
  public static ScalarType of(ValueType type) {
    return switch (type) {
      case DOUBLE -> F64;
      case FLOAT -> F32;
      case INT -> I32;
      case LONG -> I64;
    };
  }
}
