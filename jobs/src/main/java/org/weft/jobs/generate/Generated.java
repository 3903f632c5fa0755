package org.weft.jobs.generate;

import java.util.Optional;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage.EntryVisitor;

/** A tensor that can be generated, entry by entry in the order of its coordinates. */
public sealed interface Generated permits SyntheticModel, MatrixModel {
  TensorShape sizes();

  /** Stored entries; a matrix model meets them up to rounding. */
  long nonzeros();

  Generated withNonzeros(long count);

  /** This model at {@code factor} times its nonzeros. */
  Generated scaled(double factor);

  /** Passes every entry to {@code sink}; the coordinate array is reused. */
  void generate(long seed, EntryVisitor sink);

  /** What the entries look like, for people. */
  String describe();

  /**
   * The model of {@code text}: a kind of {@link MatrixModel}, or what {@link SyntheticModel#of}
   * takes.
   *
   * @throws WeftException {@code USAGE}
   */
  static Generated of(String text) {
    Optional<MatrixModel> matrix = MatrixModel.of(text);
    return matrix.isPresent() ? matrix.get() : SyntheticModel.of(text);
  }
}
