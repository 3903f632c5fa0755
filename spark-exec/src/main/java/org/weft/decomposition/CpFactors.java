package org.weft.decomposition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.decomposition.rows.Factor;
import org.weft.decomposition.rows.RowAlgebra;
import org.weft.decomposition.rows.RowOperation;
import org.weft.decomposition.rows.RowRule;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;
import org.weft.decomposition.rows.Step;
import org.weft.tensor.ValueType;

/** The factors of a CP model where a method runs. */
public final class CpFactors {
  private static final String NAME = "factor";

  private final List<Rows> matrices;

  /** The rule, without sums, that makes a row of a factor from random numbers in [0, 1). */
  public interface Start {
    RowRule of(int mode);
  }

  private CpFactors(List<Rows> matrices) {
    this.matrices = matrices;
  }

  /** Random factors. */
  public static CpFactors random(Site site, int columns, long seed, ValueType type, Start start) {
    List<Rows> matrices = new ArrayList<>();
    for (int mode = 0; mode < site.shape().order(); mode++) {
      Rows factor = site.random(mode, columns, type, seed + mode * 0xD1B54A32D192ED03L);
      matrices.add(factor);
      site.run(
          Step.of(mode, "start of mode " + mode)
              .rows("A", factor)
              .then(RowOperation.each(start.of(mode), "A")));
    }
    return new CpFactors(matrices);
  }

  /** The factors of a state, or random factors where there is none. */
  public static CpFactors of(
      Optional<MethodState<RowSource>> state,
      Site site,
      int columns,
      long seed,
      ValueType type,
      Start start) {
    return state.isPresent()
        ? new CpFactors(MethodState.at(site, state.get(), NAME, type))
        : random(site, columns, seed, type, start);
  }

  /** A state with the factors. */
  public MethodState<Rows> state() {
    return new MethodState<Rows>().rows(NAME, matrices);
  }

  /** By mode: mode size x columns. */
  public List<Rows> matrices() {
    return matrices;
  }

  public Rows of(int mode) {
    return matrices.get(mode);
  }

  /** Rows of zeros. */
  public static Rows zeros(Site site, int mode, int columns, ValueType type) {
    Rows zeros = site.random(mode, columns, type, 0);
    clear(site, zeros);
    return zeros;
  }

  /** Makes all numbers of rows 0. */
  public static void clear(Site site, Rows matrix) {
    RowRule zero = (rows, sums) -> Arrays.fill(rows[0], 0);
    Step step = Step.of(matrix.mode(), "zeros of mode " + matrix.mode()).rows("Z", matrix);
    site.run(step.then(RowOperation.each(zero, "Z")));
  }

  /**
   * Copies matrices of each mode where they lie.
   *
   * @param algebra of which the job has the {@link RowAlgebra#copy}
   */
  public static void copy(Site site, RowAlgebra algebra, List<Rows> into, List<Rows> from) {
    for (Rows matrix : from) {
      int mode = matrix.mode();
      Step copy = Step.of(mode, "copy of mode " + mode).rows("K", into.get(mode));
      site.run(copy.rows("A", matrix).then(algebra.copy("K", "A")));
    }
  }

  /** Adds the squares of a row's numbers up, by column. */
  public static final RowRule SQUARES =
      (rows, sums) -> {
        for (int c = 0; c < rows[0].length; c++) {
          sums[c] += rows[0][c] * rows[0][c];
        }
      };

  /** Sums over rows of what a rule without changes adds up for each column. */
  public static double[] columns(Site site, Rows factor, RowRule rule) {
    Step step = Step.of(factor.mode(), "columns of mode " + factor.mode()).rows("A", factor);
    RowOperation each = new RowOperation.Each(rule, List.of("A"), 0, "s", factor.columns());
    return site.run(step.then(each)).get("s");
  }

  /** Factors with columns of norm 1, and for each component the product of the columns' norms. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Normalised(List<Factor> factors, double[] lambda) {
    public static Normalised of(Site site, List<Rows> matrices) {
      double[] lambda = new double[matrices.get(0).columns()];
      Arrays.fill(lambda, 1);
      List<Factor> factors = new ArrayList<>();
      for (Rows matrix : matrices) {
        double[] squares = columns(site, matrix, SQUARES);
        double[] scale =
            Arrays.stream(squares).map(sum -> sum > 0 ? 1 / Math.sqrt(sum) : 0).toArray();
        IntStream.range(0, lambda.length).forEach(c -> lambda[c] *= Math.sqrt(squares[c]));
        factors.add(new Factor(matrix, scale));
      }
      return new Normalised(factors, lambda);
    }
  }
}
