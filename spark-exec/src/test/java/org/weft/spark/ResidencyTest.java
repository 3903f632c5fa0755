package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.engine.EngineOptions;
import org.weft.engine.JobClock;
import org.weft.error.WeftException;
import org.weft.planner.PackedForm;
import org.weft.planner.partition.EqualNonzeros;
import org.weft.planner.partition.ModePartitioning;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.resident.ResidentMemory;
import org.weft.spark.resident.ResidentTensor;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class ResidencyTest {
  @TempDir Path folder;

  private final JavaSparkContext spark = LocalSpark.context();

  @AfterEach
  void nothingStaysOffHeap() {
    LocalSpark.assertNothingResident();
    assertThat(TaskMemory.liveBytes()).isZero();
    assertThat(
            org.apache.spark.SparkEnv.get().memoryManager().offHeapStorageMemoryPool().memoryUsed())
        .isZero();
  }

  private SparkTensor read(SparseEntries entries, int blockEntries) throws Exception {
    FileAccess files = FileAccess.local();
    Path file = entries.write(folder.resolve("t" + System.nanoTime() + ".tns"));
    ReadOptions options =
        ReadOptions.defaults()
            .withHeader(ReadOptions.Header.EXTENDED)
            .withBlockEntries(blockEntries);
    return SparkTensor.read(
        spark, files, TensorFiles.open(files, file.toString(), options, 4000), ValueType.DOUBLE);
  }

  @Test
  void statisticsComeWithTheOnePassThatParses() throws Exception {
    SparseEntries entries = SparseEntries.random(1, 3000, 20, 30, 40);
    SparkTensor tensor = read(entries, 100);
    assertThat(tensor.statistics().shape().toArray()).containsExactly(20, 30, 40);
    assertThat(tensor.statistics().entries()).isEqualTo(3000);
    assertThat(tensor.statistics().histogram(1).total()).isEqualTo(3000);
    assertThat(tensor.duplicates()).isEqualTo(3000 - entries.distinct());
    tensor.releaseResident();
    tensor.releaseEntries();
  }

  @Test
  void everyEntryIsInItsPartitionWithDuplicatesSummed() throws Exception {
    SparseEntries entries = SparseEntries.random(2, 5000, 11, 12, 13);
    for (int e = 0; e < 2000; e++) {
      entries.add(1, 3, e % 12, e % 13);
    }
    SparkTensor tensor = read(entries, 64);
    TreeMap<String, Double> expected = new TreeMap<>();
    for (int e = 0; e < entries.values().size(); e++) {
      expected.merge(
          Arrays.toString(entries.coordinates().get(e)), entries.values().get(e), Double::sum);
    }
    for (int partitions : new int[] {1, 4, 40}) {
      ModePartitioning cut =
          new EqualNonzeros().partition(0, 11, tensor.statistics().histogram(0), partitions);
      try (ResidentTensor resident = pack(tensor, cut)) {
        assertThat(ResidentMemory.PROCESS.liveBytes()).isGreaterThanOrEqualTo(resident.byteSize());
        TreeMap<String, Double> found = new TreeMap<>();
        for (String line : lines(resident)) {
          String[] parts = line.split("=", -1);
          found.merge(parts[0], Double.valueOf(parts[1]), Double::sum);
        }
        assertThat(found).isEqualTo(expected);
        assertThat(resident.storedEntries()).isEqualTo(expected.size());
      }
      LocalSpark.assertNothingResident();
    }
    tensor.releaseResident();
    tensor.releaseEntries();
  }

  private static PackedForm form(
      SparkTensor tensor, int mode, int partitions, boolean local, TensorFormat format) {
    TensorStatistics file = tensor.statistics();
    return new PackedForm(
        new EqualNonzeros()
            .partition(mode, file.shape().size(mode), file.histogram(mode), partitions),
        local,
        format);
  }

  /** Stages that sent entries to others. */
  private int stagesThatSend(Runnable work) throws Exception {
    AtomicInteger stages = new AtomicInteger();
    SparkListener listener =
        new SparkListener() {
          @Override
          public void onStageCompleted(SparkListenerStageCompleted done) {
            long sent = done.stageInfo().taskMetrics().shuffleWriteMetrics().recordsWritten();
            stages.addAndGet(sent > 0 ? 1 : 0);
          }
        };
    spark.sc().addSparkListener(listener);
    try {
      work.run();
      spark.sc().listenerBus().waitUntilEmpty();
    } finally {
      spark.sc().removeSparkListener(listener);
    }
    return stages.get();
  }

  @Test
  void onePassOverTheEntriesMakesAllCopies() throws Exception {
    SparkTensor tensor = read(SparseEntries.random(5, 4000, 20, 30, 40), 64);
    TensorFormat csf = TensorFormat.csf(3, ValueType.DOUBLE);
    TensorFormat coo = TensorFormat.coo(3, ValueType.DOUBLE);
    List<PackedForm> forms =
        List.of(
            form(tensor, 0, 3, false, csf),
            form(tensor, 2, 5, true, csf.withModeOrder(2, 0, 1)),
            form(tensor, 0, 3, false, coo),
            form(tensor, 1, 1, false, csf.withModeOrder(1, 2, 0)));
    JobClock clock = new JobClock(new SparkMeasurements(spark.sc()), 2);
    assertThat(stagesThatSend(() -> tensor.makeResident(forms, clock))).isEqualTo(1);
    List<List<String>> together = new ArrayList<>();
    for (PackedForm form : forms) {
      assertThat(tensor.isResident(form)).isTrue();
      together.add(lines(tensor.resident(form, clock)));
    }
    assertThat(stagesThatSend(() -> tensor.makeResident(forms, clock))).isZero();
    for (int f = 0; f < forms.size(); f++) {
      tensor.releaseResident();
      assertThat(lines(tensor.resident(forms.get(f), clock))).isEqualTo(together.get(f));
    }
    tensor.releaseResident();
    tensor.releaseEntries();
  }

  /** In one CSF for each partition. */
  private ResidentTensor pack(SparkTensor tensor, ModePartitioning cut) {
    return ResidentTensor.pack(
        tensor.split(List.of(cut)),
        0,
        new PackedForm(
            cut, false, TensorFormat.csf(tensor.statistics().shape().order(), ValueType.DOUBLE)),
        tensor.statistics().shape(),
        new JobClock(new SparkMeasurements(spark.sc()), 2).measurements());
  }

  private static List<String> lines(ResidentTensor resident) {
    JavaRDD<String> lines =
        resident
            .partitions()
            .flatMap(
                partition -> {
                  List<String> out = new ArrayList<>();
                  TensorStorage storage = partition.lease();
                  storage.forEachEntry((at, value) -> out.add(Arrays.toString(at) + "=" + value));
                  return out.iterator();
                });
    return lines.collect();
  }

  @Test
  void aPartitionTravelsWithItsArrays() throws Exception {
    SparkTensor tensor = read(SparseEntries.random(3, 500, 6, 7), 64);
    ModePartitioning cut = new EqualNonzeros().partition(0, 6, tensor.statistics().histogram(0), 3);
    try (ResidentTensor resident = pack(tensor, cut)) {
      List<String> direct = lines(resident);
      // repartition moves elements through the serializer, as a remote fetch does.
      JavaRDD<String> moved =
          resident
              .partitions()
              .repartition(2)
              .flatMap(
                  partition -> {
                    List<String> out = new ArrayList<>();
                    partition
                        .lease()
                        .forEachEntry((at, v) -> out.add(Arrays.toString(at) + "=" + v));
                    return out.iterator();
                  });
      assertThat(moved.collect()).containsExactlyInAnyOrderElementsOf(direct);
    }
    tensor.releaseResident();
    tensor.releaseEntries();
  }

  @Test
  void aPoolThatIsTooSmallSaysWhichSettingToRaise() throws Exception {
    SparkTensor tensor = read(SparseEntries.random(4, 100, 5, 5), 64);
    ModePartitioning cut = new EqualNonzeros().partition(0, 5, tensor.statistics().histogram(0), 1);
    JobClock clock = new JobClock(new SparkMeasurements(spark.sc()), 2);
    // A dense format of 2e4 x 2e4 needs 3.2 GB; the pool has 1.
    assertThatThrownBy(
            () ->
                ResidentTensor.pack(
                    tensor.split(List.of(cut)),
                    0,
                    new PackedForm(
                        new ModePartitioning(0, 20_000, cutTo(20_000)),
                        false,
                        TensorFormat.dense(2, ValueType.DOUBLE)),
                    org.weft.tensor.TensorShape.of(20_000, 20_000),
                    clock.measurements()))
        .satisfies(
            failure ->
                assertThat(Failures.unwrap((Exception) failure))
                    .isInstanceOf(WeftException.class)
                    .hasMessageContaining("spark.memory.offHeap.size"));
    tensor.releaseResident();
    tensor.releaseEntries();
  }

  private static List<org.weft.planner.partition.SliceRange> cutTo(long size) {
    return List.of(new org.weft.planner.partition.SliceRange(0, size, 0, 1));
  }

  @Test
  void serializersStayAsTheApplicationHasThem() {
    assertThat(spark.getConf().contains("spark.serializer")).isFalse();
    assertThat(spark.getConf().contains("spark.kryo.registrator")).isFalse();
    assertThat(spark.getConf().contains("spark.kryo.registrationRequired")).isFalse();
  }

  @Test
  void whatTravelsIsRegistered() {
    DenseMatrix matrix = DenseMatrix.random(1000, 3, 5);
    double sum = spark.parallelize(List.of(1, 2), 2).map(i -> matrix.get(i, 0)).reduce(Double::sum);
    assertThat(sum).isEqualTo(matrix.get(1, 0) + matrix.get(2, 0));
    List<RowBlock> blocks =
        Wire.collect(
            spark.parallelize(List.of(0, 1), 2),
            PartitionWork.each(i -> new RowBlock(i, i, 2, new double[] {i, 2.0 * i})));
    assertThat(blocks).extracting(RowBlock::partition).containsExactly(0, 1);
    assertThat(blocks.get(1).values()).containsExactly(1, 2);
    assertThatThrownBy(() -> Wire.bytes(EngineOptions.defaults()))
        .hasMessageContaining("not registered");
  }

  /** A job brings so many partitions at a time, all in their order. */
  @ParameterizedTest
  @CsvSource({"40, 7", "40, 40", "3, 1", "3, 2147483647", "1, 5"})
  void partitionsArriveInTheirOrder(int partitions, int atATime) {
    List<Integer> numbers = IntStream.range(0, 2 * partitions).boxed().toList();
    LongAccumulator made = spark.sc().longAccumulator();
    Iterator<RowBlock> blocks =
        Wire.iterator(
            spark.parallelize(numbers, partitions),
            PartitionWork.each(
                i -> {
                  made.add(1);
                  return new RowBlock(i, i, 1, new double[1]);
                }),
            atATime);
    List<Integer> order = new ArrayList<>();
    assertThat(blocks.hasNext()).isTrue();
    assertThat(made.value()).isEqualTo(2L * Math.min(partitions, atATime));
    blocks.forEachRemaining(block -> order.add(block.partition()));
    assertThat(order).isEqualTo(numbers);
  }

  @Test
  void aBadFileIsOneClearError() throws Exception {
    Path file = java.nio.file.Files.writeString(folder.resolve("bad.tns"), "1 2 3.0\n1 x 2.0\n");
    FileAccess files = FileAccess.local();
    assertThatThrownBy(
            () ->
                SparkTensor.read(
                    spark,
                    files,
                    TensorFiles.open(files, file.toString(), ReadOptions.defaults()),
                    ValueType.DOUBLE))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("bad.tns");
  }
}
