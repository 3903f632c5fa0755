package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobReport;
import org.weft.engine.Ordering;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.job.FiberStatement;
import org.weft.planner.job.Job;
import org.weft.planner.job.RowStatement;
import org.weft.planner.kernel.KernelPlan;
import org.weft.planner.machine.MachineParameters;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** The operations from file to file against a naive evaluator. */
abstract class EngineContract {
  static final int RANK = 5;

  @TempDir Path folder;

  /** An engine on the backend under test. */
  abstract Engine open(EngineOptions options);

  static Stream<Arguments> tensors() {
    SparseEntries fiber = SparseEntries.empty(6, 5, 40);
    for (int k = 0; k < 40; k++) {
      fiber.add(k + 0.5, 3, 2, k);
    }
    SparseEntries duplicates = SparseEntries.random(21, 300, 4, 3, 5);
    SparseEntries heavy = SparseEntries.random(22, 200, 30, 20, 20);
    for (int e = 0; e < 3000; e++) {
      heavy.add(1.0 / (1 + e), 7, e % 20, (e * 7) % 19);
    }
    SparseEntries zeros = SparseEntries.empty(3, 3, 3).add(0, 1, 1, 1).add(2, 0, 2, 1);
    return Stream.of(
        Arguments.of("order 1", SparseEntries.random(1, 30, 50), 3),
        Arguments.of("order 2", SparseEntries.random(2, 200, 30, 20), 3),
        Arguments.of("order 3", SparseEntries.random(3, 900, 20, 30, 25), 4),
        Arguments.of("order 4", SparseEntries.random(4, 900, 9, 8, 7, 10), 3),
        Arguments.of("order 5", SparseEntries.random(5, 500, 5, 6, 4, 3, 7), 2),
        Arguments.of("empty", SparseEntries.empty(4, 5, 6), 3),
        Arguments.of("mode of size 0", SparseEntries.empty(4, 0, 6), 2),
        Arguments.of("mode of size 1", SparseEntries.random(6, 60, 10, 1, 12), 3),
        Arguments.of("one dense fiber", fiber, 3),
        Arguments.of("duplicates", duplicates, 3),
        Arguments.of("more partitions than slices", SparseEntries.random(7, 50, 2, 2, 30), 9),
        Arguments.of("heavy slice", heavy, 8),
        Arguments.of("stored zero", zeros, 2));
  }

  /** The tensors of operations that only the long profile runs on all of {@link #tensors()}. */
  static Stream<Arguments> someTensors() {
    return Planted.LONG ? tensors() : tensorsToRelabel();
  }

  static Stream<Arguments> tensorsToRelabel() {
    List<String> names = List.of("order 1", "order 4", "empty", "duplicates", "heavy slice");
    return tensors().filter(arguments -> names.contains(arguments.get()[0]));
  }

  private Engine engine(int partitions) {
    return open(EngineOptions.defaults().planning(p -> p.withPartitions(partitions)));
  }

  EngineTensor read(Engine engine, SparseEntries entries, ValueType type) throws IOException {
    return entries.read(engine, folder, type, 100);
  }

  static double[][] matrix(long rows, int columns, long seed) {
    DenseMatrix random = DenseMatrix.random(rows, columns, seed);
    double[][] matrix = new double[(int) rows][columns];
    for (int i = 0; i < rows; i++) {
      for (int r = 0; r < columns; r++) {
        matrix[i][r] = random.get(i, r) - 0.4;
      }
    }
    return matrix;
  }

  static RowSource weft(double[][] rows, int columns) {
    return RowSource.of(rows.length == 0 ? DenseMatrix.zeros(0, columns) : DenseMatrix.of(rows));
  }

  /** A factor of each mode. */
  private static double[][][] factors(SparseEntries entries, int columns, long seed) {
    double[][][] factors = new double[entries.order()][][];
    for (int m = 0; m < factors.length; m++) {
      factors[m] = matrix(entries.sizes()[m], columns, seed + m);
    }
    return factors;
  }

  private static List<RowSource> matrices(double[][][] factors, int columns) {
    return Stream.of(factors).map(rows -> weft(rows, columns)).toList();
  }

  /** Into m.npy. */
  private JobReport mttkrp(
      Engine engine, EngineTensor tensor, ValueType type, int mode, List<RowSource> matrices) {
    int order = matrices.size();
    return engine.run(
        tensor,
        Job.of(RowStatement.mttkrp(order, mode, RANK), type),
        matrices::get,
        target("m.npy"),
        ProgressListener.NONE);
  }

  /** Of m.npy. */
  private void assertClose(double[][] expected, double tolerance) throws IOException {
    double[] found = npy(folder.resolve("m.npy"));
    int columns = expected.length == 0 ? 0 : expected[0].length;
    assertThat(found).hasSize(expected.length * columns);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).isCloseTo(expected[i / columns][i % columns], within(tolerance));
    }
  }

  OutputTarget target(String name) {
    return new OutputTarget(folder.resolve(name).toString(), true);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tensors")
  void mttkrpAgreesInEveryMode(String name, SparseEntries entries, int partitions)
      throws IOException {
    double[][][] factors = factors(entries, RANK, 100);
    List<RowSource> matrices = matrices(factors, RANK);
    try (Engine engine = engine(partitions)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      for (int mode = 0; mode < entries.order(); mode++) {
        JobReport report = mttkrp(engine, tensor, ValueType.DOUBLE, mode, matrices);
        assertClose(entries.mttkrp(mode, factors, RANK), 1e-10);
        assertThat(report.nonzeros()).isEqualTo(entries.distinct());
      }
    }
  }

  /** An operand of 4 MB, whose rows the plan takes in tiles. */
  @Test
  void mttkrpInTilesAgrees() throws IOException {
    agreesOn(MachineParameters.defaults(), 70_000, 64, "{D:2/2048, CU", 64);
  }

  /** Columns of all operands come 8 at a time; 62 are not a multiple. */
  @ParameterizedTest
  @ValueSource(ints = {64, 62})
  void mttkrpInPanelsAgrees(int rank) throws IOException {
    MachineParameters narrow = MachineParameters.defaults().withCore(128, 64 << 10, 8 << 20);
    agreesOn(narrow, 300_000, rank, "{", 8);
  }

  /** Tasks at a time make copies of their own; the result's bits do not depend on the threads. */
  @Test
  void panelsInSinglePrecisionAreReproducible() throws IOException {
    MachineParameters narrow = MachineParameters.defaults().withCore(64, 32 << 10, 8 << 20);
    SparseEntries entries = SparseEntries.random(7, 500_000, 100, 2, 4096);
    int rank = 62;
    List<RowSource> matrices = new ArrayList<>();
    double[][][] factors = new double[3][][];
    for (int m = 0; m < 3; m++) {
      factors[m] = matrix(entries.sizes()[m], rank, 100 + m);
      matrices.add(weft(factors[m], rank));
    }
    double[][] found = new double[2][];
    for (int threads = 1; threads <= 2; threads++) {
      EngineOptions options =
          EngineOptions.defaults()
              .planning(p -> p.withPartitions(2).withReproducible(true).withMachine(narrow))
              .withThreadsPerTask(threads);
      try (Engine engine = open(options)) {
        EngineTensor tensor = read(engine, entries, ValueType.FLOAT);
        Job job = Job.of(RowStatement.mttkrp(3, 0, rank), ValueType.FLOAT);
        assertThat(engine.plan(tensor, job).only().kernel().panel()).isLessThan(rank);
        engine.run(tensor, job, matrices::get, target("m.npy"), ProgressListener.NONE);
      }
      found[threads - 1] = npy(folder.resolve("m.npy"));
    }
    assertThat(found[1]).containsExactly(found[0]);
    double[][] expected = entries.mttkrp(0, factors, rank);
    for (int i = 0; i < found[0].length; i++) {
      double value = expected[i / rank][i % rank];
      assertThat(found[0][i]).isCloseTo(value, within(1e-2 * (1 + Math.abs(value))));
    }
  }

  private void agreesOn(MachineParameters machine, int nonzeros, int rank, String format, int panel)
      throws IOException {
    SparseEntries entries = SparseEntries.random(5, nonzeros, 100, 2, 8192);
    double[][][] factors = factors(entries, rank, 100);
    List<RowSource> matrices = matrices(factors, rank);
    EngineOptions options =
        EngineOptions.defaults().planning(p -> p.withPartitions(1).withMachine(machine));
    try (Engine engine = open(options)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      Job job = Job.of(RowStatement.mttkrp(3, 0, rank), ValueType.DOUBLE);
      KernelPlan kernel = engine.plan(tensor, job).only().kernel();
      assertThat(kernel.tensorFormat().toString()).startsWith(format);
      assertThat(kernel.panel()).isEqualTo(panel);
      engine.run(tensor, job, matrices::get, target("m.npy"), ProgressListener.NONE);
    }
    assertClose(entries.mttkrp(0, factors, rank), 1e-9);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("someTensors")
  void ttvAgreesInEveryMode(String name, SparseEntries entries, int partitions) throws IOException {
    try (Engine engine = engine(partitions)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      for (int mode = 0; mode < entries.order(); mode++) {
        double[][] column = matrix(entries.sizes()[mode], 1, 7);
        double[] vector = Stream.of(column).mapToDouble(row -> row[0]).toArray();
        engine.run(
            tensor,
            Job.of(FiberStatement.ttv(mode), ValueType.DOUBLE),
            m -> RowSource.of(DenseMatrix.column(vector)),
            target("y.tns"),
            ProgressListener.NONE);
        Map<List<Long>, Double> expected = entries.ttv(mode, vector);
        if (entries.order() == 1) {
          expected.putIfAbsent(List.of(), 0.0);
        }
        assertSame(expected, tns(folder.resolve("y.tns")));
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("someTensors")
  void ttmAgreesInEveryMode(String name, SparseEntries entries, int partitions) throws IOException {
    try (Engine engine = engine(partitions)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      for (int mode = 0; mode < entries.order(); mode++) {
        double[][] matrix = matrix(entries.sizes()[mode], RANK, 8);
        engine.run(
            tensor,
            Job.of(FiberStatement.ttm(mode, RANK), ValueType.DOUBLE),
            m -> weft(matrix, RANK),
            target("y.tns"),
            ProgressListener.NONE);
        Map<List<Long>, Double> expected = entries.ttm(mode, matrix, RANK);
        if (entries.order() == 1) {
          for (long r = 0; r < RANK; r++) {
            expected.putIfAbsent(List.of(r), 0.0);
          }
        }
        assertSame(expected, tns(folder.resolve("y.tns")));
      }
    }
  }

  /** Results of a relabelled tensor, in the file's coordinates and sorted by them. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("tensorsToRelabel")
  void relabelledTensorsGiveTheSameResults(String name, SparseEntries entries, int partitions)
      throws IOException {
    double[][][] factors = factors(entries, RANK, 100);
    List<RowSource> matrices = matrices(factors, RANK);
    Relabelling shuffle = shuffle(entries, 17);
    try (Engine engine = engine(partitions)) {
      EngineTensor file = read(engine, entries, ValueType.DOUBLE);
      EngineTensor tensor = engine.orders().apply(file, Ordering.given("a test", shuffle), false);
      for (int mode = 0; mode < entries.order(); mode += 2) {
        mttkrp(engine, tensor, ValueType.DOUBLE, mode, matrices);
        assertClose(entries.mttkrp(mode, factors, RANK), 1e-10);
        if (entries.order() == 1) {
          continue; // no coordinates are left
        }
        double[] vector = Stream.of(factors[mode]).mapToDouble(row -> row[0]).toArray();
        Job ttv = Job.of(FiberStatement.ttv(mode), ValueType.DOUBLE);
        engine.run(
            tensor,
            ttv,
            m -> RowSource.of(DenseMatrix.column(vector)),
            target("y.tns"),
            ProgressListener.NONE);
        assertSame(entries.ttv(mode, vector), tns(folder.resolve("y.tns")));
        byte[] relabelled = lines(folder.resolve("y.tns"));
        engine.run(
            file,
            ttv,
            m -> RowSource.of(DenseMatrix.column(vector)),
            target("y.tns"),
            ProgressListener.NONE);
        assertThat(relabelled).isEqualTo(lines(folder.resolve("y.tns")));
        Job ttm = Job.of(FiberStatement.ttm(mode, RANK), ValueType.DOUBLE);
        engine.run(tensor, ttm, matrices::get, target("y.tns"), ProgressListener.NONE);
        assertSame(entries.ttm(mode, factors[mode], RANK), tns(folder.resolve("y.tns")));
        relabelled = lines(folder.resolve("y.tns"));
        engine.run(file, ttm, matrices::get, target("y.tns"), ProgressListener.NONE);
        assertThat(relabelled).isEqualTo(lines(folder.resolve("y.tns")));
      }
    }
  }

  /** The coordinates of a FROSTT file in its order, without values, whose last bits may differ. */
  private static byte[] lines(Path file) throws IOException {
    StringBuilder coordinates = new StringBuilder();
    for (String line : Files.readAllLines(file)) {
      coordinates.append(line, 0, Math.max(0, line.lastIndexOf(' '))).append('\n');
    }
    return coordinates.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static Relabelling shuffle(SparseEntries entries, long seed) {
    return new Relabelling(
        Reorderers.named("random:" + seed).reorder(TensorShape.of(entries.sizes()), List.of()));
  }

  @Test
  void keptOrderGivesResultsInNewCoordinates() throws IOException {
    SparseEntries entries = SparseEntries.random(31, 500, 12, 10, 8);
    double[][][] factors = {matrix(12, RANK, 1), matrix(10, RANK, 2), matrix(8, RANK, 3)};
    double[] vector = Stream.of(factors[1]).mapToDouble(row -> row[0]).toArray();
    Relabelling shuffle = shuffle(entries, 5);
    try (Engine engine = engine(3)) {
      EngineTensor tensor =
          engine
              .orders()
              .apply(
                  read(engine, entries, ValueType.DOUBLE), Ordering.given("a test", shuffle), true);
      mttkrp(engine, tensor, ValueType.DOUBLE, 0, matrices(factors, RANK));
      engine.run(
          tensor,
          Job.of(FiberStatement.ttv(1), ValueType.DOUBLE),
          m -> RowSource.of(DenseMatrix.column(vector)),
          target("y.tns"),
          ProgressListener.NONE);
    }
    double[][] rows = entries.mttkrp(0, factors, RANK);
    double[] found = npy(folder.resolve("m.npy"));
    for (int i = 0; i < rows.length; i++) {
      int moved = (int) shuffle.mode(0).apply(i) * RANK;
      for (int r = 0; r < RANK; r++) {
        assertThat(found[moved + r]).isCloseTo(rows[i][r], within(1e-10));
      }
    }
    Map<List<Long>, Double> expected = new HashMap<>();
    entries
        .ttv(1, vector)
        .forEach(
            (at, value) ->
                expected.put(
                    List.of(shuffle.mode(0).apply(at.get(0)), shuffle.mode(2).apply(at.get(1))),
                    value));
    assertSame(expected, tns(folder.resolve("y.tns")));
  }

  @Test
  void ordersOfSamplesDependOnTheEntriesAlone() throws IOException {
    SparseEntries entries = SparseEntries.random(33, 3000, 60, 50, 40);
    List<Ordering> found = new ArrayList<>();
    for (int blockEntries : new int[] {100, 3000}) {
      try (Engine engine = engine(3)) {
        EngineTensor tensor = entries.read(engine, folder, ValueType.DOUBLE, blockEntries);
        found.add(engine.orders().find(tensor, "lexi", 500));
        assertThat(engine.orders().find(tensor, "lexi", 0).entries()).isEqualTo(3000);
        assertThat(engine.orders().find(tensor, "partition", 0).method()).isEqualTo("partition:3");
      }
    }
    assertThat(found.get(0).entries()).isBetween(300L, 700L).isEqualTo(found.get(1).entries());
    assertThat(found.get(0).relabelling()).isEqualTo(found.get(1).relabelling());
  }

  @Test
  void permutationsThatAreTooSmallAreRefused() throws IOException {
    SparseEntries entries = SparseEntries.random(10, 40, 4, 5, 6);
    try (Engine engine = engine(2)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      Relabelling small = Relabelling.identity(TensorShape.of(4, 3, 6));
      assertThatThrownBy(
              () -> engine.orders().apply(tensor, Ordering.given("a test", small), false))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected permutations of at least");
    }
  }

  @Test
  void floatKernelsAgreeToFloatPrecision() throws IOException {
    SparseEntries entries = SparseEntries.random(9, 400, 12, 10, 8);
    double[][][] factors = {matrix(12, RANK, 1), matrix(10, RANK, 2), matrix(8, RANK, 3)};
    try (Engine engine = engine(3)) {
      EngineTensor tensor = read(engine, entries, ValueType.FLOAT);
      mttkrp(engine, tensor, ValueType.FLOAT, 1, matrices(factors, RANK));
    }
    assertClose(entries.mttkrp(1, factors, RANK), 1e-4);
  }

  @Test
  void factorsOfTheWrongShapeAreRefusedBeforeAnythingRuns() throws IOException {
    SparseEntries entries = SparseEntries.random(10, 40, 4, 5, 6);
    try (Engine engine = engine(2)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      RowSource wrong = RowSource.of(DenseMatrix.zeros(4, RANK));
      assertThatThrownBy(
              () ->
                  engine.run(
                      tensor,
                      Job.of(RowStatement.mttkrp(3, 0, RANK), ValueType.DOUBLE),
                      List.of(wrong, wrong, wrong)::get,
                      target("m.npy"),
                      ProgressListener.NONE))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHAPE_MISMATCH));
      assertThat(folder.resolve("m.npy")).doesNotExist();
    }
  }

  @Test
  void existingOutputIsRefused() throws IOException {
    Path existing = Files.writeString(folder.resolve("m.npy"), "mine");
    SparseEntries entries = SparseEntries.random(11, 40, 4, 5);
    try (Engine engine = engine(2)) {
      EngineTensor tensor = read(engine, entries, ValueType.DOUBLE);
      assertThatThrownBy(
              () ->
                  engine.run(
                      tensor,
                      Job.of(FiberStatement.ttv(0), ValueType.DOUBLE),
                      m -> RowSource.of(DenseMatrix.column(new double[4])),
                      new OutputTarget(existing.toString(), false),
                      ProgressListener.NONE))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUTPUT_EXISTS));
    }
    assertThat(existing).hasContent("mine");
  }

  private static void assertSame(Map<List<Long>, Double> expected, Map<List<Long>, Double> found) {
    assertThat(found.keySet()).isEqualTo(new HashSet<>(expected.keySet()));
    expected.forEach((at, value) -> assertThat(found.get(at)).isCloseTo(value, within(1e-10)));
  }

  /** A FROSTT file as entries; fails on a coordinate that occurs twice. */
  private static Map<List<Long>, Double> tns(Path file) throws IOException {
    Map<List<Long>, Double> entries = new HashMap<>();
    List<String> lines = Files.readAllLines(file);
    // A file without entries declares its shape in two lines after a comment that says so.
    boolean declared = !lines.isEmpty() && lines.get(0).startsWith("# extended");
    for (String line : declared ? lines.subList(3, lines.size()) : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.strip().split("\\s+", -1);
      List<Long> at = new ArrayList<>();
      for (int m = 0; m < fields.length - 1; m++) {
        at.add(Long.parseLong(fields[m]) - 1);
      }
      assertThat(entries.put(at, Double.valueOf(fields[fields.length - 1]))).isNull();
    }
    return entries;
  }

  static double[] npy(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.position(10 + bytes.getShort(8));
    double[] values = new double[bytes.remaining() / Double.BYTES];
    bytes.asDoubleBuffer().get(values);
    return values;
  }
}
