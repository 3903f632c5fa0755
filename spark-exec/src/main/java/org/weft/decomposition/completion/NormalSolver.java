package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.Setting;
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
 *                                 N = (1 - w) sum h h^T + w V          (sums over the slice)
 *                                 a_i = (N + D)^-1 sum x h
 * </pre>
 *
 * <p>w is the weight of a missing cell, whose value counts as 0 (Hu, Koren and Volinsky 2008,
 * section 4), and V is the sum of {@code h h^T} over all cells of a slice, the Hadamard product of
 * the other modes' Gram matrices. With w = 0 missing cells are unknown. With w = 1 the normal
 * equations are those of CP-ALS, the same for all slices, and no {@code h h^T} are summed.
 *
 * @param missing w, from 0 to 1
 */
public record NormalSolver(double missing) implements Solver {
  public NormalSolver {
    Setting.require(
        "complete", missing >= 0 && missing <= 1, "a missing weight from 0 to 1", missing);
  }

  private boolean sums() {
    return missing < 1;
  }

  @Override
  public List<RowStatement> statements(int order, int columns) {
    List<RowStatement> statements = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      statements.add(RowStatement.mttkrp(order, mode, columns));
    }
    for (int mode = 0; sums() && mode < order; mode++) {
      statements.add(RowStatement.normal(order, mode, columns));
    }
    return statements;
  }

  @Override
  public int numbers(int columns) {
    return columns * (sums() ? 1 + columns : 1);
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
      return model.training().rmse(model.factors());
    };
  }

  private void update(CompletedFactors model, int mode, int sweep) {
    Site site = model.site();
    String about = ", mode " + mode + ", iteration " + sweep;
    Rows factor = model.factor(mode);
    RidgeRow rule =
        new RidgeRow(
            mode,
            sweep,
            model.free(mode),
            model.ridges(mode),
            new RidgeRow.Everywhere(missing, model.v(mode)));
    try (Rows right = site.rows(mode, model.columns(), factor.type())) {
      site.run(
          Step.of(mode, "right sides" + about)
              .product("B", mode, model.factors())
              .rows("B", right));
      Step solve = Step.of(mode, "rows" + about).rows("A", factor).rows("B", right);
      if (sums()) {
        solve.product("N", model.order() + mode, model.factors());
      }
      List<String> names = sums() ? List.of("A", "B", "N") : List.of("A", "B");
      model.change(solve.then(new RowOperation.Each(rule, names, 1, "", 0)));
    }
  }
}
