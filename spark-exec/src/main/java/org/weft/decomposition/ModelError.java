package org.weft.decomposition;

import java.util.List;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.RowStatement;

/**
 * How far CP models are from the entries of a tensor, at them and nowhere else. The factors may be
 * those of another site over a tensor of the same shape.
 */
public final class ModelError {
  /** How many {@link #statements} there are. */
  public static final int STATEMENTS = 2;

  private static final RowRule ADDED = (rows, sums) -> sums[0] += rows[0][0];

  private final Site site;
  private final int first;
  private final long entries;

  /**
   * @param site of a job that has the {@link #statements}
   * @param first number of the first of them
   */
  public ModelError(Site site, int first) {
    this.site = site;
    this.first = first;
    this.entries = Math.round(sum(site, first + 1, List.of()));
  }

  /** {@code M(i) = sum_jk (x - m)^2}, and the number of a slice's entries. */
  public static List<RowStatement> statements(int columns) {
    return List.of(
        RowStatement.sums("error", 0, columns, "(x - m) * (x - m)"),
        RowStatement.sums("count", 0, 0, "1"));
  }

  /** The sum over all slices of a statement that makes a number for each slice of mode 0. */
  public static double sum(Site site, int statement, List<? extends Rows> factors) {
    Step step = Step.of(0, "a number for each slice").product("E", statement, factors);
    return site.run(step.then(new RowOperation.Each(ADDED, List.of("E"), 0, "s", 1))).get("s")[0];
  }

  /** Entries of the tensor, duplicates summed. */
  public long entries() {
    return entries;
  }

  /** What {@link #rmse} is relative to: the root of the mean of the squared entries. */
  public double scale() {
    return Math.sqrt(site.normSquared() / Math.max(1, entries));
  }

  /**
   * The root of the mean of the squared errors.
   *
   * @param factors mode size x columns each, the model being the sum of their columns' products
   */
  public double rmse(List<? extends Rows> factors) {
    return Math.sqrt(sum(site, first, factors) / Math.max(1, entries));
  }
}
