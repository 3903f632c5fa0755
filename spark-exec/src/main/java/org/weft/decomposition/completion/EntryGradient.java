package org.weft.decomposition.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.ValueType;

/**
 * What the entries of a tensor say about a row of a factor: with h the product of the rows of the
 * other modes at an entry, {@code G = sum (x - m) h} and, number by number, {@code Q = sum h^2}.
 * Half the gradient of the squared errors is -G; the Hessian is at most k Q, k being the numbers of
 * a row.
 */
final class EntryGradient {
  private final Site site;
  private final int order;
  private final List<Rows> gradients = new ArrayList<>();
  private final List<Rows> scales = new ArrayList<>();

  /** At a site whose job begins with the {@link #statements}. */
  EntryGradient(Site site, int columns, ValueType type) {
    this.site = site;
    this.order = site.shape().order();
    for (int mode = 0; mode < order; mode++) {
      gradients.add(site.rows(mode, columns, type));
      scales.add(site.rows(mode, columns, type));
    }
  }

  static List<RowStatement> statements(int order, int columns) {
    List<RowStatement> statements = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      statements.add(errors(order, mode, columns));
      statements.add(squares(RowStatement.mttkrp(order, mode, columns)));
    }
    return statements;
  }

  /** The statement that makes G. */
  static RowStatement errors(int order, int mode, int columns) {
    RowStatement.Entry error = new RowStatement.Entry("x - m", columns);
    return RowStatement.mttkrp(order, mode, columns).with("gradient", error);
  }

  private static RowStatement squares(RowStatement products) {
    List<RowStatement.Term> terms =
        products.terms().stream().flatMap(term -> Stream.of(term, term)).toList();
    RowStatement.Entry one = new RowStatement.Entry("1", 0);
    return new RowStatement("squares", products.mode(), products.columns(), terms, one);
  }

  /** Makes G and Q of a mode. */
  void make(int mode, List<Rows> factors) {
    site.run(
        Step.of(mode, "errors of mode " + mode)
            .product("G", 2 * mode, factors)
            .rows("G", gradients.get(mode)));
    site.run(
        Step.of(mode, "squares of mode " + mode)
            .product("Q", 2 * mode + 1, factors)
            .rows("Q", scales.get(mode)));
  }

  /**
   * Changes a factor by what was made.
   *
   * @param owner of the factor, over a tensor of the same shape
   * @param changed the factor, and rows that go with it
   * @param rule of what is changed, in that order, of G and of Q
   */
  void apply(Site owner, List<Rows> changed, RowRule rule) {
    int mode = changed.get(0).mode();
    Step step = Step.of(mode, "rows of mode " + mode);
    List<String> names = new ArrayList<>();
    for (Rows rows : changed) {
      names.add("A" + names.size());
      step.rows(names.get(names.size() - 1), rows);
    }
    names.addAll(List.of("G", "Q"));
    step.rows("G", gradients.get(mode)).rows("Q", scales.get(mode));
    owner.run(step.then(new RowOperation.Each(rule, names, changed.size(), "", 0)));
  }
}
