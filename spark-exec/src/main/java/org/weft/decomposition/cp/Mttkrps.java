package org.weft.decomposition.cp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ejml.data.DMatrixRMaj;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.ModeGroup;
import org.weft.tensor.DenseMatrix;

/**
 * The MTTKRPs of the modes, which are asked for in order, each before the mode's factor changes. A
 * mode is a statement on the entries, or belongs to a {@link ModeGroup} whose products the site
 * makes once in a sweep. Products stay at the site: a row for each slice of the group's root. The
 * other modes of a group are small, so that their factors and MTTKRPs come to this process.
 */
final class Mttkrps {
  private final Site site;
  private final RowAlgebra algebra;
  private final Map<Integer, Integer> statements = new HashMap<>();
  private final Map<ModeGroup, Rows> products = new HashMap<>();
  private final Map<Integer, Rows> made = new HashMap<>();
  private final Map<Integer, DMatrixRMaj> small = new HashMap<>();
  private final List<ModeGroup> groups;

  Mttkrps(Site site, RowAlgebra algebra) {
    this.site = site;
    this.algebra = algebra;
    this.groups = site.groups();
    for (int number = 0; number < groups.size(); number++) {
      for (int mode : groups.get(number).modes()) {
        statements.put(mode, number);
      }
    }
  }

  /**
   * A step of the mode that makes its MTTKRP, or has it: rows named M.
   *
   * @param about what it does, for people
   * @param factors of all modes
   */
  Step step(int mode, String about, List<Rows> factors) {
    int statement = statements.getOrDefault(mode, mode);
    if (groups.isEmpty() || !groups.get(statement).shares()) {
      return Step.of(mode, about).product("M", statement, factors);
    }
    ModeGroup group = groups.get(statement);
    Rows kept = products.computeIfAbsent(group, this::rows);
    if (mode == group.modes().get(0)) {
      site.run(
          Step.of(group.root(), "products of modes " + group + " before " + about)
              .product("Y", statement, factors)
              .rows("Y", kept));
    }
    small.remove(mode);
    return mode == group.root()
        ? ofRoot(group, about, factors, kept)
        : Step.of(mode, about).rows("M", ofOther(group, mode, about, factors, kept));
  }

  private Rows rows(ModeGroup group) {
    int columns = (int) group.rowCells(site.shape()) * algebra.rank();
    return site.rows(group.root(), columns, algebra.result());
  }

  private Step ofRoot(ModeGroup group, String about, List<Rows> factors, Rows kept) {
    int root = group.root();
    Rows result =
        made.computeIfAbsent(root, key -> site.rows(root, algebra.rank(), algebra.result()));
    Step step = Step.of(root, about).rows("Y", kept).rows("M", result);
    Map<String, String> operands = operands(step, group, root, factors);
    return step.then(new RowOperation.Replace(group.symbol(root), "M", "M", operands));
  }

  /** The MTTKRP of a mode that is summed over the rows of the products. */
  private Rows ofOther(ModeGroup group, int mode, String about, List<Rows> factors, Rows kept) {
    int rank = algebra.rank();
    int size = Math.toIntExact(site.shape().size(mode));
    Step step = Step.of(group.root(), "MTTKRP of products for " + about).rows("Y", kept);
    Map<String, String> operands = operands(step, group, mode, factors);
    List<Integer> shape = List.of(size, rank);
    double[] sums =
        site.run(step.then(new RowOperation.Sum(group.symbol(mode), "M", "M", shape, operands)))
            .get("M");
    DenseMatrix matrix = DenseMatrix.zeros(size, rank);
    for (int row = 0; row < size; row++) {
      matrix.setRow(row, sums, (int) site.place(mode, row) * rank);
    }
    Rows result = site.given(mode, matrix, algebra.result());
    Rows before = made.put(mode, result);
    if (before != null) {
      before.close();
    }
    return result;
  }

  /** Gives the step the factors of the group that the kernel of a mode reads. */
  private Map<String, String> operands(Step step, ModeGroup group, int mode, List<Rows> factors) {
    Map<String, String> operands = new HashMap<>(Map.of("P", "Y"));
    for (int other : group.modes()) {
      String name = group.factor(other);
      if (other == mode) {
        continue;
      }
      operands.put(name, name);
      if (other == group.root()) {
        step.rows(name, factors.get(other));
      } else {
        step.small(name, small.computeIfAbsent(other, key -> matrix(factors.get(key))));
      }
    }
    return operands;
  }

  /** The rows of a small factor as the products have them. */
  private DMatrixRMaj matrix(Rows factor) {
    DenseMatrix collected = site.collect(factor);
    DMatrixRMaj matrix = new DMatrixRMaj((int) factor.count(), factor.columns());
    for (int row = 0; row < matrix.numRows; row++) {
      int place = (int) site.place(factor.mode(), row);
      collected.copyRow(row, matrix.data, place * matrix.numCols);
    }
    return matrix;
  }
}
