package org.weft.jobs.diagnose;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.decomposition.Corcondia;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.jobs.chart.Axes;
import org.weft.jobs.model.LabelledModel;
import org.weft.jobs.model.ModelComparison;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.FactorModel;
import org.weft.tensor.DenseMatrix;

/** CP decompositions of several ranks from several starts each. */
public final class RankScan {
  private RankScan() {}

  /**
   * What a rank is like.
   *
   * @param fit of the best start
   * @param consistency of its core, {@link Corcondia}
   * @param stability mean factor match score of the other starts with the best, 0 to 1: {@code 1 -
   *     drift} of {@link ModelComparison}; NaN of one start
   */
  public record Rank(int rank, double fit, double consistency, double stability) {
    /** For JSON. */
    public Map<String, Object> members() {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("rank", rank);
      members.put("fit", fit);
      members.put("core_consistency", consistency);
      if (!Double.isNaN(stability)) {
        members.put("stability", stability);
      }
      return members;
    }
  }

  /** Decomposes from the job's seed and those after it. */
  public static Rank of(Engine engine, EngineTensor tensor, Cpd job, int starts) {
    List<CpdResult> all = new ArrayList<>();
    for (int start = 0; start < starts; start++) {
      Cpd seeded = job.withSeed(job.seed() + start);
      all.add(engine.cpd(tensor, seeded, ProgressListener.NONE));
    }
    CpdResult best = all.stream().max((a, b) -> Double.compare(fit(a), fit(b))).orElseThrow();
    double stability =
        all.stream()
            .filter(result -> result != best)
            .mapToDouble(
                other -> 1 - ModelComparison.of(compared(best), compared(other), 0).drift())
            .average()
            .orElse(Double.NaN);
    double consistency = consistency(engine, tensor, best.factors(), best.lambda());
    return new Rank(job.rank(), fit(best), consistency, stability);
  }

  private static double fit(CpdResult result) {
    return result.fits().get(result.fits().size() - 1);
  }

  private static LabelledModel compared(CpdResult result) {
    return LabelledModel.of(new FactorModel(result.factors(), new CpValue(result.lambda())));
  }

  /** The core consistency of a model. */
  public static double consistency(
      Engine engine, EngineTensor tensor, List<DenseMatrix> factors, double[] lambda) {
    List<DenseMatrix> weighted = new ArrayList<>(factors);
    weighted.set(0, weighted(factors.get(0), lambda));
    Corcondia method = new Corcondia(weighted);
    return engine.run(tensor, method, ProgressListener.NONE, (score, site) -> {}).model();
  }

  private static DenseMatrix weighted(DenseMatrix factor, double[] lambda) {
    DenseMatrix weighted = DenseMatrix.zeros(factor.rows(), lambda.length);
    double[] row = new double[lambda.length];
    for (long i = 0; i < factor.rows(); i++) {
      factor.copyRow(i, row, 0);
      for (int r = 0; r < row.length; r++) {
        row[r] *= lambda[r];
      }
      weighted.setRow(i, row, 0);
    }
    return weighted;
  }

  /** Fit, consistency and stability by rank, all from 0 to 1. */
  public static Axes picture(List<Rank> ranks) {
    Axes axes = Axes.of("rank", "share").title("fit, core consistency and stability by rank");
    List<Axes.Point> fits = new ArrayList<>();
    List<Axes.Point> cores = new ArrayList<>();
    List<Axes.Point> stable = new ArrayList<>();
    for (Rank rank : ranks) {
      String at = "rank " + rank.rank();
      fits.add(new Axes.Point(rank.rank(), rank.fit(), at));
      cores.add(new Axes.Point(rank.rank(), Math.max(0, rank.consistency() / 100), at));
      if (!Double.isNaN(rank.stability())) {
        stable.add(new Axes.Point(rank.rank(), rank.stability(), at));
      }
    }
    axes.curve("fit", fits).curve("core consistency", cores);
    return stable.isEmpty() ? axes : axes.curve("stability", stable);
  }
}
