package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.storage.ContainerOptions;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Jobs on a container against the same jobs on text. */
class StoredTensorTest {
  private static final long[] SHAPE = {40, 6, 30};

  @TempDir Path folder;

  private String write(String name, Existing existing, int from, int to) throws Exception {
    String uri = folder.resolve(name).toString();
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(SHAPE))
            .withExtendedHeader(name.endsWith(".tns"))
            .withContainer(ContainerOptions.defaults().withPartEntries(200));
    CooBlock.Builder block = new CooBlock.Builder(3, 64);
    for (long i = from; i < to; i++) {
      for (long j = 0; j < SHAPE[1]; j++) {
        for (long k = 0; k < SHAPE[2]; k++) {
          if ((i * 7 + j * 3 + k * 5) % 4 == 0) {
            block.add(new long[] {i, j, k}, 1 + (i + 2 * j + k) % 9 / 4.0);
          }
        }
      }
    }
    try (TensorOutput output = TensorFiles.create(FileAccess.local(), uri, existing, 3, options)) {
      output.write(block.build());
      output.commit();
    }
    return uri;
  }

  private JobReport mttkrp(String uri, int mode, ValueType type, String output) {
    return mttkrp(uri, mode, type, 0, output);
  }

  private JobReport mttkrp(String uri, int mode, ValueType type, int partitions, String output) {
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(),
            EngineOptions.defaults().planning(p -> p.withPartitions(partitions)))) {
      EngineTensor tensor = engine.read(uri, ReadOptions.defaults(), type);
      List<RowSource> factors = new ArrayList<>();
      for (int m = 0; m < 3; m++) {
        factors.add(new RandomRows(m, SHAPE[m], 4));
      }
      OutputTarget target = new OutputTarget(folder.resolve(output).toString(), true);
      return engine.run(
          tensor,
          Job.of(RowStatement.mttkrp(3, mode, 4), type),
          factors::get,
          target,
          ProgressListener.NONE);
    }
  }

  /** Files of a container are read as fast as entries that Spark keeps. */
  @Test
  void entriesAreKeptFromTheSecondPassOn() throws Exception {
    String stored = write("x.weft", Existing.REFUSE, 0, 40);
    try (Engine engine =
        SparkEngine.create(
            LocalSpark.context(), EngineOptions.defaults().planning(p -> p.withPartitions(3)))) {
      EngineTensor tensor = engine.read(stored, ReadOptions.defaults(), ValueType.DOUBLE);
      Cpd cpd = new Cpd(2, 2, 0, false, 1, ValueType.DOUBLE);
      engine.cpd(tensor, cpd, ProgressListener.NONE);
      assertThat(kept(stored)).isZero();
      long entries =
          tensor
              .entries()
              .reduce(
                  blocks -> {
                    long count = 0;
                    while (blocks.hasNext()) {
                      count += blocks.next().block().size();
                    }
                    return List.of(count).iterator();
                  },
                  Long::sum);
      assertThat(entries).isEqualTo(tensor.statistics().entries());
      assertThat(kept(stored)).isPositive();
    }
    assertThat(kept(stored)).isZero();
  }

  /** Partitions of the entries of a file that Spark keeps. */
  private static int kept(String uri) {
    return Arrays.stream(LocalSpark.context().sc().getRDDStorageInfo())
        .filter(info -> info.name().equals("entries of " + uri))
        .mapToInt(info -> info.numCachedPartitions())
        .sum();
  }

  @Test
  void partsAreReadIntoPlaceWithoutShuffleWhereTheyFit() throws Exception {
    String text = write("x.tns", Existing.REFUSE, 0, 40);
    String stored = write("x.weft", Existing.REFUSE, 0, 25);
    write("x.weft", Existing.APPEND, 25, 40);
    for (ValueType type : List.of(ValueType.DOUBLE, ValueType.FLOAT)) {
      for (int mode = 0; mode < 3; mode++) {
        mttkrp(text, mode, type, "text.npy");
        JobReport report = mttkrp(stored, mode, type, "stored.npy");
        if (mode == 0) {
          assertThat(report.partitions()).isGreaterThan(4);
          assertThat(report.seconds("shuffle") + report.seconds("pack")).isZero();
        } else {
          assertThat(report.seconds("pack")).isPositive();
        }
        assertThat(folder.resolve("stored.npy")).hasSameBinaryContentAs(folder.resolve("text.npy"));
      }
    }
    LocalSpark.assertNothingResident();
  }

  /** Along the mode by which the parts are ordered; along another one entries change tasks. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void partitionsAreReadFromTheirOwnParts(int partitions) throws Exception {
    String text = write("r.tns", Existing.REFUSE, 0, 40);
    String stored = write("r.weft", Existing.REFUSE, 0, 25);
    write("r.weft", Existing.APPEND, 25, 40);
    for (int mode = 0; mode < 3; mode++) {
      mttkrp(text, mode, ValueType.DOUBLE, partitions, "text.npy");
      JobReport report = mttkrp(stored, mode, ValueType.DOUBLE, partitions, "stored.npy");
      assertThat(report.partitions()).isEqualTo(partitions);
      assertThat(report.seconds("shuffle") == 0).isEqualTo(mode == 0 || partitions == 1);
      assertThat(folder.resolve("stored.npy")).hasSameBinaryContentAs(folder.resolve("text.npy"));
    }
    LocalSpark.assertNothingResident();
  }

  @Test
  void aDecompositionStartsFromTheParts() throws Exception {
    String stored = write("c.weft", Existing.REFUSE, 0, 40);
    String text = write("c.tns", Existing.REFUSE, 0, 40);
    List<CpdResult> results = new ArrayList<>();
    for (String uri : List.of(text, stored)) {
      try (Engine engine =
          SparkEngine.create(
              LocalSpark.context(), EngineOptions.defaults().planning(p -> p.withPartitions(0)))) {
        EngineTensor tensor = engine.read(uri, ReadOptions.defaults(), ValueType.DOUBLE);
        assertThat(tensor.duplicates()).isZero();
        results.add(
            engine.cpd(
                tensor, new Cpd(3, 4, 0, false, 1, ValueType.DOUBLE), ProgressListener.NONE));
      }
    }
    assertThat(results.get(1).norm())
        .isCloseTo(results.get(0).norm(), org.assertj.core.data.Percentage.withPercentage(1e-10));
    assertThat(results.get(1).fits().get(3))
        .isCloseTo(results.get(0).fits().get(3), org.assertj.core.data.Offset.offset(1e-9));
  }

  @Test
  void overlappingPartsAddUp() throws Exception {
    String stored = write("o.weft", Existing.REFUSE, 0, 40);
    write("o.weft", Existing.APPEND, 10, 20);
    JobReport report = mttkrp(stored, 0, ValueType.DOUBLE, "twice.npy");
    assertThat(report.seconds("pack")).isPositive();
    mttkrp(write("p.tns", Existing.REFUSE, 0, 40), 0, ValueType.DOUBLE, "once.npy");
    DenseMatrix twice =
        org.weft.storage.npy.NpyFile.read(
            FileAccess.local(), folder.resolve("twice.npy").toString());
    DenseMatrix once =
        org.weft.storage.npy.NpyFile.read(
            FileAccess.local(), folder.resolve("once.npy").toString());
    for (int row = 0; row < 40; row++) {
      double factor = row >= 10 && row < 20 ? 2 : 1;
      for (int r = 0; r < 4; r++) {
        assertThat(twice.get(row, r))
            .isCloseTo(
                factor * once.get(row, r), org.assertj.core.data.Percentage.withPercentage(1e-9));
      }
    }
    assertThat(Files.exists(Path.of(stored))).isTrue();
  }
}
