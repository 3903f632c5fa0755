package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.ValueType;

/**
 * Coordinate descent by blocks of columns: CCD++ (Yu et al. 2012, algorithm 2; Smith, Park and
 * Karypis 2016, section 3.3), which goes mode by mode through one column, with C columns in the
 * place of one (SALS of Shin, Sael and Kang 2017). Each number is the exact minimiser while all
 * others are fixed.
 *
 * <pre>
 * for each block b, each mode n:   h = the products of the columns of b of the other modes' rows
 *     G = sum (x - m) h,  N = sum h h^T                                    (over each slice)
 *     for each c of b:  d = (G_c - D_c a_c) / (N_cc + D_c),  a_c = a_c + d,  G = G - d N_c
 * </pre>
 *
 * <p>The loop over c needs no entries: N says how a change of one number moves the gradients of the
 * others. A sweep thus passes over the entries 2 N times for each block, not for each column, and
 * takes {@code O(nnz N R (R / C + C))}. Residuals are made anew in each pass. Kept residuals would
 * move more bytes: a block's update of a mode reads the entries twice, where C updates with
 * residuals read them C times and also change them in the form of every mode. A slice needs {@code
 * R + C + C^2} numbers, not {@code R^2}.
 */
public record CoordinateSolver() implements Solver {
  /** Columns of a block: what a vector register of 512 bits has of doubles. */
  private static final int COLUMNS = 8;

  private static int block(int columns) {
    return Math.min(COLUMNS, columns);
  }

  @Override
  public List<RowStatement> statements(int order, int columns) {
    List<RowStatement> statements = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      statements.add(EntryGradient.errors(order, mode, columns));
      statements.add(RowStatement.normal(order, mode, block(columns)));
    }
    return statements;
  }

  @Override
  public int numbers(int columns) {
    return columns + block(columns) * (1 + block(columns));
  }

  @Override
  public String about() {
    return "gradients, and the normal equations of some columns";
  }

  @Override
  public Sweep begin(CompletedFactors model, Optional<MethodState<RowSource>> start) {
    Blocks blocks = new Blocks(model);
    return (sweep, errors) -> {
      blocks.sweep();
      return model.training().rmse(model.factors());
    };
  }

  /** The model, and the columns that are updated. */
  private static final class Blocks {
    private final CompletedFactors model;
    private final List<Rows> columns = new ArrayList<>();
    private final List<Rows> gradients = new ArrayList<>();

    Blocks(CompletedFactors model) {
      this.model = model;
      ValueType type = model.factor(0).type();
      for (int mode = 0; mode < model.order(); mode++) {
        columns.add(CpFactors.zeros(model.site(), mode, block(model.columns()), type));
        gradients.add(model.site().rows(mode, model.columns(), type));
      }
    }

    /** All blocks are whole: the last one shares columns with that before if it has to. */
    void sweep() {
      int block = block(model.columns());
      for (int next = 0; next < model.columns(); next += block) {
        int first = Math.min(next, model.columns() - block);
        for (int mode = 0; mode < model.order(); mode++) {
          take(mode, first);
        }
        for (int mode = 0; mode < model.order(); mode++) {
          update(mode, first);
        }
      }
    }

    private void take(int mode, int first) {
      RowRule copy = (rows, sums) -> System.arraycopy(rows[1], first, rows[0], 0, rows[0].length);
      run(step(mode).then(RowOperation.each(copy, "C", "A")));
    }

    private void update(int mode, int first) {
      run(step(mode).product("G", 2 * mode, model.factors()).rows("G", gradients.get(mode)));
      DescentRow rule = new DescentRow(first, model.free(mode), model.ridges(mode));
      run(
          step(mode)
              .product("N", 2 * mode + 1, columns)
              .rows("G", gradients.get(mode))
              .then(new RowOperation.Each(rule, List.of("A", "C", "G", "N"), 2, "", 0)));
    }

    private Step step(int mode) {
      return Step.of(mode, "columns of mode " + mode)
          .rows("A", model.factor(mode))
          .rows("C", columns.get(mode));
    }

    private void run(Step step) {
      model.site().run(step);
    }
  }
}
