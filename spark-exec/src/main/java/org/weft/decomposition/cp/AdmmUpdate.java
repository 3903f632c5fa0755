package org.weft.decomposition.cp;

import java.util.List;
import java.util.Optional;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.CpFactors;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/** Updates a factor under a constraint on its rows, {@link AdmmRow}; the duals are rows, too. */
final class AdmmUpdate implements FactorUpdate {
  private final FactorConstraint constraint;
  private final Rows dual;
  private final double charge;

  /**
   * @param dual that an earlier run left
   */
  AdmmUpdate(
      Site site,
      FactorConstraint constraint,
      int mode,
      int rank,
      ValueType type,
      Optional<RowSource> dual) {
    this.constraint = constraint;
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
    DMatrixRMaj v = problem.v();
    double trace = CommonOps_DDRM.trace(v);
    double rho = trace > 0 ? trace / v.numRows : 1;
    DMatrixRMaj shifted = v.copy();
    for (int r = 0; r < v.numRows; r++) {
      shifted.add(r, r, rho);
    }
    AdmmRow row =
        new AdmmRow(
            constraint,
            problem.weights(),
            problem.others(),
            new NormalEquations(v).inverse().data,
            new NormalEquations(shifted).inverse().data,
            rho,
            charge);
    return problem
        .product()
        .rows("U", dual)
        .then(new RowOperation.Each(row, List.of("A", "U", "M"), 2, "", 0));
  }
}
