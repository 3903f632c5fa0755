package org.weft.decomposition.completion;

import java.util.List;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Site;
import org.weft.planner.job.RowStatement;

/**
 * Coordinate descent by columns, CCD++ (Yu et al. 2012, algorithm 2; Smith, Park and Karypis 2016,
 * section 3.3): one component at a time, whose columns are updated mode by mode, all rows at once.
 *
 * <pre>
 * for each column c, each mode n:  h = the product of column c of the other modes at an entry
 *                                  a_ic = (a_ic q + sum (x - m) h) / (q + D_c),  q = sum h^2
 * </pre>
 *
 * <p>Residuals {@code x - m} are computed where they are needed, as {@link Site} has no numbers for
 * entries: a sweep costs {@code O(N R)} passes of {@code O(nnz R)}, which is what ALS costs, where
 * CCD++ with stored residuals takes {@code O(nnz N R)}. A slice needs 2 R numbers, not {@code R^2}.
 */
public record CoordinateSolver() implements Solver {
  @Override
  public List<RowStatement> statements(int order, int columns) {
    return EntryGradient.statements(order, columns);
  }

  @Override
  public int numbers(int columns) {
    return 2 * columns;
  }

  @Override
  public String about() {
    return "gradients and their scales";
  }

  @Override
  public Sweep begin(CompletedFactors model) {
    EntryGradient gradient =
        new EntryGradient(model.site(), model.columns(), model.factor(0).type());
    return (sweep, errors) -> {
      for (int column = 0; column < model.columns(); column++) {
        for (int mode = 0; mode < model.order(); mode++) {
          if (model.isFree(mode, column)) {
            update(model, gradient, mode, column);
          }
        }
      }
    };
  }

  private static void update(CompletedFactors model, EntryGradient gradient, int mode, int column) {
    double ridge = model.ridges(mode)[column];
    RowRule rule =
        (rows, sums) -> {
          double scale = rows[2][column];
          double next = rows[0][column] * scale + rows[1][column];
          rows[0][column] = scale + ridge > 0 ? next / (scale + ridge) : 0;
        };
    gradient.make(mode, model.factors());
    gradient.apply(model.site(), List.of(model.factor(mode)), rule);
  }
}
