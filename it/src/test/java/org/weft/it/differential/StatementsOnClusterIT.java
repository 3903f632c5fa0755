package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementResult;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.ClusterSession;
import org.weft.it.cluster.TestCluster;
import org.weft.planner.distributed.Route;
import org.weft.storage.ReadOptions;
import org.weft.tensor.ValueType;

/**
 * Statements on executors of a cluster, HDFS to HDFS, against the same statement in one process.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StatementsOnClusterIT {
  private static final double ROUNDING = 1e-9;
  private static final int PARTITIONS = 5;

  private final TestCluster cluster;
  private final Map<String, Entries> inputs = new LinkedHashMap<>();
  private final Map<String, EngineTensor> read = new LinkedHashMap<>();
  private Path folder = Path.of("");
  @AutoClose private ClusterSession session;

  StatementsOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void upload(@TempDir Path temp) throws IOException {
    folder = temp;
    SplittableRandom random = new SplittableRandom(31);
    inputs.put("A", RandomTensors.skewed(new long[] {90, 70}, 900, 1));
    inputs.put("B", RandomTensors.skewed(new long[] {70, 80}, 800, 2));
    inputs.put("E", RandomTensors.skewed(new long[] {90, 70}, 700, 3));
    inputs.put("G", RandomTensors.skewed(new long[] {90, 90}, 900, 4));
    inputs.put("S", RandomTensors.skewed(new long[] {90, 80}, 600, 5));
    inputs.put("T", RandomTensors.skewed(new long[] {90, 70, 80}, 3_000, 6));
    inputs.put("U", RandomTensors.skewed(new long[] {20, 70, 80, 9}, 2_000, 7));
    inputs.put("V", RandomTensors.skewed(new long[] {20, 70, 80, 9, 6}, 2_000, 8));
    inputs.put("x", full(random, 70));
    inputs.put("d", full(random, 90));
    inputs.put("P", full(random, 90, 6));
    inputs.put("Q", full(random, 70, 6));
    inputs.put("R", full(random, 80, 6));
    inputs.put("H", full(random, 20, 6));
    inputs.put("K", full(random, 9, 6));
    inputs.put("L", full(random, 6, 6));
    for (Map.Entry<String, Entries> input : inputs.entrySet()) {
      Path local = local(input.getKey());
      input.getValue().write(local);
      cluster.upload(local, hdfs(input.getKey() + ".tns"));
    }
    session =
        new ClusterSession(
            cluster, EngineOptions.defaults().planning(p -> p.withPartitions(PARTITIONS)));
  }

  private static Entries full(SplittableRandom random, int... sizes) {
    int count = 1;
    for (int size : sizes) {
      count *= size;
    }
    long[][] coordinates = new long[sizes.length][count];
    double[] values = new double[count];
    for (int entry = 0; entry < count; entry++) {
      int rest = entry;
      for (int mode = sizes.length - 1; mode >= 0; mode--) {
        coordinates[mode][entry] = rest % sizes[mode];
        rest /= sizes[mode];
      }
      values[entry] = random.nextDouble(0.1, 2);
    }
    long[] shape = java.util.Arrays.stream(sizes).asLongStream().toArray();
    return new Entries(shape, coordinates, values);
  }

  /** Names with statements. */
  private static final List<List<String>> CASES =
      List.of(
          List.of("SpMV", "y(i) = A(i,j) * x(j)"),
          List.of("SDDMM", "Y(i,k) = S(i,k) * P(i,r) * R(k,r)"),
          List.of("SpGEMM", "C(i,k) = A(i,j) * B(j,k)"),
          List.of("MTTKRP of order 3", "M(i,r) = T(i,j,k) * Q(j,r) * R(k,r)"),
          List.of("difference", "A(i,j) -= E(i,j)"),
          List.of("masked triangles", "C(i,k)<G(i,k)> = G(i,j) * G(j,k)"),
          List.of("shortest paths, one step", "e(k) = d(i) @(min,+) G(i,k)"),
          List.of("MTTKRP of order 5", "M(l,r) = V(i,j,k,l,m) * H(i,r) * Q(j,r) * R(k,r) * L(m,r)"),
          List.of("TTMc", "Y(i,q,r) = T(i,j,k) * Q(j,q) * R(k,r)"),
          List.of("inner product", "s = T(i,j,k) * T(i,j,k)"),
          List.of("SpMM", "Y(i,r) = A(i,j) * Q(j,r)"),
          List.of("breadth-first search, one step", "e(k) = d(i) @(any,pair) G(i,k)"),
          List.of("union", "C(i,j) = A(i,j) + E(i,j)"),
          List.of("MTTKRP of order 4", "M(j,r) = U(i,j,k,l) * H(i,r) * R(k,r) * K(l,r)"),
          List.of("transpose", "C(k,i,j) = T(i,j,k)"));

  /** How many of them run in every build; those behind are like one of them. */
  private static final int USUAL = 5;

  /** Ways of dividing the work, and of bringing operands to it. */
  private enum Way {
    GRID,
    BY_NEED
  }

  /** Each statement in one of the two ways. */
  static List<Arguments> statements() {
    return IntStream.range(0, Boolean.getBoolean("weft.long") ? CASES.size() : USUAL)
        .mapToObj(n -> arguments(n, Way.values()[n % 2]))
        .toList();
  }

  /** Each statement in the other way. */
  static List<Arguments> statementsInTheOtherWay() {
    return IntStream.range(0, CASES.size())
        .mapToObj(n -> arguments(n, Way.values()[(n + 1) % 2]))
        .toList();
  }

  private static Arguments arguments(int number, Way way) {
    List<String> nameAndStatement = CASES.get(number);
    return Arguments.of(nameAndStatement.get(0), nameAndStatement.get(1), way);
  }

  @ParameterizedTest(name = "{0}, {2}")
  @MethodSource("statements")
  void isTheSameAsInOneProcess(String name, String statement, Way way) throws IOException {
    Entries expected = inThisProcess(statement);
    LabelledStatement parsed = parse(statement);
    // Which of several values `any` takes must not depend on the parts: it is not divided.
    List<String> labels =
        statement.contains("@(any")
            ? parsed.resultLabels()
            : parsed.operands().values().iterator().next();
    String first = labels.get(0);
    String last = labels.get(labels.size() - 1);
    String grid = first.equals(last) ? first : first + "," + last;
    Entries found =
        switch (way) {
          case GRID -> onExecutors(statement, grid, Route.ByRanges.class);
          case BY_NEED -> onExecutors(statement, last, Route.ByNeed.class);
        };
    assertSame(expected, found);
  }

  @Tag("long")
  @ParameterizedTest(name = "{0}, {2}")
  @MethodSource("statementsInTheOtherWay")
  void isTheSameInTheOtherWay(String name, String statement, Way way) throws IOException {
    isTheSameAsInOneProcess(name, statement, way);
  }

  private Entries inThisProcess(String statement) {
    List<String> words = new ArrayList<>(List.of("eval", statement, "-q", "--overwrite"));
    LabelledStatement parsed = parse(statement);
    List<String> names = new ArrayList<>(parsed.operands().keySet());
    if (inputs.containsKey(parsed.result())) {
      names.add(parsed.result());
    }
    names.forEach(name -> words.addAll(List.of("--input", name + "=" + local(name))));
    boolean scalar = parsed.resultLabels().isEmpty();
    Path output = folder.resolve("expected.tns");
    if (!scalar) {
      words.addAll(List.of("--output", output.toString()));
    }
    String text = WeftCommand.runAlone(words.toArray()).strip();
    return scalar
        ? new Entries(new long[0], new long[0][], new double[] {Double.parseDouble(text)})
        : Entries.read(output);
  }

  private Entries onExecutors(String statement, String label, Class<? extends Route> exchange)
      throws IOException {
    LabelledStatement parsed = parse(statement);
    Map<String, EngineTensor> tensors = new LinkedHashMap<>();
    parsed.operands().keySet().forEach(name -> tensors.put(name, read(name)));
    StatementJob job =
        new StatementJob(
            parsed,
            tensors,
            Map.of(),
            Optional.ofNullable(inputs.containsKey(parsed.result()) ? read(parsed.result()) : null),
            Map.of(),
            Map.of(),
            ValueType.DOUBLE,
            label,
            Optional.of(exchange));
    try (StatementResult result =
        session.engine().statements().evaluate(job, ProgressListener.NONE)) {
      if (parsed.resultLabels().isEmpty()) {
        double[] value = {0};
        result.read(entries -> value[0] += entries.value(0));
        return new Entries(new long[0], new long[0][], value);
      }
      result.write(new OutputTarget(hdfs("result.tns"), true));
    }
    return download("result.tns");
  }

  private EngineTensor read(String name) {
    return session.engine().read(hdfs(name + ".tns"), ReadOptions.defaults(), ValueType.DOUBLE);
  }

  private static LabelledStatement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    LabelledStatement parsed =
        new LabelledStatement(
            Parser.statement(SourceText.expression(text), diagnostics).orElseThrow());
    diagnostics.throwIfErrors();
    return parsed;
  }

  private Path local(String name) {
    return folder.resolve(name + ".tns");
  }

  private String hdfs(String name) {
    return cluster.hdfsUri() + "/statements/" + name;
  }

  private Entries download(String name) throws IOException {
    return Entries.read(cluster.download(hdfs(name), folder.resolve("from-hdfs-" + name)));
  }

  private static void assertSame(Entries expected, Entries found) {
    assertThat(found.sizes()).isEqualTo(expected.sizes());
    Map<List<Long>, Double> values = values(expected);
    Map<List<Long>, Double> others = values(found);
    assertThat(others.keySet()).isEqualTo(values.keySet());
    values.forEach(
        (at, value) ->
            assertThat(others.get(at))
                .as("%s", at)
                .isCloseTo(value, Offset.offset(ROUNDING * Math.max(1, Math.abs(value)))));
  }

  private static Map<List<Long>, Double> values(Entries entries) {
    Map<List<Long>, Double> values = new TreeMap<>(java.util.Comparator.comparing(List::toString));
    for (int entry = 0; entry < entries.count(); entry++) {
      List<Long> at = new ArrayList<>();
      for (long[] column : entries.coordinates()) {
        at.add(column[entry]);
      }
      assertThat(values.put(at, entries.values()[entry])).as("twice at %s", at).isNull();
    }
    return values;
  }
}
