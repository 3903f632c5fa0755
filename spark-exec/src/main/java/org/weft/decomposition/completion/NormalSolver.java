package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.RowStatement;

/**
 * Alternating least squares (Zhou et al. 2008, section 3; Smith, Park and Karypis 2016, section
 * 3.1): each row of a factor is the solution of its own normal equations.
 *
 * <pre>
 * for each mode n, each slice i:  h = the product of the rows of the other modes at an entry
 *                                 a_i = (sum h h^T + D)^-1 sum x h     (sums over the slice)
 * </pre>
 */
public record NormalSolver() implements Solver {
  @Override
  public List<RowStatement> statements(int order, int columns) {
    List<RowStatement> statements = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      statements.add(RowStatement.mttkrp(order, mode, columns));
      statements.add(RowStatement.normal(order, mode, columns));
    }
    return statements;
  }

  @Override
  public int numbers(int columns) {
    return columns * (1 + columns);
  }

  @Override
  public String about() {
    return "the normal equations";
  }

  @Override
  public Sweep begin(CompletedFactors model, Optional<MethodState<RowSource>> start) {
    return (sweep, errors) -> {
      for (int mode = 0; mode < model.order(); mode++) {
        update(model, mode, sweep);
      }
    };
  }

  private static void update(CompletedFactors model, int mode, int sweep) {
    Site site = model.site();
    String about = ", mode " + mode + ", iteration " + sweep;
    Rows factor = model.factor(mode);
    RidgeRow rule = new RidgeRow(mode, sweep, model.free(mode), model.ridges(mode));
    try (Rows right = site.rows(mode, model.columns(), factor.type())) {
      site.run(
          Step.of(mode, "right sides" + about)
              .product("B", 2 * mode, model.factors())
              .rows("B", right));
      Step solve =
          Step.of(mode, "rows" + about)
              .product("N", 2 * mode + 1, model.factors())
              .rows("A", factor)
              .rows("B", right)
              .then(new RowOperation.Each(rule, List.of("A", "B", "N"), 1, "", 0));
      site.run(solve);
    }
  }
}
