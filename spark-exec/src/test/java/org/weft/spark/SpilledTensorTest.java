package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.Forms;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Jobs with less memory than the tensor takes, against the same plans with enough: the same bits.
 */
class SpilledTensorTest {
  private static final int RANK = 4;
  private static final long[] SIZES = {70, 30, 40};

  /** The entries take five times as much parsed, and three packed. */
  private static final long LITTLE = 96 << 10;

  @TempDir private Path folder;

  /** Values whose sums depend on the order; every cell of the first slices comes several times. */
  private String text() throws IOException {
    SparseEntries entries = SparseEntries.random(5, 25_000, SIZES);
    for (int e = 0; e < entries.values().size(); e++) {
      entries.values().set(e, 1.0 / (3 + e));
      if (e % 5 == 0) {
        entries.coordinates().get(e)[0] = e % 3;
        entries.coordinates().get(e)[1] = 2;
      }
    }
    return entries.write(folder.resolve("x.tns")).toString();
  }

  private String container(String text) throws IOException {
    String uri = folder.resolve("x.weft").toString();
    InputPlan plan = TensorFiles.open(FileAccess.local(), text, options());
    WriteOptions written =
        WriteOptions.defaults()
            .withShape(TensorShape.of(SIZES))
            .withContainer(ContainerOptions.defaults().withPartEntries(4000));
    try (TensorOutput output =
        TensorFiles.create(FileAccess.local(), uri, Existing.REFUSE, SIZES.length, written)) {
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(FileAccess.local(), plan, split)) {
          while (reader.hasNext()) {
            output.write(reader.next());
          }
        }
      }
      output.commit();
    }
    return uri;
  }

  private static ReadOptions options() {
    return ReadOptions.defaults().withHeader(ReadOptions.Header.EXTENDED).withBlockEntries(100);
  }

  private static Engine engine(long memory, Forms forms) {
    return LocalBackend.engine(
        FileAccess.local(),
        EngineOptions.defaults()
            .planning(p -> p.withPartitions(6).withForms(forms))
            .withThreadsPerTask(2)
            .withMemoryBytes(memory));
  }

  private CpdResult cpd(String uri, long memory, Forms forms) {
    try (Engine engine = engine(memory, forms)) {
      EngineTensor tensor = engine.read(uri, options(), ValueType.DOUBLE);
      CpdResult result =
          engine.cpd(
              tensor, new Cpd(RANK, 3, 0, false, 1, ValueType.DOUBLE), ProgressListener.NONE);
      if (memory > 0) {
        assertThat(tensor.residentBytes()).isLessThan(memory);
      } else {
        assertThat(tensor.residentBytes()).isGreaterThan(LITTLE);
      }
      return result;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Forms.class,
      names = {"ALL", "ONE"})
  void decompositionsHaveTheSameBits(Forms forms) throws IOException {
    String text = text();
    for (String uri : List.of(text, container(text))) {
      CpdResult expected = cpd(uri, 0, forms);
      CpdResult found = cpd(uri, LITTLE, forms);
      assertThat(found.fits()).isEqualTo(expected.fits());
      assertThat(found.norm()).isEqualTo(expected.norm());
      assertThat(cells(found.factors())).isEqualTo(cells(expected.factors()));
    }
  }

  /** Rows of a long mode take more than the entries: results of all partitions must be foreseen. */
  @ParameterizedTest
  @ValueSource(ints = {128, 192, 256, 320, 384, 512, 768})
  void aLimitSufficesOrIsRefusedBeforeTheWork(int kibibytes) throws IOException {
    String uri =
        SparseEntries.random(7, 12_000, 70, 30, 4000).write(folder.resolve("long.tns")).toString();
    List<Double> expected = cells(cpd(uri, 0, Forms.ONE).factors());
    try {
      assertThat(cells(cpd(uri, (long) kibibytes << 10, Forms.ONE).factors())).isEqualTo(expected);
      assertThat(kibibytes).isGreaterThan(256); // a factor and a result have 125 KiB each
    } catch (WeftException e) {
      assertThat(e).hasMessageContaining("operands and results are predicted to take");
      assertThat(kibibytes).isLessThan(512);
    }
  }

  private static List<Double> cells(List<DenseMatrix> factors) {
    List<Double> cells = new ArrayList<>();
    for (DenseMatrix factor : factors) {
      for (long i = 0; i < factor.rows(); i++) {
        for (int r = 0; r < RANK; r++) {
          cells.add(factor.get(i, r));
        }
      }
    }
    return cells;
  }

  private Path rows(String uri, long memory, int mode) {
    Path out = folder.resolve("rows" + memory + ".npy");
    List<RowSource> factors = new ArrayList<>();
    for (int m = 0; m < SIZES.length; m++) {
      factors.add(new RandomRows(m, SIZES[m], RANK));
    }
    try (Engine engine = engine(memory, Forms.AUTO)) {
      EngineTensor tensor = engine.read(uri, options(), ValueType.DOUBLE);
      engine.run(
          tensor,
          Job.of(RowStatement.mttkrp(SIZES.length, mode, RANK), ValueType.DOUBLE),
          factors::get,
          new OutputTarget(out.toString(), true),
          ProgressListener.NONE);
    }
    return out;
  }

  @Test
  void rowsHaveTheSameBits() throws IOException {
    String text = text();
    for (String uri : List.of(text, container(text))) {
      for (int mode = 0; mode < SIZES.length; mode++) {
        assertThat(rows(uri, LITTLE, mode)).hasSameBinaryContentAs(rows(uri, 0, mode));
      }
    }
  }

  @Test
  void sparseResultsHaveTheSameBits() throws IOException {
    String text = text();
    List<Path> results = new ArrayList<>();
    for (long memory : new long[] {0, 600 << 10}) {
      Path out = folder.resolve("y" + memory + ".tns");
      try (Engine engine = engine(memory, Forms.AUTO)) {
        engine.run(
            engine.read(text, options(), ValueType.DOUBLE),
            Job.of(FiberStatement.ttm(1, 2), ValueType.DOUBLE),
            m -> new RandomRows(1, SIZES[1], 2),
            new OutputTarget(out.toString(), true),
            ProgressListener.NONE);
      }
      results.add(out);
    }
    assertThat(results.get(1)).hasSameBinaryContentAs(results.get(0));
  }

  @Test
  void whatCannotBeSpilledIsPredicted() throws IOException {
    String text = text();
    assertThatThrownBy(() -> rows(text, 1 << 10, 0))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("--memory")
        .extracting(e -> ((WeftException) e).code())
        .isEqualTo(ErrorCode.OUT_OF_MEMORY);
    assertThat(Files.exists(folder.resolve("rows1024.npy"))).isFalse();
  }
}
