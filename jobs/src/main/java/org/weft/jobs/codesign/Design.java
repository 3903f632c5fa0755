package org.weft.jobs.codesign;

import java.util.OptionalDouble;

/**
 * An accelerator that adds the product of an {@code m x k} and a {@code k x n} tile to an {@code m
 * x n} tile.
 *
 * @param cycles of one such product
 * @param clock cycles a second
 * @param bandwidth bytes a second between host and accelerator; empty: no limit
 * @param power watts while it computes; empty: not stated
 * @param area square millimetres; empty: not stated
 */
public record Design(
    String name,
    long m,
    long n,
    long k,
    double cycles,
    double clock,
    OptionalDouble bandwidth,
    OptionalDouble power,
    OptionalDouble area) {

  /** Bytes of the three tiles of one product, of doubles. */
  double tileBytes() {
    return (double) Double.BYTES * (m * k + k * n + m * n);
  }

  /** Seconds of one product: of computing, or of moving its tiles, whichever is more. */
  double tileSeconds() {
    double moving = bandwidth.isPresent() ? tileBytes() / bandwidth.getAsDouble() : 0;
    return Math.max(cycles / clock, moving);
  }

  /** {@code 16 x 16 x 16}. */
  String tile() {
    return m + " x " + n + " x " + k;
  }
}
