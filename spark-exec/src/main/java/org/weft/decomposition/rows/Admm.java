package org.weft.decomposition.rows;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.memory.MemoryScope;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorStorage;

/**
 * One update of a constrained factor A (I x R) by the alternating direction method of multipliers
 * (Huang, Sidiropoulos and Liavas 2016, algorithm 1). Each row a starts from where it and its dual
 * u were:
 *
 * <pre>
 * repeat:  b = (m + rho (a + u)) (V + rho I)^-1
 *          a = prox(b - u),  u = u + a - b
 * until    |a - b|^2 below tol |a|^2 and |a - a before|^2 below tol |u|^2
 * </pre>
 *
 * <p>Rows are independent of each other and stop one by one: it does not matter how they are
 * divided among threads and processes. A least-squares solution that a set allows is taken as it
 * is. A round costs {@code O(R^2)} for a row. {@link AdmmLanes} makes the rounds of some rows at a
 * time while they lie in a cache (Smith, Beri and Karypis 2017, section 4). {@link RowAlgebra#admm}
 * makes the update and lists its kernels.
 *
 * @param rows name of A in the step
 * @param dual name of U in the step
 * @param data name of the MTTKRP M in the step; the update only reads M
 * @param weights factor of each column of A and of U before the update
 * @param shares factor of each column of M; it contains the division by rho
 * @param free R x R, row-major: {@code rho V^-1}, which makes least-squares solutions
 * @param shifted R x R, row-major: {@code rho (V + rho I)^-1}
 * @param divisors of the columns of A and of U after the update
 * @param charge of absolute values, divided by rho
 */
@SuppressWarnings("ArrayRecordComponent")
public record Admm(
    Symbols symbols,
    FactorConstraint constraint,
    String rows,
    String dual,
    String data,
    double[] weights,
    double[] shares,
    double[] free,
    double[] shifted,
    double[] divisors,
    double charge)
    implements RowOperation {

  /**
   * The symbols of the kernels. Matrices of lanes are R x lanes, and vectors have all their numbers
   * or a number for each lane.
   *
   * @param right adds up: {@code x(k) = m(k) + a(k) + u(k)}
   * @param solve multiplies: {@code B(r,i) = P(s,r) * X(s,i)}
   * @param above the proximity operator of numbers that are not negative, with a charge c
   * @param shrink the proximity operator of absolute values with a charge c
   * @param dual changes u: {@code v(k) = u(k) + a(k) - b(k)}
   * @param apart squared distances: {@code p(i) = (X(r,i) - Y(r,i))^2}
   * @param squares squared norms: {@code p(i) = X(r,i)^2}
   * @param simplex what finds the nearest rows of the simplex
   */
  public record Symbols(
      String right,
      String solve,
      String above,
      String shrink,
      String dual,
      String apart,
      String squares,
      Simplex simplex)
      implements java.io.Serializable {}

  /**
   * The symbols of the kernels that subtract thresholds t, a number for each lane, from rows {@code
   * Y = B - U}.
   *
   * @param start the threshold if all numbers of a row are above it
   * @param sum of what is above: {@code s(i) = sum(r, max(0, Y(r,i) - t(i)))}
   * @param count of the numbers that are above
   * @param rise the threshold for which s is 1 if no other number comes to be below
   * @param less the row: {@code X(r,i) = max(0, Y(r,i) - t(i))}
   */
  public record Simplex(String start, String sum, String count, String rise, String less)
      implements java.io.Serializable {}

  @Override
  public List<String> reads() {
    return List.of(rows, dual, data);
  }

  @Override
  public List<String> writes() {
    return List.of(rows, dual);
  }

  /**
   * Updates all rows.
   *
   * @param kernels the kernels by symbol
   * @param a A, I x R
   * @param u U, I x R
   * @param m M, I x R
   * @param threads how many threads may work at a time
   * @param scope owner of temporary memory: that of {@link AdmmLanes} for each thread
   */
  void run(
      Function<String, Kernel> kernels,
      TensorStorage a,
      TensorStorage u,
      TensorStorage m,
      int threads,
      MemoryScope scope) {
    long count = a.shape().size(0);
    int workers = (int) Math.max(1, Math.min(threads, count / AdmmLanes.LANES));
    try (MemoryScope own = scope.child("admm")) {
      List<AdmmLanes> lanes =
          IntStream.range(0, workers)
              .mapToObj(worker -> new AdmmLanes(this, kernels, a, u, m, own))
              .toList();
      IntStream.range(0, workers)
          .parallel()
          .forEach(
              worker -> {
                long to = count * (worker + 1) / workers;
                lanes.get(worker).run(count * worker / workers, to);
              });
      lanes.forEach(AdmmLanes::close);
    }
  }
}
