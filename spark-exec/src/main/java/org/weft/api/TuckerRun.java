package org.weft.api;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.decomposition.Ranks;
import org.weft.engine.ProgressListener;
import org.weft.spark.model.TuckerValue;
import org.weft.tensor.ValueType;

/**
 * A Tucker decomposition to be run, by higher-order orthogonal iteration (Kolda and Bader 2009,
 * figure 4.4).
 */
public final class TuckerRun extends ModelRun<TuckerRun, TuckerModel> {
  private final int[] ranks;

  TuckerRun(Tensor tensor, int[] ranks) {
    super(tensor);
    this.ranks = ranks.clone();
  }

  @Override
  TuckerModel model(ProgressListener progress) {
    List<Integer> columns = Arrays.stream(ranks).boxed().toList();
    OrthogonalIteration method =
        new OrthogonalIteration(
            new Ranks(columns),
            OrthogonalIteration.Start.STHOSVD,
            iterations(),
            tolerance(),
            startSeed(),
            ValueType.DOUBLE);
    Found<OrthogonalIteration.Model> found =
        found(tensor().packable(), method, OrthogonalIteration.Model::factors, progress);
    OrthogonalIteration.Model model = found.result().model();
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("method", "tucker");
    options.put("ranks", columns);
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
