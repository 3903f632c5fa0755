package org.weft.jobs.decompose;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.entries.HashedSplit;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/**
 * The entries of a tensor, divided by a hash of their coordinates into those that a model learns
 * from and those that are held out.
 *
 * @param name of the tensor, for messages
 * @param shares of the entries for validation, and for a test
 */
@SuppressWarnings("ArrayRecordComponent")
record SplitEntries(Engine engine, EngineTensor all, String name, double[] shares, long seed) {
  /**
   * What is left to learn from.
   *
   * @param shape of the parts
   * @throws WeftException {@code MALFORMED_INPUT} if it is nothing
   */
  EngineTensor training(TensorShape shape) {
    EngineTensor training = part(shape, 0, "training");
    if (training.statistics().entries() == 0) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          all.statistics().entries() == 0
              ? name + ": expected entries to learn from, found a tensor without entries"
              : String.format(
                  Locale.ROOT,
                  "%s: expected entries to learn from, found none in a share of %.3g of %,d; give"
                      + " smaller shares by --split",
                  name,
                  1 - shares[0] - shares[1],
                  all.statistics().entries()));
    }
    return training;
  }

  EngineTensor validation(TensorShape shape) {
    return part(shape, 1, "validation");
  }

  EngineTensor test(TensorShape shape) {
    return part(shape, 2, "test");
  }

  private EngineTensor part(TensorShape shape, int part, String about) {
    double[] three = {1 - shares[0] - shares[1], shares[0], shares[1]};
    return engine.select(
        all, about + " entries of " + name, shape, HashedSplit.part(three, part, seed));
  }

  /** The smallest shape that holds both. */
  static TensorShape union(TensorShape one, TensorShape other) {
    return TensorShape.of(
        IntStream.range(0, one.order())
            .mapToLong(mode -> Math.max(one.size(mode), other.size(mode)))
            .toArray());
  }

  /**
   * Checks that no entry is in both.
   *
   * @param file of the validation entries
   */
  void requireApart(String file, EngineTensor validation, EngineTensor training) {
    HashedSplit.common(validation.entries(), training.entries())
        .ifPresent(
            at -> {
              throw new WeftException(
                  ErrorCode.MALFORMED_INPUT,
                  String.format(
                      Locale.ROOT,
                      "--validate %s: expected entries that %s does not have, found the coordinates"
                          + " %s (from 1) in both; take them out of one of the files",
                      file,
                      name,
                      Arrays.toString(LongStream.of(at).map(i -> i + 1).toArray())));
            });
  }
}
