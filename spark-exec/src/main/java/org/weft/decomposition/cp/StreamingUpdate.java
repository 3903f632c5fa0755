package org.weft.decomposition.cp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.decomposition.Method;
import org.weft.decomposition.Sweeps;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.PaddedRows;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.decomposition.rows.Sums;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.Job;
import org.weft.tensor.TensorShape;

/**
 * Makes a CP model that of a tensor which has grown in any modes, from the entries outside of the
 * box of the model's mode sizes: the model stands for the entries in it. As OnlineCPD (Zhou et al.
 * 2016), with a forgetting factor as in CP-stream (Smith et al. 2018), and with growth in several
 * modes as in MAST (Song et al. 2017). With G_m the Gram matrix of a factor, G'_m that of its old
 * rows, H_n = f A_n Q_n of the model at the start, and Q_n of {@link CpHistory}:
 *
 * <pre>
 * for each mode n:  M   = X_(n) (A_N (.) ... (.) A_1) over all m but n, of the new entries
 *                   V   = (*) G_m,  V' = (*) G'_m,  over all m but n
 *                   new rows:  A_n = M V^-1
 *                   old rows:  A_n = (M + H_n) (f Q_n + V - V')^-1
 * at the end:       Q_n = f Q_n + V - V'
 * </pre>
 *
 * <p>So an old row is what fits the new cells, and leaves the model no more than they outweigh the
 * past; f below 1 makes the past weigh less with each update. Old rows stay where no other mode has
 * grown, as they have no new cells. New rows begin at random and are solved alone, twice. Columns
 * are not normalised between sweeps: the past fixes their norms. The fit is that of the new cells.
 * A sweep costs O(nnz R) for the new entries and O(I R^2) for the rows.
 *
 * @param cpd rank, iterations, tolerance, sign, seed and type; no constraints of modes
 * @param forget f, above 0 and at most 1
 */
public record StreamingUpdate(Cpd cpd, CpHistory history, double forget)
    implements Method<StreamingUpdate.Model> {
  private static final int ALONE = 2;

  public StreamingUpdate {
    if (!(forget > 0 && forget <= 1)) {
      throw new WeftException(
          ErrorCode.USAGE,
          "append: expected a forgetting factor above 0 and at most 1, found " + forget);
    }
    if (history.rank() != cpd.rank()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "append: expected the rank of the model, " + history.rank() + ", found " + cpd.rank());
    }
  }

  /** As of {@link AlternatingLeastSquares}, and Q_n for the next update. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Model(
      List<Factor> factors,
      double[] lambda,
      double[][] information,
      List<Double> fits,
      List<Double> seconds,
      boolean converged) {}

  @Override
  public void check(TensorShape shape) {
    history.check(shape);
    cpd.check(shape.order());
  }

  @Override
  public Job job(TensorShape shape) {
    check(shape);
    return cpd.job(shape);
  }

  @Override
  public Memory memory(TensorShape shape) {
    return Memory.PLANNED;
  }

  @Override
  public Model run(Site site, Observer observer) {
    return new Update(site).run(observer);
  }

  /** One run. */
  private final class Update {
    private final Site site;
    private final int order = history.order();
    private final int rank = history.rank();
    private final List<Rows> factors = new ArrayList<>();
    private final List<Rows> past = new ArrayList<>();
    private final List<Rows> isOld = new ArrayList<>();
    private final DMatrixRMaj[] all = new DMatrixRMaj[order];
    private final DMatrixRMaj[] old = new DMatrixRMaj[order];
    private final DMatrixRMaj[] information = new DMatrixRMaj[order];
    private double inner;

    Update(Site site) {
      this.site = site;
      Sweeps.requireFinite("the sum of the squares of the new values", site.normSquared());
      double[] root =
          Arrays.stream(history.lambda()).map(l -> Math.pow(Math.abs(l), 1.0 / order)).toArray();
      for (int mode = 0; mode < order; mode++) {
        factors.add(balanced(mode, root));
        Step step = Step.of(mode, "norms of factor " + mode).rows("A", factors.get(mode));
        old[mode] = site.run(step.then(cpd.algebra().gram("G", "A", rank))).matrix("G", rank);
      }
      for (int mode = 0; mode < order; mode++) {
        information[mode] = information(mode, root);
        past.add(past(mode));
      }
      for (int mode = 0; mode < order; mode++) {
        all[mode] = grows(mode) ? begun(mode) : old[mode];
      }
    }

    private boolean grows(int mode) {
      return site.shape().size(mode) > history.shape().size(mode);
    }

    /** The model's factor with its share of the weights, and zeros for new slices. */
    private Rows balanced(int mode, double[] root) {
      PaddedRows grown = new PaddedRows(history.factors().get(mode), site.shape().size(mode));
      Rows rows = site.given(mode, grown, cpd.valueType());
      DMatrixRMaj share = new DMatrixRMaj(rank, rank);
      for (int r = 0; r < rank; r++) {
        share.set(r, r, root[r] * sign(mode, r));
      }
      site.run(
          Step.of(mode, "weights of factor " + mode)
              .rows("A", rows)
              .small("P", share)
              .then(cpd.algebra().product("A", "A", "P")));
      return rows;
    }

    private double sign(int mode, int component) {
      return mode == 0 && history.lambda()[component] < 0 ? -1 : 1;
    }

    /** Q_n for factors that share the weights. */
    private DMatrixRMaj information(int mode, double[] root) {
      if (history.information().length == 0) {
        return hadamard(old, mode);
      }
      DMatrixRMaj q = new DMatrixRMaj(rank, rank, true, history.information()[mode].clone());
      double[] others =
          IntStream.range(0, rank)
              .mapToDouble(r -> Math.pow(root[r], order - 1) * (mode == 0 ? 1 : sign(0, r)))
              .toArray();
      return scaled(q, others);
    }

    private Rows past(int mode) {
      DMatrixRMaj weighed = information[mode].copy();
      CommonOps_DDRM.scale(forget, weighed);
      Rows rows = site.rows(mode, rank, cpd.valueType());
      site.run(
          Step.of(mode, "the past of factor " + mode)
              .rows("A", factors.get(mode))
              .rows("H", rows)
              .small("P", weighed)
              .then(cpd.algebra().product("H", "A", "P")));
      return rows;
    }

    /** Makes new rows random, about as large as old ones; returns the Gram matrix of all. */
    private DMatrixRMaj begun(int mode) {
      long known = history.shape().size(mode);
      PaddedRows marks = PaddedRows.marks(known, site.shape().size(mode));
      isOld.add(site.given(mode, marks, cpd.valueType()));
      double size = Math.sqrt(CommonOps_DDRM.trace(old[mode]) / rank / Math.max(1, known));
      RowRule fill =
          (rows, sums) -> {
            for (int r = 0; rows[2][0] == 0 && r < rows[0].length; r++) {
              rows[0][r] = size * rows[1][r];
            }
          };
      try (Rows random = site.random(mode, rank, cpd.valueType(), cpd.seed(mode))) {
        Step step =
            Step.of(mode, "start of factor " + mode)
                .rows("A", factors.get(mode))
                .rows("X", random)
                .rows("O", marks(mode))
                .then(RowOperation.each(fill, "A", "X", "O"));
        return site.run(step.then(cpd.algebra().gram("G", "A", rank))).matrix("G", rank);
      }
    }

    private Rows marks(int mode) {
      return isOld.stream().filter(rows -> rows.mode() == mode).findFirst().orElseThrow();
    }

    Model run(Observer observer) {
      for (int time = 0; time < ALONE; time++) {
        IntStream.range(0, order).filter(this::grows).forEach(mode -> update(mode, true));
      }
      Sweeps sweeps = new Sweeps(cpd.maxIterations(), cpd.tolerance(), observer);
      while (!sweeps.ended()) {
        sweeps.run(this::sweep);
      }
      double[] lambda = new double[rank];
      Arrays.fill(lambda, 1);
      double[][] norms = new double[order][];
      List<Factor> made = new ArrayList<>();
      for (int mode = 0; mode < order; mode++) {
        DMatrixRMaj gram = all[mode];
        norms[mode] =
            IntStream.range(0, rank).mapToDouble(r -> Math.sqrt(gram.get(r, r))).toArray();
        double[] norm = norms[mode];
        Arrays.setAll(lambda, r -> lambda[r] * norm[r]);
        made.add(new Factor(factors.get(mode), inverse(norm)));
      }
      double[][] next =
          IntStream.range(0, order).mapToObj(m -> after(m, norms)).toArray(double[][]::new);
      return new Model(made, lambda, next, sweeps.fits(), sweeps.seconds(), sweeps.converged());
    }

    private double sweep(int number) {
      for (int mode = 0; mode < order; mode++) {
        update(mode, false);
      }
      double model =
          CommonOps_DDRM.elementSum(hadamard(all, -1))
              - CommonOps_DDRM.elementSum(hadamard(old, -1));
      double norm = site.normSquared();
      double fit = 1 - Math.sqrt(Math.max(0, norm - 2 * inner + model)) / Math.sqrt(norm);
      Sweeps.requireFinite("the fit after iteration " + number, fit);
      return fit;
    }

    /**
     * Replaces rows of a mode.
     *
     * @param alone the new ones only
     */
    private void update(int mode, boolean alone) {
      AppendedRow row =
          new AppendedRow(
              AppendedRow.Equations.of(hadamard(all, mode)),
              AppendedRow.Equations.of(weighed(mode)),
              alone || !othersGrow(mode),
              cpd.nonnegative(),
              rank);
      Step step =
          Step.of(mode, "factor " + mode)
              .product("M", mode, factors)
              .rows("A", factors.get(mode))
              .rows("H", past.get(mode));
      List<String> names = new ArrayList<>(List.of("A", "M", "H"));
      if (grows(mode)) {
        step.rows("O", marks(mode));
        names.add("O");
      }
      Sums sums =
          site.run(
              step.then(new RowOperation.Each(row, names, 1, "N", rank * rank))
                  .then(cpd.algebra().gram("G", "A", rank))
                  .then(cpd.algebra().inner("d", "M", "A", rank)));
      all[mode] = sums.matrix("G", rank);
      old[mode] = new DMatrixRMaj(rank, rank);
      CommonOps_DDRM.subtract(all[mode], sums.matrix("N", rank), old[mode]);
      inner = Arrays.stream(sums.get("d")).sum();
    }

    private boolean othersGrow(int mode) {
      return IntStream.range(0, order).anyMatch(other -> other != mode && grows(other));
    }

    /** {@code f Q_n + V - V'}. */
    private DMatrixRMaj weighed(int mode) {
      DMatrixRMaj added = new DMatrixRMaj(rank, rank);
      CommonOps_DDRM.subtract(hadamard(all, mode), hadamard(old, mode), added);
      DMatrixRMaj weighed = new DMatrixRMaj(rank, rank);
      CommonOps_DDRM.add(forget, information[mode], 1, added, weighed);
      return weighed;
    }

    /** Q_n for the next update, of factors with unit columns. */
    private double[] after(int mode, double[][] norms) {
      double[] others = new double[rank];
      Arrays.fill(others, 1);
      for (int m = 0; m < order; m++) {
        double[] norm = norms[m];
        if (m != mode) {
          Arrays.setAll(others, r -> others[r] * norm[r]);
        }
      }
      return scaled(othersGrow(mode) ? weighed(mode) : information[mode], inverse(others)).data;
    }

    private DMatrixRMaj hadamard(DMatrixRMaj[] grams, int except) {
      DMatrixRMaj product = new DMatrixRMaj(rank, rank);
      product.fill(1);
      for (int m = 0; m < order; m++) {
        if (m != except) {
          CommonOps_DDRM.elementMult(product, grams[m]);
        }
      }
      return product;
    }
  }

  private static DMatrixRMaj scaled(DMatrixRMaj matrix, double[] scale) {
    DMatrixRMaj scaled = matrix.copy();
    CommonOps_DDRM.multRows(scale, scaled);
    CommonOps_DDRM.multCols(scaled, scale);
    return scaled;
  }

  private static double[] inverse(double[] numbers) {
    return Arrays.stream(numbers).map(n -> n == 0 ? 0 : 1 / n).toArray();
  }
}
