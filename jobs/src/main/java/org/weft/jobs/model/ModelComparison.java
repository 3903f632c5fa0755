package org.weft.jobs.model;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.TuckerValue;

/**
 * How far a model is from another. Components of CP models are compared one by one, by {@link
 * ComponentComparison}. The factors of Tucker models are unique up to a rotation, so {@link
 * SubspaceComparison} compares what their columns span.
 *
 * @param matches in the order of the first model's components; none of Tucker models
 * @param drift from 0 for the same model to 1 for nothing in common
 * @param modes the drift of each mode
 * @param changes rows that moved most, the farthest first
 * @param biases how the biases of completions changed; empty if neither model has biases
 */
public record ModelComparison(
    List<Match> matches,
    double drift,
    List<ModeDrift> modes,
    List<Change> changes,
    Optional<BiasDrift> biases) {

  /**
   * A component of the first model and what it is in the second.
   *
   * @param second -1 if it is not there
   * @param cosines by mode
   */
  public record Match(
      int first,
      int second,
      double score,
      double lambda,
      double otherLambda,
      List<Double> cosines) {}

  /**
   * A mode's drift.
   *
   * @param onlyFirst rows that the second model has not
   * @param angles between the spans of the columns, in degrees, the smallest first; none of CP
   *     models
   */
  public record ModeDrift(
      int mode, double drift, long onlyFirst, long onlySecond, List<Double> angles) {}

  /**
   * A row's way: the norm of the difference of its weighted rows, or the difference of its biases.
   *
   * @param label or its number, from 1
   */
  public record Change(int mode, String label, double distance, double before, double after) {}

  /**
   * How biases changed.
   *
   * @param drifts by mode
   * @param changes biases that changed most, the farthest first
   */
  public record BiasDrift(
      double mean, double otherMean, List<Double> drifts, List<Change> changes) {}

  /**
   * Compares.
   *
   * @param count most changes to report for each mode
   * @throws WeftException {@code SHAPE_MISMATCH} for models of another order, {@code USAGE} for a
   *     CP and a Tucker model
   */
  public static ModelComparison of(LabelledModel first, LabelledModel second, int count) {
    if (first.order() != second.order()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected two models of the same order, found "
              + first.order()
              + " and "
              + second.order()
              + " modes");
    }
    boolean tucker = first.value() instanceof TuckerValue;
    if (tucker != second.value() instanceof TuckerValue) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected two models with components or two Tucker models, found one of each");
    }
    List<RowPairs> pairs =
        IntStream.range(0, first.order())
            .mapToObj(mode -> RowPairs.of(first, second, mode))
            .toList();
    return tucker
        ? new SubspaceComparison(first, second, pairs).of(count)
        : new ComponentComparison(first, second, pairs).of(count);
  }

  /**
   * The part of two things that is alike: 1 for the same, 0 for nothing in common.
   *
   * @param product of the two
   */
  static double likeness(double product, double square, double otherSquare) {
    double most = Math.max(square, otherSquare);
    return most == 0 ? 1 : Math.max(0, Math.min(1, product / most));
  }
}
