package org.weft.planner.job;

/**
 * A product of each fiber of a mode with a factor of that mode. The result is sparse: it has an
 * entry, or a dense row, for each fiber that has entries.
 *
 * @param name of its kernel
 * @param mode along which the fibers lie, which the product sums
 * @param rank columns of the factor; 0 for a vector
 */
public record FiberStatement(String name, int mode, int rank) implements JobStatement {
  public FiberStatement {
    JobStatement.requireMode(name, mode);
  }

  /**
   * Tensor times matrix: {@code Y(i,j,r) = T(i,j,k) * U(k,r)} for mode 2. The other modes of the
   * result are compressed, mode {@code mode} is dense and has the size {@code rank}.
   */
  public static FiberStatement ttm(int mode, int rank) {
    JobStatement.requireRank("ttm", rank);
    return new FiberStatement("ttm", mode, rank);
  }

  /**
   * Tensor times vector: {@code Y(i,j) = T(i,j,k) * v(k)} for mode 2. The result has the other
   * modes; it is a scalar for a tensor of order 1.
   */
  public static FiberStatement ttv(int mode) {
    return new FiberStatement("ttv", mode, 0);
  }

  public boolean isVector() {
    return rank == 0;
  }

  @Override
  public long cells() {
    return Math.max(1, rank);
  }

  @Override
  public String toString() {
    return name + " of mode " + mode + (isVector() ? "" : ", rank " + rank);
  }
}
