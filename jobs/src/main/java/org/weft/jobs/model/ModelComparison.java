package org.weft.jobs.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.DenseMatrix;

/**
 * How far a CP model is from another. Components match by the factor match score (Tomasi and Bro
 * 2006; {@code score} of Tensor Toolbox), assigned so that the sum is greatest:
 *
 * <pre>
 * score(r, s) = (1 - |lambda_r - mu_s| / max(lambda_r, mu_s)) prod_n cos(a_n,r , b_n,s)
 * drift       = 1 - sum of the scores of matched components / max(R, S)
 * </pre>
 *
 * Rows meet by their labels where both models have them, otherwise by number; a row that one model
 * lacks counts as zero there. Drift is 0 for the same components in any order, 1 for nothing in
 * common. Cost: O(rows R S) for each mode.
 *
 * @param matches in the order of the first model's components
 * @param drift from 0 to 1
 * @param modes each mode's drift: 1 - mean |cos|, weighted by lambda
 * @param changes rows that moved most, the farthest first
 */
public record ModelComparison(
    List<Match> matches, double drift, List<ModeDrift> modes, List<Change> changes) {

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
   */
  public record ModeDrift(int mode, double drift, long onlyFirst, long onlySecond) {}

  /**
   * A row's way: the norm of the difference of its weighted rows.
   *
   * @param label or its number, from 1
   */
  public record Change(int mode, String label, double distance, double before, double after) {}

  /**
   * Compares.
   *
   * @param count most changes to report for each mode
   * @throws WeftException {@code SHAPE_MISMATCH} for models of another order
   */
  public static ModelComparison of(ComparedModel first, ComparedModel second, int count) {
    if (first.order() != second.order()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected two models of the same order, found "
              + first.order()
              + " and "
              + second.order()
              + " modes");
    }
    List<long[]> pairs = new ArrayList<>();
    List<double[][]> cosines = new ArrayList<>();
    for (int mode = 0; mode < first.order(); mode++) {
      pairs.add(pairs(first, second, mode));
      cosines.add(cosines(first.factors().get(mode), second.factors().get(mode), pairs.get(mode)));
    }
    double[][] scores = scores(first, second, cosines);
    int[] assigned = Assignment.best(scores);
    List<Match> matches = new ArrayList<>();
    double sum = 0;
    for (int r = 0; r < first.rank(); r++) {
      int s = assigned[r];
      List<Double> byMode = new ArrayList<>();
      for (double[][] ofMode : cosines) {
        byMode.add(s < 0 ? 0.0 : ofMode[r][s]);
      }
      double score = s < 0 ? 0 : scores[r][s];
      sum += score;
      matches.add(
          new Match(r, s, score, first.lambda()[r], s < 0 ? 0 : second.lambda()[s], byMode));
    }
    double drift = Math.max(0, 1 - sum / Math.max(1, Math.max(first.rank(), second.rank())));
    List<ModeDrift> modes = new ArrayList<>();
    List<Change> changes = new ArrayList<>();
    for (int mode = 0; mode < first.order(); mode++) {
      modes.add(modeDrift(first, second, mode, matches, pairs.get(mode)));
      changes.addAll(changes(first, second, mode, matches, pairs.get(mode), count));
    }
    return new ModelComparison(matches, drift, modes, changes);
  }

  /** The row of the second model for each row of the first; -1 if there is none. */
  private static long[] pairs(ComparedModel first, ComparedModel second, int mode) {
    long rows = first.factors().get(mode).rows();
    long[] pairs = new long[Math.toIntExact(rows)];
    List<String> labels = first.labels().get(mode);
    List<String> others = second.labels().get(mode);
    if (labels.isEmpty() || others.isEmpty()) {
      long there = second.factors().get(mode).rows();
      for (int row = 0; row < rows; row++) {
        pairs[row] = row < there ? row : -1;
      }
      return pairs;
    }
    Map<String, Integer> rowOf = new HashMap<>();
    for (int row = 0; row < others.size(); row++) {
      rowOf.put(others.get(row), row);
    }
    for (int row = 0; row < rows; row++) {
      pairs[row] = rowOf.getOrDefault(labels.get(row), -1);
    }
    return pairs;
  }

  private static double[][] cosines(DenseMatrix a, DenseMatrix b, long[] pairs) {
    double[][] products = new double[a.columns()][b.columns()];
    double[] left = new double[a.columns()];
    double[] right = new double[b.columns()];
    for (int row = 0; row < pairs.length; row++) {
      if (pairs[row] >= 0) {
        a.copyRow(row, left, 0);
        b.copyRow(pairs[row], right, 0);
        for (int r = 0; r < left.length; r++) {
          for (int s = 0; s < right.length; s++) {
            products[r][s] += left[r] * right[s];
          }
        }
      }
    }
    double[] ofA = norms(a);
    double[] ofB = norms(b);
    for (int r = 0; r < left.length; r++) {
      for (int s = 0; s < right.length; s++) {
        double norm = ofA[r] * ofB[s];
        products[r][s] = norm == 0 ? 0 : Math.max(-1, Math.min(1, products[r][s] / norm));
      }
    }
    return products;
  }

  private static double[] norms(DenseMatrix matrix) {
    double[] norms = new double[matrix.columns()];
    for (long row = 0; row < matrix.rows(); row++) {
      for (int r = 0; r < norms.length; r++) {
        norms[r] += matrix.get(row, r) * matrix.get(row, r);
      }
    }
    for (int r = 0; r < norms.length; r++) {
      norms[r] = Math.sqrt(norms[r]);
    }
    return norms;
  }

  private static double[][] scores(
      ComparedModel first, ComparedModel second, List<double[][]> cosines) {
    double[][] scores = new double[first.rank()][second.rank()];
    for (int r = 0; r < first.rank(); r++) {
      for (int s = 0; s < second.rank(); s++) {
        double here = Math.abs(first.lambda()[r]);
        double there = Math.abs(second.lambda()[s]);
        double most = Math.max(here, there);
        double score = most == 0 ? 1 : 1 - Math.abs(here - there) / most;
        for (double[][] ofMode : cosines) {
          score *= ofMode[r][s];
        }
        scores[r][s] = Math.max(0, score);
      }
    }
    return scores;
  }

  private static ModeDrift modeDrift(
      ComparedModel first, ComparedModel second, int mode, List<Match> matches, long[] pairs) {
    double sum = 0;
    double weights = 0;
    for (Match match : matches) {
      sum += Math.abs(match.lambda()) * Math.abs(match.cosines().get(mode));
      weights += Math.abs(match.lambda());
    }
    long met = 0;
    for (long pair : pairs) {
      met += pair >= 0 ? 1 : 0;
    }
    return new ModeDrift(
        mode,
        weights == 0 ? 0 : Math.max(0, 1 - sum / weights),
        pairs.length - met,
        second.factors().get(mode).rows() - met);
  }

  private static List<Change> changes(
      ComparedModel first,
      ComparedModel second,
      int mode,
      List<Match> matches,
      long[] pairs,
      int count) {
    DenseMatrix a = first.factors().get(mode);
    DenseMatrix b = second.factors().get(mode);
    List<Change> changes = new ArrayList<>();
    for (int row = 0; row < pairs.length; row++) {
      double distance = 0;
      double before = 0;
      double after = 0;
      for (Match match : matches) {
        double here = match.lambda() * a.get(row, match.first());
        double sign = match.cosines().get(mode) < 0 ? -1 : 1;
        boolean met = pairs[row] >= 0 && match.second() >= 0;
        double there = met ? sign * match.otherLambda() * b.get(pairs[row], match.second()) : 0;
        distance += (here - there) * (here - there);
        before += here * here;
        after += there * there;
      }
      List<String> labels = first.labels().get(mode);
      String label = labels.isEmpty() ? Integer.toString(row + 1) : labels.get(row);
      changes.add(
          new Change(mode, label, Math.sqrt(distance), Math.sqrt(before), Math.sqrt(after)));
    }
    changes.sort(Comparator.comparingDouble(Change::distance).reversed());
    return List.copyOf(changes.subList(0, Math.min(count, changes.size())));
  }
}
