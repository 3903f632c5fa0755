package org.weft.decomposition.gcp;

import org.weft.decomposition.Method;

/**
 * Samples of a tensor's zeros. Steps along gradients that see the same sample again and again lower
 * the loss there, and raise it at all other zeros.
 */
@FunctionalInterface
public interface ZeroSamples {
  /**
   * Runs the work at a site over the entries and a sample of the zeros, which lasts as long as the
   * work. The zeros have the weight of those of the {@link Gcp} run.
   *
   * @param number from 1; equal numbers have equal zeros
   */
  void run(int number, Method<Boolean> work);
}
