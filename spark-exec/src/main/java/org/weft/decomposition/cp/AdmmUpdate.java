package org.weft.decomposition.cp;

import java.util.Optional;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.rows.Admm;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/** Updates a factor under a constraint on its rows, {@link Admm}; the duals are rows, too. */
final class AdmmUpdate implements FactorUpdate {
  private final RowAlgebra algebra;
  private final FactorConstraint constraint;
  private final Rows dual;
  private final double charge;

  /**
   * @param dual that an earlier run left
   */
  AdmmUpdate(
      Site site,
      RowAlgebra algebra,
      FactorConstraint constraint,
      int mode,
      Optional<RowSource> dual) {
    this.algebra = algebra;
    this.constraint = constraint;
    int rank = algebra.rank();
    ValueType type = algebra.result();
    this.dual =
        dual.map(matrix -> site.given(mode, matrix, type))
            .orElseGet(() -> CpFactors.zeros(site, mode, rank, type));
    // What a number of the factor is, about, if it has the weight of the components.
    double typical = Math.sqrt(site.normSquared() / rank / Math.max(1, site.shape().size(mode)));
    this.charge = constraint.weight() * typical;
  }

  @Override
  public Optional<Rows> state() {
    return Optional.of(dual);
  }

  @Override
  public Step step(Problem problem) {
    return problem
        .product()
        .rows("U", dual)
        .then(
            algebra.admm(
                constraint,
                "A",
                "U",
                "M",
                problem.weights(),
                problem.others(),
                problem.v(),
                problem.guess(),
                charge));
  }
}
