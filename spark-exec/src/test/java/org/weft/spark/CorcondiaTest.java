package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.decomposition.Corcondia;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Core consistency of models that are right, and of models with too many components. */
class CorcondiaTest {
  private static Engine local() {
    return LocalBackend.engine(FileAccess.local(), EngineOptions.defaults());
  }

  private static EngineTensor tensor(Engine engine, Planted planted) {
    return engine.of(
        "planted", TensorShape.of(planted.sizes()), List.of(planted.entries()), ValueType.DOUBLE);
  }

  private static List<DenseMatrix> model(Engine engine, EngineTensor tensor, int rank) {
    Cpd cpd = new Cpd(rank, 150, 1e-10, false, 3, ValueType.DOUBLE);
    CpdResult result = engine.cpd(tensor, cpd, ProgressListener.NONE);
    List<DenseMatrix> factors = new ArrayList<>(result.factors());
    Planted.scale(factors.get(0), result.lambda());
    return factors;
  }

  private static double consistency(Engine engine, EngineTensor tensor, List<DenseMatrix> model) {
    return engine
        .run(tensor, new Corcondia(model), ProgressListener.NONE, (score, site) -> {})
        .model();
  }

  @Test
  void theRightRankIsConsistentAndOneMoreIsNot() {
    for (int[] sizes : new int[][] {{14, 12, 10}, {9, 6, 8, 7}}) {
      Planted planted = Planted.normal(3, 2, sizes).observed(1, 0.05);
      try (Engine engine = local()) {
        EngineTensor tensor = tensor(engine, planted);
        assertThat(consistency(engine, tensor, model(engine, tensor, 2))).isBetween(98.0, 100.0);
        assertThat(consistency(engine, tensor, model(engine, tensor, 4))).isLessThan(60);
      }
    }
  }

  @Test
  void executorsFindWhatOneProcessFinds() {
    Planted planted = Planted.normal(3, 2, 30, 25, 20).observed(0.3, 0.05);
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(5));
    try (Engine here = local();
        Engine spark = SparkEngine.create(LocalSpark.context(), options)) {
      EngineTensor tensor = tensor(here, planted);
      List<DenseMatrix> model = model(here, tensor, 3);
      double expected = consistency(here, tensor, model);
      assertThat(consistency(spark, tensor(spark, planted), model))
          .isCloseTo(expected, within(1e-10 * Math.max(1, Math.abs(expected))));
    }
    LocalSpark.assertNothingResident();
  }

  @Test
  void anotherTensorIsOneError() {
    Planted planted = Planted.normal(3, 2, 5, 4, 3).observed(1, 0);
    try (Engine engine = local()) {
      EngineTensor tensor = tensor(engine, planted);
      List<DenseMatrix> other =
          List.of(DenseMatrix.zeros(5, 2), DenseMatrix.zeros(4, 2), DenseMatrix.zeros(4, 2));
      assertThatThrownBy(() -> consistency(engine, tensor, other))
          .hasMessageContaining("expected the model's tensor of 5 x 4 x 4, found");
    }
  }
}
