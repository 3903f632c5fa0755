package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.cp.CpState;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.entries.HashedSplit;
import org.weft.engine.local.LocalBackend;
import org.weft.storage.ReadOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** A model of 99 percent of the entries, from which that of all of them is made. */
class WarmStartTest {
  private static final Path DATA = Path.of(System.getProperty("weft.it.data", "../../shared/data"));

  private static Engine local() {
    return LocalBackend.engine(FileAccess.local(), EngineOptions.defaults());
  }

  /** Five times fewer iterations, each run stopping by the default tolerance, for the same fit. */
  private static void assertFewerIterations(Engine engine, EngineTensor all, int rank) {
    TensorShape shape = all.statistics().shape();
    EngineTensor most =
        engine.select(all, "99 percent", shape, HashedSplit.part(new double[] {0.99, 0.01}, 0, 5));
    assertThat(most.statistics().entries()).isLessThan(all.statistics().entries());
    Cpd cpd = new Cpd(rank, 500, 1e-5, false, 0, ValueType.DOUBLE);
    CpdResult earlier = engine.cpd(most, cpd, ProgressListener.NONE);
    CpdResult scratch = engine.cpd(all, cpd, ProgressListener.NONE);
    CpState model =
        CpState.of(earlier.factors().stream().map(RowSource::of).toList(), earlier.lambda());
    Checkpoints run = Checkpoints.from(Optional.of(model.begun()));
    CpdResult warm = engine.cpd(all, cpd, run, ProgressListener.NONE);
    assertThat(warm.converged()).isTrue();
    assertThat(last(warm)).isGreaterThan(last(scratch) - 1e-4);
    assertThat(5 * warm.fits().size()).isLessThanOrEqualTo(scratch.fits().size());
  }

  private static double last(CpdResult result) {
    return result.fits().get(result.fits().size() - 1);
  }

  @Test
  void ofAPlantedTensor() {
    Planted planted = Planted.normal(1, 4, 24, 22, 20).observed(0.5, 0.1);
    try (Engine engine = local()) {
      TensorShape shape = TensorShape.of(planted.sizes());
      assertFewerIterations(
          engine, engine.of("planted", shape, List.of(planted.entries()), ValueType.DOUBLE), 4);
    }
  }

  @ParameterizedTest
  @CsvSource({"aminoacid, 3", "kinship, 8", "umls, 16", "nations, 8"})
  void ofARelation(String name, int rank) {
    Path file = DATA.resolve(name + ".tns.gz");
    if (!Files.isReadable(file)) {
      System.out.println("skipped: no tensor " + file);
      Assumptions.abort();
    }
    try (Engine engine = local()) {
      EngineTensor all = engine.read(file.toString(), ReadOptions.defaults(), ValueType.DOUBLE);
      assertFewerIterations(engine, all, rank);
    }
  }
}
