package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.spark.model.CpValue;

/**
 * What a report shows of a decomposition.
 *
 * @param run what ran, as text by name
 * @param modes names, sizes and kind
 * @param profile figures of the tensor, as text by name
 * @param measure what iterations raise: {@code fit}, {@code log-likelihood}
 * @param fits its values, after each iteration
 * @param starts final fits of all starts; empty if there was one
 * @param others fits after each iteration of the starts that were not kept
 * @param components heaviest share first; none of a Tucker model
 * @param ofModel whether shares are of the model's sum of squares over all cells, as for a
 *     completion, and not of the tensor's
 * @param biases of a completion
 * @param core of a Tucker model, with the columns of its factors
 * @param overlap of the components, in their order: product over the modes of the cosines of their
 *     columns, R x R
 * @param measured what the run took, other models, and where the model differs from the tensor
 * @param residuals what the model's folder records of residuals, as text by name; may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // compared with nothing
public record Figures(
    String title,
    Map<String, String> run,
    List<Mode> modes,
    Map<String, String> profile,
    String measure,
    List<Double> fits,
    List<Double> starts,
    List<List<Double>> others,
    List<Component> components,
    boolean ofModel,
    @Nullable Baseline biases,
    @Nullable Core core,
    double[][] overlap,
    Map<String, String> residuals,
    Measured measured) {

  /** A mode; one of time is drawn as a line in its own order. */
  public record Mode(String name, long size, boolean time) {}

  /** A label and its weight in a component. */
  public record Weighted(String label, double weight) {}

  /** The weights of a mode of time, in its order; neighbours are merged where there are many. */
  public record Line(String first, String last, List<Double> weights) {}

  /**
   * A component.
   *
   * @param number in the model's files, from 0
   * @param share of the tensor's sum of squares; all together have what the model has of it
   * @param strongest labels by mode
   * @param lines by mode, of modes of time
   * @param image of the component, which has no card of its own
   * @param isImage whether this is such an image
   */
  public record Component(
      int number,
      double lambda,
      double share,
      List<List<Weighted>> strongest,
      Map<Integer, Line> lines,
      @Nullable Image image,
      boolean isImage) {}

  /**
   * What the cells of a completion have without any component: the mean and the biases.
   *
   * @param share of the model's sum of squares
   * @param strongest labels by mode, with their biases
   * @param lines by mode, of modes of time
   */
  public record Baseline(
      double mean, double share, List<List<Weighted>> strongest, Map<Integer, Line> lines) {}

  /**
   * A column of a factor of a Tucker model.
   *
   * @param number in the model's files, from 0
   * @param share of the core's sum of squares
   * @param line if the mode is one of time
   */
  public record Column(int number, double share, List<Weighted> strongest, @Nullable Line line) {}

  /**
   * An entry of a core.
   *
   * @param columns of each mode's factor
   * @param share of the core's sum of squares
   */
  public record Entry(List<Integer> columns, double value, double share) {}

  /**
   * A core.
   *
   * @param share of the tensor's sum of squares that the core has
   * @param columns by mode
   * @param entries the largest, the largest first
   * @param values row-major, with the signs of the columns as they are shown
   */
  public record Core(
      List<Integer> ranks,
      double share,
      List<List<Column>> columns,
      List<Entry> entries,
      double[] values) {}

  /**
   * A component that is another one with two modes exchanged.
   *
   * @param number in the model's files, from 0
   * @param exchanged names of the modes
   * @param strongest labels of the modes that are not exchanged
   */
  public record Image(
      int number, double share, String exchanged, Map<Integer, List<Weighted>> strongest) {}

  /**
   * A step of the run against its prediction, in seconds a call.
   *
   * @param skew time of the slowest partition over the mean
   */
  public record Step(
      String name,
      int calls,
      double predicted,
      double measured,
      double gflops,
      double gbps,
      double skew) {}

  /** The rates that the plan expects of the machine at most; 0 if they are not known. */
  public record Machine(double gflops, double gbps) {}

  /** A model of some rank. */
  public record RankFit(int rank, double fit, String model) {}

  /** A slice with a large part of the squared error. */
  public record Outlier(String label, double share, double leverage) {}

  /** An entry far from the model. */
  public record Worst(List<String> labels, double value, double model) {}

  /**
   * Where the model differs from the tensor.
   *
   * @param relativeError {@code |T - model| / |T|}
   * @param slices by mode
   */
  public record Outliers(
      long entries,
      double relativeError,
      double storedShare,
      List<List<Outlier>> slices,
      Residuals.Histogram histogram,
      List<Worst> worst) {}

  /** What the run took, other models of the tensor, and outliers if they were asked for. */
  public record Measured(
      List<Step> steps, Machine machine, List<RankFit> scan, @Nullable Outliers outliers) {}

  /**
   * The inner products of components without their weights, R x R: the products over the modes of
   * the Gram matrices of the factors.
   */
  public static double[][] innerProducts(List<double[][]> grams, int rank) {
    double[] ones = new double[rank];
    java.util.Arrays.fill(ones, 1);
    CpValue plain = new CpValue(ones);
    return plain.slices(-1, plain, grams);
  }

  /**
   * The share of each component in a sum of squares: its inner product with the model.
   *
   * @param squares the sum
   */
  public static double[] shares(double[] lambda, double[][] products, double squares) {
    double[] shares = new double[lambda.length];
    for (int r = 0; r < lambda.length; r++) {
      for (int s = 0; s < lambda.length; s++) {
        shares[r] += lambda[r] * lambda[s] * products[r][s];
      }
      shares[r] = squares == 0 ? 0 : shares[r] / squares;
    }
    return shares;
  }

  /** Numbers of the first {@code count} components, the largest share first. */
  public static List<Integer> byShare(double[] shares, int count) {
    return IntStream.range(0, count)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer r) -> -shares[r]))
        .toList();
  }

  /** {@code products} as cosines, with rows and columns in {@code order}. */
  public static double[][] cosines(double[][] products, List<Integer> order) {
    double[][] cosines = new double[order.size()][order.size()];
    for (int r = 0; r < cosines.length; r++) {
      for (int s = 0; s < cosines.length; s++) {
        int a = order.get(r);
        int b = order.get(s);
        double norms = Math.sqrt(products[a][a] * products[b][b]);
        cosines[r][s] = norms == 0 ? 0 : products[a][b] / norms;
      }
    }
    return cosines;
  }

  /** The figures as members of JSON. */
  public Map<String, Object> members() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("title", title);
    all.put("run", run);
    all.put("modes", modes);
    all.put("profile", profile);
    all.put("measure", measure);
    all.put("fits", fits);
    all.put("starts", starts);
    all.put("other_fits", others);
    if (core == null) {
      all.put("components", new ArrayList<>(components));
      all.put("overlap", overlap);
    } else {
      all.put("ranks", core.ranks());
      all.put("share", core.share());
      all.put("columns", core.columns());
      all.put("core", core.entries());
    }
    if (biases != null) {
      all.put("biases", biases);
    }
    all.put("residuals", residuals);
    all.put("steps", measured.steps());
    all.put("machine", measured.machine());
    all.put("rank_scan", measured.scan());
    if (measured.outliers() != null) {
      all.put("outliers", measured.outliers());
    }
    return all;
  }
}
