package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import org.weft.decomposition.OrthogonalIteration;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.MethodResult;
import org.weft.engine.ProgressListener;
import org.weft.tensor.DenseMatrix;

/** What a Tucker decomposition found: factors, the core, and the fit of each sweep. */
@SuppressWarnings("ArrayRecordComponent")
record FoundTucker(List<DenseMatrix> factors, double[] core, List<Double> fits, double norm) {
  static FoundTucker of(
      Engine engine, EngineTensor tensor, OrthogonalIteration tucker, ProgressListener progress) {
    List<DenseMatrix> factors = new ArrayList<>();
    MethodResult<OrthogonalIteration.Model> result =
        engine.run(
            tensor,
            tucker,
            progress,
            KeptFactors.into(factors, OrthogonalIteration.Model::factors));
    return new FoundTucker(factors, result.model().core(), result.model().fits(), result.norm());
  }
}
