package org.weft.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.distributed.Counter;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.distributed.StatementRunner;
import org.weft.engine.entries.Shared;
import org.weft.planner.Forms;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.Route;
import org.weft.spark.SparkEngine;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * An executor is killed inside of a step of a statement, with part of its work handed on, while it
 * writes a file, or while it makes rows of a factor: the result has the same bits, and a file
 * appears whole.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KilledExecutorsIT {
  private static final int SIZE = 200;
  private static final int ENTRIES = 3_000;
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().planning(p -> p.withPartitions(4));

  private final TestCluster cluster;
  private Path folder = Path.of("");
  private Path marker = Path.of("");
  private Path order = Path.of("");
  private ClusterSession session;
  private EngineTensor a;
  private EngineTensor b;
  private EngineTensor before;
  private EngineTensor cube;
  private EngineTensor heavy;

  KilledExecutorsIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** Ways to run a product, which have all kinds of steps between them. */
  private enum Way {
    /** Cut, ask, cut, answer, compute. */
    BY_NEED("C(i,k) = A(i,j) * B(j,k)", "i", Route.ByNeed.class),
    /** Cut, cut with copies, compute, number, cut, number, cut, merge. */
    MERGED("C(i,k) += A(i,j) * B(j,k)", "i,j", Route.ByRanges.class);

    private final String statement;
    private final String label;
    private final Class<? extends Route> exchange;

    Way(String statement, String label, Class<? extends Route> exchange) {
      this.statement = statement;
      this.label = label;
      this.exchange = exchange;
    }
  }

  @BeforeAll
  void start(@TempDir Path temp) {
    folder = temp;
    marker = temp.resolve("killed");
    order = temp.resolve("order");
    Path jar =
        JobJar.of(
            temp.resolve("deadly.jar"),
            DeadlyParts.class,
            DeadlyParts.DeadlyStep.class,
            DeadlyParts.DeadlyIterator.class,
            DeadlyFiles.class,
            DeadlyFiles.Deadly.class,
            DeadlyPlugin.class,
            DeadlyPlugin.Executor.class);
    session =
        new ClusterSession(
            cluster,
            OPTIONS,
            Map.of(
                "spark.hadoop.fs." + DeadlyFiles.SCHEME + ".impl",
                DeadlyFiles.class.getName(),
                "spark.hadoop." + DeadlyFiles.MARKER,
                marker.toString(),
                "spark.plugins",
                DeadlyPlugin.class.getName(),
                DeadlyPlugin.ORDER,
                order.toString(),
                "spark.shuffle.io.retryWait",
                "200ms",
                // Rows made again lie where the killed executor was; each step would wait 3 s for
                // it.
                "spark.locality.wait",
                "200ms"),
            jar);
    a = tensor("A", 1);
    b = tensor("B", 2);
    before = tensor("C", 3);
    cube = threeModes("T", 20_000, 300);
    heavy = threeModes("H", 20_000, 3);
  }

  @AfterAll
  void stop() {
    if (session != null) {
      session.close();
    }
    cluster.restore();
  }

  private EngineTensor tensor(String name, long seed) {
    Random random = new Random(seed);
    CooBlock.Builder block = new CooBlock.Builder(2, ENTRIES);
    for (int e = 0; e < ENTRIES; e++) {
      block.add(new long[] {random.nextInt(SIZE), random.nextInt(SIZE)}, random.nextDouble() - 0.5);
    }
    return session
        .engine()
        .of(name, TensorShape.of(SIZE, SIZE), List.of(block.build()), ValueType.DOUBLE);
  }

  /** What a step adds to parts is described when the statement is; it runs later. */
  private final class Described implements AutoCloseable {
    private final DistributedPlan plan;
    private final StatementRunner.Result result;
    private final int steps;

    Described(Way way, int deadly) {
      boolean adds = way.statement.contains("+=");
      StatementJob job =
          new StatementJob(
              LabelledStatement.parse(way.statement),
              Map.of("A", a, "B", b),
              Map.of(),
              adds ? Optional.of(before) : Optional.empty(),
              Map.of(),
              Map.of(),
              ValueType.DOUBLE,
              way.label,
              Optional.of(way.exchange));
      plan = session.engine().statements().plan(job);
      AtomicInteger count = new AtomicInteger();
      Map<String, Parts> operands = new HashMap<>();
      operands.put("A", new DeadlyParts(a.parts(), count, deadly, marker));
      operands.put("B", new DeadlyParts(b.parts(), count, deadly, marker));
      Parts previous = adds ? new DeadlyParts(before.parts(), count, deadly, marker) : null;
      result = new StatementRunner(new Site(), 1, true, null).run(plan, operands, previous);
      steps = count.get();
    }

    List<String> pieces() {
      List<String> read = new ArrayList<>();
      for (var pieces = result.parts().pieces(); pieces.hasNext(); ) {
        read.add(text(pieces.next()));
      }
      return read;
    }

    void write(String uri) {
      result
          .parts()
          .write(new OutputTarget(uri, false), plan.shape(), result.modeOrder(), result.ranges());
    }

    @Override
    public void close() {
      result.owned().forEach(KilledExecutorsIT::close);
    }
  }

  private static void close(AutoCloseable owned) {
    try {
      owned.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private final class Site implements StatementRunner.Site {
    @Override
    public <T> Shared<T> share(T value) {
      return session.share(value);
    }

    @Override
    public Parts parts(List<Piece> pieces) {
      throw new AssertionError("no operand is a number");
    }

    @Override
    public Counter counter() {
      throw new AssertionError("nothing is measured");
    }
  }

  /** All bits of a piece. */
  private static String text(Piece piece) {
    CooBlock block = piece.entries();
    StringBuilder text = new StringBuilder("part " + piece.part() + ":");
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < block.order(); mode++) {
        text.append(' ').append(block.coordinate(mode, e));
      }
      text.append('=').append(Double.doubleToRawLongBits(block.value(e)));
    }
    return text.toString();
  }

  @Test
  void aStepThatDiesIsDoneAgain() throws IOException {
    dies(Way.BY_NEED, 3);
  }

  @Test
  @Tag("long")
  void everyStep() throws IOException {
    for (Way way : Way.values()) {
      try (Described whole = new Described(way, -1)) {
        assertThat(whole.steps).isEqualTo(way == Way.BY_NEED ? 5 : 8);
      }
      for (int step = 0; step < (way == Way.BY_NEED ? 5 : 8); step++) {
        dies(way, step);
      }
    }
  }

  private void dies(Way way, int step) throws IOException {
    List<String> expected;
    try (Described whole = new Described(way, -1)) {
      assertThat(step).isLessThan(whole.steps);
      expected = whole.pieces();
    }
    assertThat(expected).isNotEmpty();
    try (Described disturbed = new Described(way, step)) {
      assertThat(disturbed.pieces()).as("%s, step %d", way, step).isEqualTo(expected);
    }
    assertThat(Files.deleteIfExists(marker)).as("an executor was killed").isTrue();
  }

  @Test
  void aContainerAppearsWhole() throws IOException {
    aFileAppearsWhole("weft");
  }

  @Tag("long")
  @Test
  void aTextFileAppearsWhole() throws IOException {
    aFileAppearsWhole("tns");
  }

  /** A part of the text comes from each of the tasks, one of which dies with its executor. */
  @Test
  void aTextFileOfPartsAppearsWhole() throws IOException {
    String target = cluster.hdfsUri() + "/killed/parts";
    try (FileSystem hdfs = cluster.fileSystem()) {
      for (int deadly : new int[] {-1, 3}) {
        try (Described described = new Described(Way.BY_NEED, deadly)) {
          described.write(target + deadly + "/y.tns");
        }
      }
      assertThat(Files.deleteIfExists(marker)).as("an executor was killed").isTrue();
      var whole = new org.apache.hadoop.fs.Path(target + "-1/y.tns");
      var made = new org.apache.hadoop.fs.Path(target + "3/y.tns");
      assertThat(hdfs.listStatus(made.getParent())).hasSize(1);
      try (InputStream expected = hdfs.open(whole);
          InputStream found = hdfs.open(made)) {
        assertThat(found.readAllBytes()).isNotEmpty().isEqualTo(expected.readAllBytes());
      }
    }
  }

  private void aFileAppearsWhole(String extension) throws IOException {
    Path whole = Files.createDirectories(folder.resolve(extension)).resolve("whole." + extension);
    try (Described described = new Described(Way.MERGED, -1)) {
      described.write(whole.toUri().toString());
    }
    Path target = Files.createDirectories(folder.resolve("deadly-" + extension));
    try (Described described = new Described(Way.MERGED, -1)) {
      described.write(DeadlyFiles.SCHEME + "://" + target.resolve("whole." + extension));
    }
    assertThat(Files.deleteIfExists(marker)).as("an executor was killed").isTrue();
    assertThat(text(target.resolve(whole.getFileName()))).isEqualTo(text(whole));
    assertThat(names(target)).isEqualTo(names(whole.getParent()));
  }

  /** All files below a folder, without numbers of attempts: a killed process leaves none. */
  private static List<String> names(Path below) throws IOException {
    try (Stream<Path> found = Files.walk(below)) {
      return found
          .map(file -> below.relativize(file).toString())
          .map(name -> name.replaceFirst("-[0-9]+\\.[0-9]+-", "-"))
          .sorted()
          .toList();
    }
  }

  /** All bits of a tensor. */
  private static String text(Path file) {
    FileAccess files = FileAccess.local();
    return TensorFiles.readAll(
            files, TensorFiles.open(files, file.toUri().toString(), ReadOptions.defaults()))
        .blocks()
        .stream()
        .map(block -> text(new Piece(0, 0, 0, block)))
        .collect(Collectors.joining());
  }

  /**
   * In the second iteration, while rows of a mode are computed, stored, copied and reported. Three
   * slices are shared by four partitions, and tiles share the rows of all modes: what those make of
   * them is stored, and added up.
   */
  @ParameterizedTest
  @CsvSource({"GRID, 300, 0, 20"})
  void rowsOfAStepAreMadeAgain(Forms forms, int slices, int mode, int millis) throws IOException {
    rowsOfAStep(forms, slices == 3 ? heavy : cube, mode, millis);
  }

  /** The other cases of {@link #rowsOfAStepAreMadeAgain}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"ALL, 3, 0, 20"})
  void sharedRowsOfAStepAreMadeAgain(Forms forms, int slices, int mode, int millis)
      throws IOException {
    rowsOfAStepAreMadeAgain(forms, slices, mode, millis);
  }

  @Test
  @Tag("long")
  void rowsOfEveryStep() throws IOException {
    for (int mode = 0; mode < 3; mode++) {
      for (int millis : new int[] {0, 5, 10, 20, 40, 80, 160}) {
        rowsOfAStep(Forms.ALL, cube, mode, millis);
        rowsOfAStep(Forms.ALL, heavy, mode, millis);
        rowsOfAStep(Forms.GRID, cube, mode, millis);
      }
    }
  }

  private void rowsOfAStep(Forms forms, EngineTensor tensor, int mode, int millis)
      throws IOException {
    List<DenseMatrix> expected = factors(forms, tensor);
    Files.writeString(order, "factor " + mode + ", rank 5, iteration 2:" + millis);
    List<DenseMatrix> found = factors(forms, tensor);
    assertThat(Files.deleteIfExists(DeadlyPlugin.taken(order))).as("an order was taken").isTrue();
    assertThat(found).hasSameSizeAs(expected);
    for (int m = 0; m < found.size(); m++) {
      assertThat(bits(found.get(m))).as("mode %d", m).isEqualTo(bits(expected.get(m)));
    }
  }

  private List<DenseMatrix> factors(Forms forms, EngineTensor tensor) {
    Cpd job = new Cpd(5, 4, 0, false, 9, ValueType.DOUBLE);
    try (Engine engine =
        SparkEngine.create(session.context(), OPTIONS.planning(p -> p.withForms(forms)))) {
      return engine.cpd(tensor, job, ProgressListener.NONE).factors();
    }
  }

  private EngineTensor threeModes(String name, int entries, int slices) {
    Random random = new Random(7);
    CooBlock.Builder block = new CooBlock.Builder(3, entries);
    for (int e = 0; e < entries; e++) {
      block.add(
          new long[] {random.nextInt(slices), random.nextInt(200), random.nextInt(100)},
          random.nextDouble());
    }
    return session
        .engine()
        .of(name, TensorShape.of(slices, 200, 100), List.of(block.build()), ValueType.DOUBLE);
  }

  private static List<Long> bits(DenseMatrix matrix) {
    List<Long> bits = new ArrayList<>();
    double[] row = new double[matrix.columns()];
    for (long i = 0; i < matrix.rows(); i++) {
      matrix.copyRow(i, row, 0);
      for (double number : row) {
        bits.add(Double.doubleToRawLongBits(number));
      }
    }
    return bits;
  }
}
