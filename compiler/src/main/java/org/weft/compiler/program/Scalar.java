package org.weft.compiler.program;

/**
 * The value of a variable.
 *
 * @param value a {@code Long} for sums of integer tensors, else a {@code Double}
 * @param constant whether it was computed from numbers alone: COMET holds such a value as a tensor
 *     of one element, and prints it as one
 */
record Scalar(Number value, boolean constant) {
  static Scalar constant(double value) {
    return new Scalar(value, true);
  }

  static Scalar computed(Number value) {
    return new Scalar(value, false);
  }

  double asDouble() {
    return value.doubleValue();
  }
}
