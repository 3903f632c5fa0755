package org.weft.decomposition.cp;

import java.util.List;
import java.util.Optional;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.rows.Hals;
import org.weft.decomposition.rows.NormalEquations;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Step;

/**
 * How the factor A of a mode is replaced by the solution of its least-squares problem {@code min
 * |X_(n) - A K^T|}, or by something nearer to it, or by the solution under a constraint.
 */
interface FactorUpdate {
  /**
   * The problem. The MTTKRP is {@code M diag(others)}.
   *
   * @param about for people
   * @param mttkrps that make M
   * @param factors of all modes, as they are stored
   * @param v the Hadamard product of the other modes' Gram matrices, with the ridge
   * @param others what the columns of M are multiplied by
   * @param weights what the columns of A are multiplied by to be the latest solution
   * @param guess of the norms of the solution's columns
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Problem(
      int mode,
      String about,
      Mttkrps mttkrps,
      List<Rows> factors,
      DMatrixRMaj v,
      double[] others,
      double[] weights,
      double[] guess) {
    Step step() {
      return Step.of(mode, about);
    }

    /** A step that makes M. */
    Step product() {
      return mttkrps.step(mode, about, factors).rows("A", factors.get(mode));
    }
  }

  /** A step with rows named M, after which those named A are new: the solution over the guess. */
  Step step(Problem problem);

  /** Rows beside the factors that the next update depends on. */
  default Optional<Rows> state() {
    return Optional.empty();
  }

  /** {@code A = M V^-1}: a product with an R x R matrix, into which all that is diagonal goes. */
  record LeastSquares(RowAlgebra algebra) implements FactorUpdate {
    @Override
    public Step step(Problem problem) {
      DMatrixRMaj inverse = new NormalEquations(problem.v()).inverse();
      int rank = inverse.numRows;
      DMatrixRMaj product = new DMatrixRMaj(rank, rank);
      for (int s = 0; s < rank; s++) {
        for (int r = 0; r < rank; r++) {
          product.set(s, r, problem.others()[s] * inverse.get(s, r) / problem.guess()[r]);
        }
      }
      return problem.product().small("P", product).then(algebra.product("A", "M", "P"));
    }
  }

  /** A step towards the solution that keeps A nonnegative, {@link Hals}. */
  record Nonnegative(RowAlgebra algebra) implements FactorUpdate {
    /** With g for the guess, the columns are {@code a_r / g_r}, and so are the equations. */
    @Override
    public Step step(Problem problem) {
      double[] g = problem.guess();
      double[] weights = problem.weights().clone();
      double[] others = problem.others().clone();
      DMatrixRMaj v = problem.v().copy();
      for (int r = 0; r < g.length; r++) {
        weights[r] /= g[r];
        others[r] /= g[r];
        for (int s = 0; s < g.length; s++) {
          v.set(s, r, v.get(s, r) * (g[s] / g[r]));
        }
      }
      return problem.product().then(algebra.hals("A", "M", weights, others, v.data));
    }
  }
}
