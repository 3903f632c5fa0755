package org.weft.api;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.decomposition.TuckerMethod;
import org.weft.engine.ProgressListener;
import org.weft.error.Given;
import org.weft.spark.model.TuckerValue;
import org.weft.tensor.ValueType;

/**
 * A Tucker decomposition to be run, by higher-order orthogonal iteration (Kolda and Bader 2009,
 * figure 4.4), or by HALS (Phan and Cichocki 2011) where core and factors are to be nonnegative.
 */
public final class TuckerRun extends ModelRun<TuckerRun, TuckerModel> {
  private final int[] ranks;
  private TuckerMethod method = TuckerMethod.DEFAULT;

  TuckerRun(Tensor tensor, int[] ranks) {
    super(tensor);
    this.ranks = ranks.clone();
  }

  /** Keep the core and all factors nonnegative. Columns have norm 1, and are not orthonormal. */
  public TuckerRun nonnegative() {
    this.method = new TuckerMethod(true, method.init());
    return this;
  }

  /**
   * The initial factors: {@code sthosvd}, leading singular vectors of random samples of the tensor,
   * mode by mode; or {@code random}, from which {@link #nonnegative} models start always. {@code
   * sthosvd} if this is not called.
   *
   * @throws org.weft.error.WeftException {@code USAGE} for another name
   */
  public TuckerRun init(String name) {
    this.method = method.from(Given.required("name", name));
    return this;
  }

  @Override
  TuckerModel model(ProgressListener progress) {
    List<Integer> columns = Arrays.stream(ranks).boxed().toList();
    Found<OrthogonalIteration.Model> found =
        found(
            tensor().packable(),
            method.of(new Ranks(columns), iterations(), tolerance(), startSeed(), ValueType.DOUBLE),
            OrthogonalIteration.Model::factors,
            progress);
    OrthogonalIteration.Model model = found.result().model();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "tucker");
    options.put("ranks", columns);
    options.put("nonnegative", method.nonnegative());
    options.put("start", method.startName());
    options.put("tolerance", tolerance());
    return new TuckerModel(
        factors(found.factors(), new TuckerValue(ranks, model.core())),
        summary(
            tensor().packable(),
            options,
            found.result().norm(),
            model.fits(),
            model.seconds(),
            model.converged(),
            Map.of(),
            found.result().report()));
  }
}
