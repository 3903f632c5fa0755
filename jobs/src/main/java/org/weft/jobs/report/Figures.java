package org.weft.jobs.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.DenseMatrix;

/**
 * What a report shows of a decomposition.
 *
 * @param run what ran, as text by name
 * @param modes names, sizes and kind
 * @param profile figures of the tensor, as text by name
 * @param measure what iterations raise: {@code fit}, {@code log-likelihood}
 * @param fits its values, after each iteration
 * @param starts final fits of all starts; empty if there was one
 * @param components heaviest share first
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
    List<Component> components,
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
   * A component that is another one with two modes exchanged.
   *
   * @param place of it among all, from 1
   * @param exchanged names of the modes
   * @param strongest labels of the modes that are not exchanged
   */
  public record Image(
      int place, double share, String exchanged, Map<Integer, List<Weighted>> strongest) {}

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
   * The products over the modes of the Gram matrices of the factors, R x R: inner products of
   * components without their weights. Cost {@code O(I R^2)} a mode.
   */
  public static double[][] innerProducts(Iterable<DenseMatrix> factors, int rank) {
    double[][] products = new double[rank][rank];
    for (double[] row : products) {
      java.util.Arrays.fill(row, 1);
    }
    double[] row = new double[rank];
    for (DenseMatrix factor : factors) {
      double[][] gram = new double[rank][rank];
      for (long i = 0; i < factor.rows(); i++) {
        factor.copyRow(i, row, 0);
        for (int r = 0; r < rank; r++) {
          for (int s = 0; s < rank; s++) {
            gram[r][s] += row[r] * row[s];
          }
        }
      }
      for (int r = 0; r < rank; r++) {
        for (int s = 0; s < rank; s++) {
          products[r][s] *= gram[r][s];
        }
      }
    }
    return products;
  }

  /**
   * The share of each component in the tensor's sum of squares: its inner product with the model.
   *
   * @param norm of the tensor
   */
  public static double[] shares(double[] lambda, double[][] products, double norm) {
    double[] shares = new double[lambda.length];
    for (int r = 0; r < lambda.length; r++) {
      for (int s = 0; s < lambda.length; s++) {
        shares[r] += lambda[r] * lambda[s] * products[r][s];
      }
      shares[r] = norm == 0 ? 0 : shares[r] / (norm * norm);
    }
    return shares;
  }

  /** Numbers of components, the largest share first. */
  public static List<Integer> byShare(double[] shares) {
    return IntStream.range(0, shares.length)
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
    all.put("components", new ArrayList<>(components));
    all.put("overlap", overlap);
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
