package org.weft.decomposition.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/**
 * Newton's method for all rows of a factor at a time (Hansen, Plantenga and Kolda 2015, algorithms
 * 3 and 4): each row has a direction of its own, and searches along it until its part of the
 * likelihood rises enough ({@link SearchRow}). Rows that meet the conditions stay.
 *
 * <pre>
 * f(b) = sum_r b_r - sum x log(b . pi),  g = 1 - Phi,  H = sum x / m^2 pi pi^T
 * damped: d = -(H + mu I)^-1 g over the free numbers;  quasi: limited-memory BFGS
 * b = max(0, b + alpha d) for the first alpha of 1, 1/2, 1/4, ... that suffices
 * </pre>
 *
 * <p>The first update of a run is multiplicative: it gives the model the sum of the counts.
 */
final class NewtonUpdate implements CountUpdate {
  private final Site site;
  private final CountModel model;
  private final CountJob job;
  private final double tolerance;
  private final int rank;
  private final double slack;
  private final List<Rows> directions = new ArrayList<>();
  private final List<Rows> trials = new ArrayList<>();
  private final List<Rows> states = new ArrayList<>();
  private final List<Rows> histories = new ArrayList<>();

  NewtonUpdate(Site site, CountModel model, CountJob job, ValueType type, double tolerance) {
    this.site = site;
    this.model = model;
    this.job = job;
    this.tolerance = tolerance;
    this.rank = job.rank();
    this.slack = type == ValueType.DOUBLE ? 1e-13 : 1e-6;
    for (int mode = 0; mode < job.order(); mode++) {
      trials.add(site.random(mode, rank, type, 0));
      directions.add(site.random(mode, rank, ValueType.DOUBLE, 0));
      states.add(site.random(mode, SearchRow.COLUMNS, ValueType.DOUBLE, 0));
      if (job.isQuasi()) {
        histories.add(site.random(mode, QuasiNewtonRow.columns(rank), ValueType.DOUBLE, 0));
      }
    }
  }

  /** Numbers in a row beside those of the model. */
  static int columns(int rank, boolean quasi) {
    return 2 * rank + SearchRow.COLUMNS + (quasi ? QuasiNewtonRow.columns(rank) : 0);
  }

  @Override
  public double[] update(int mode, int sweep, int number) {
    if (sweep == 1 && number == 0) {
      return model.multiply(mode);
    }
    boolean begins = number == (sweep == 1 ? 1 : 0);
    if (begins) {
      search(mode, model.factors(), SearchRow.BEGIN);
    }
    direction(mode, sweep, begins);
    List<Rows> tried = new ArrayList<>(model.factors());
    tried.set(mode, trials.get(mode));
    for (int trial = 0; ; trial++) {
      double[] found = search(mode, tried, trial);
      if (found[rank] == 0) {
        return Arrays.copyOf(found, rank);
      }
    }
  }

  private Step step(int mode) {
    return model
        .step(mode)
        .rows("P", model.phi(mode))
        .rows("D", directions.get(mode))
        .rows("T", trials.get(mode))
        .rows("S", states.get(mode));
  }

  private void direction(int mode, int sweep, boolean begins) {
    if (job.isQuasi()) {
      QuasiNewtonRow row = new QuasiNewtonRow(tolerance, begins);
      List<String> names = List.of("D", "T", "S", "Q", "A", "P");
      site.run(
          step(mode)
              .rows("Q", histories.get(mode))
              .then(new RowOperation.Each(row, names, 4, "", 0)));
    } else {
      DampedNewtonRow row = new DampedNewtonRow(tolerance, mode, sweep);
      List<String> names = List.of("D", "T", "S", "A", "P", "N");
      site.run(
          step(mode)
              .product("N", job.hessian(mode), model.factors())
              .then(new RowOperation.Each(model.divided(5, row), names, 3, "", 0)));
    }
  }

  /** The sums of the columns of A, and the number of rows that go on. */
  private double[] search(int mode, List<Rows> tried, int trial) {
    SearchRow row = new SearchRow(trial, slack);
    List<String> names = List.of("A", "T", "S", "D", "P", "E");
    Step step = step(mode).product("E", job.rowLikelihood(mode), tried);
    return site.run(
            step.then(new RowOperation.Each(model.divided(5, row), names, 3, "s", rank + 1)))
        .get("s");
  }
}
