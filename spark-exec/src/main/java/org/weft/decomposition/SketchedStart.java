package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.planner.job.RowStatement;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Orthonormal factors for {@link OrthogonalIteration} to start from: the sequentially truncated
 * higher-order SVD (Vannieuwenhoven, Vandebril and Meerbergen 2012, algorithm 1) with randomised
 * range finders (Minster, Saibaba and Kilmer 2020, algorithm 3.2):
 *
 * <pre>
 * for the modes n by decreasing I_n / R_n:
 *   W_m = random I_m x s if m is still to come, and U_m times a random R_m x s if m is done
 *   Y   = X_(n) (W_N (.) ... (.) W_1) over all m but n    (MTTKRP)
 *   U_n = the R_n leading left singular vectors of Y
 * </pre>
 *
 * <p>The Khatri-Rao product of random matrices takes the place of their Gaussian matrix, so that
 * one MTTKRP of {@code s = 2 R_n + 8} columns samples the range of the truncated tensor, which is
 * never formed. There is no power step, as it would have to form the tensor.
 *
 * <p>The first sweep from here reaches about the fit of the second one from random factors, and the
 * start takes less time than a sweep. Of seven real tensors, runs ended with a higher fit on four,
 * with the same on two, and with one lower by 0.001 on one. Optima are local, so more starts say
 * more. The number of sweeps to the tolerance is about the same.
 *
 * @param type of the tensor and the samples
 */
record SketchedStart(Ranks ranks, ValueType type, long seed) {
  private static final int TIMES = 2;
  private static final int OVERSAMPLING = 8; // beside, as in Basis
  private static final long SEED = 0x9E3779B97F4A7C15L;

  /** Columns of the sample of a mode. */
  private int columns(int mode) {
    return TIMES * ranks.of(mode) + OVERSAMPLING;
  }

  /** An MTTKRP for each mode, in order. */
  List<RowStatement> statements() {
    int order = ranks.order();
    return IntStream.range(0, order)
        .mapToObj(mode -> RowStatement.mttkrp(order, mode, columns(mode)))
        .toList();
  }

  /** The kernel beside those of {@link Basis}. */
  Stream<KernelRequest> algebra() {
    return Stream.of(samples().product());
  }

  private RowAlgebra samples() {
    return new RowAlgebra(type, type, 0);
  }

  /** Most bytes of samples at a time. */
  double bytes(TensorShape shape) {
    double rows = LongStream.of(shape.toArray()).sum();
    int most = IntStream.range(0, ranks.order()).map(this::columns).max().orElse(0);
    return rows * most * type.bytes();
  }

  /** Makes the factors. */
  void run(Site site, RoundedFactors factors) {
    TensorShape shape = site.shape();
    IntStream.range(0, ranks.order())
        .boxed()
        .sorted(Comparator.comparingDouble(m -> -(double) shape.size(m) / ranks.of(m)))
        .forEach(mode -> factors.replace(mode, truncated(site, factors, mode)));
  }

  private Rows truncated(Site site, RoundedFactors factors, int mode) {
    List<Rows> samples = new ArrayList<>();
    for (int m = 0; m < ranks.order(); m++) {
      samples.add(
          sample(
              site,
              factors,
              m,
              m == mode ? 1 : columns(mode),
              seed * SEED + (long) mode * ranks.order() + m));
    }
    try (Rows y = site.rows(mode, columns(mode), type)) {
      Step step = Step.of(mode, "start of mode " + mode);
      Basis basis = new Basis(site, mode, type, seed);
      return basis.leading(step.product("Y", ranks.order() + mode, samples), y, ranks.of(mode), 0);
    } finally {
      samples.forEach(Rows::close);
    }
  }

  /** W_m, which the seed determines. */
  private Rows sample(Site site, RoundedFactors factors, int mode, int columns, long drawn) {
    @Nullable Rows basis = factors.rounded().get(mode);
    if (basis == null) {
      return Basis.centered(site, mode, columns, type, drawn);
    }
    DMatrixRMaj small = new DMatrixRMaj(ranks.of(mode), columns);
    Random random = new Random(drawn);
    small.setData(random.doubles(small.getNumElements(), -0.5, 0.5).toArray());
    Rows sample = site.rows(mode, columns, type);
    site.run(
        Step.of(mode, "sample of mode " + mode)
            .rows("A", sample)
            .rows("M", basis)
            .small("P", small)
            .then(samples().product("A", "M", "P")));
    return sample;
  }
}
