package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.Directive;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Which way a product of dense tensors is computed, and that each way gives the value. */
class DenseCandidatesTest extends CompilerCase {
  private static final int STATEMENTS = Boolean.getBoolean("weft.long") ? 400 : 40;
  private static final int[] SIZES = {2, 3, 5, 8, 13, 24, 40, 100};

  private final Evaluator evaluator = new Evaluator(compiler, 2);

  DenseCandidatesTest() {
    super(Boolean.getBoolean("weft.long") ? 3 : 1);
  }

  /** Most ways are hardly ever the fastest at the sizes of a test. */
  private Evaluator preferring(Way way) {
    return new Evaluator(
        compiler,
        2,
        ways -> {
          List<DenseCandidates.Candidate> order = new ArrayList<>(ways);
          order.sort(Comparator.comparing(candidate -> way(candidate) != way));
          return order;
        });
  }

  private static Way way(DenseCandidates.Candidate candidate) {
    return !candidate.panels()
        ? Way.LOOPS
        : !candidate.transposed().isEmpty()
            ? Way.MATRICES
            : candidate.lanes().isPresent()
                ? Way.LANES
                : candidate.around().isEmpty() ? Way.PANELS : Way.AROUND;
  }

  /** The ways that are taken. */
  private enum Way {
    LOOPS,
    PANELS,
    LANES,
    AROUND,
    MATRICES
  }

  private TensorStorage random(Random random, long... sizes) {
    TensorShape shape = TensorShape.of(sizes);
    TensorStorage storage =
        TensorStorage.dense(scope, shape, TensorFormat.dense(sizes.length, ValueType.DOUBLE));
    for (long cell = 0; cell < (long) shape.cells(); cell++) {
      storage.vals().setDouble(cell, random.nextDouble() - 0.5);
    }
    return storage;
  }

  private static Way way(EvaluationPlan plan) {
    Schedule schedule =
        plan.steps().stream()
            .filter(EvaluationStep.Compute.class::isInstance)
            .map(step -> ((EvaluationStep.Compute) step).schedule())
            .findFirst()
            .orElseThrow();
    boolean panels = schedule.gemm().isPresent();
    return !panels
        ? Way.LOOPS
        : plan.steps().size() > 1
            ? Way.MATRICES
            : schedule.directives().stream().anyMatch(Directive.Vector.class::isInstance)
                ? Way.LANES
                : schedule.around().isPresent() ? Way.AROUND : Way.PANELS;
  }

  @Test
  void everyWayGivesTheValue() {
    Random random = new Random(5);
    Map<Way, Integer> taken = new EnumMap<>(Way.class);
    Map<Way, Evaluator> evaluators = new EnumMap<>(Way.class);
    Arrays.stream(Way.values()).forEach(way -> evaluators.put(way, preferring(way)));
    for (int number = 0; number < STATEMENTS; number++) {
      List<String> rows = labels("a", "b", "c", random);
      List<String> columns = labels("p", "q", "r", random);
      List<String> terms = labels("x", "y", "z", random);
      Map<String, Integer> sizes = new HashMap<>();
      List.of(rows, columns, terms)
          .forEach(group -> group.forEach(l -> sizes.put(l, SIZES[random.nextInt(SIZES.length)])));
      List<String> left = shuffled(rows, terms, random);
      List<String> right = shuffled(terms, columns, random);
      List<String> result = shuffled(rows, columns, random);
      double work = sizes.values().stream().mapToDouble(size -> size).reduce(1, (a, b) -> a * b);
      if (work < 3e5 || work > 4e6) {
        continue;
      }
      TensorStorage a = random(random, sizes(left, sizes));
      TensorStorage b = random(random, sizes(right, sizes));
      StatementInput input =
          StatementInput.of(
              "C(" + join(result) + ") = A(" + join(left) + ") * B(" + join(right) + ")",
              Map.of("A", a, "B", b),
              TensorFormat.dense(result.size(), ValueType.DOUBLE));
      Way rarest =
          Arrays.stream(Way.values())
              .filter(way -> way(evaluators.get(way).plan(input)) == way)
              .min(Comparator.comparing(way -> taken.getOrDefault(way, 0)))
              .orElseThrow();
      Evaluator preferring = evaluators.get(rarest);
      EvaluationPlan plan = preferring.plan(input);
      taken.merge(way(plan), 1, Integer::sum);
      TensorStorage found = preferring.evaluate(scope, input);
      TensorStorage expected = evaluator.evaluate(scope, input.withSchedule(Schedule.sequential()));
      TensorStorage bound = TensorStorage.dense(scope, found.shape(), ValueType.DOUBLE);
      try (BoundStatement statement =
          preferring.prepare(input).bind(bound, Map.of("A", a, "B", b))) {
        statement.run();
      }
      for (long cell = 0; cell < (long) found.shape().cells(); cell++) {
        assertThat(found.vals().getDouble(cell))
            .as("%s cell %s of %s", way(plan), cell, input.statement())
            .isCloseTo(expected.vals().getDouble(cell), within(1e-11));
        assertThat(bound.vals().getDouble(cell)).isEqualTo(found.vals().getDouble(cell));
      }
      for (TensorStorage made : List.of(a, b, found, bound, expected)) {
        made.close();
      }
    }
    assertThat(taken).containsKeys(Way.values());
  }

  /** Lines of the result that the caches do not hold are written around them. */
  @Test
  void lanesAlongTheOperandWriteLargeResults() {
    Random random = new Random(7);
    Evaluator lanes = preferring(Way.LANES);
    for (int rows : new int[] {368, 371}) {
      TensorStorage a = random(random, rows, 6, 369);
      TensorStorage b = random(random, 24, 6);
      StatementInput input =
          StatementInput.of(
              "C(c,b,a) = A(a,d,b) * B(c,d)",
              Map.of("A", a, "B", b),
              TensorFormat.dense(3, ValueType.DOUBLE));
      assertThat(way(lanes.plan(input))).isEqualTo(Way.LANES);
      TensorStorage found = lanes.evaluate(scope, input);
      TensorStorage expected = evaluator.evaluate(scope, input.withSchedule(Schedule.sequential()));
      for (long cell = 0; cell < (long) found.shape().cells(); cell++) {
        double difference = found.vals().getDouble(cell) - expected.vals().getDouble(cell);
        assertThat(Math.abs(difference) < 1e-12).as("cell %s", cell).isTrue();
      }
      for (TensorStorage made : List.of(a, b, found, expected)) {
        made.close();
      }
    }
  }

  private static List<String> labels(String one, String two, String three, Random random) {
    return List.of(one, two, three).subList(0, 1 + random.nextInt(3));
  }

  private static List<String> shuffled(List<String> one, List<String> other, Random random) {
    List<String> all = new ArrayList<>(one);
    all.addAll(other);
    Collections.shuffle(all, random);
    return all;
  }

  private static long[] sizes(List<String> labels, Map<String, Integer> sizes) {
    return labels.stream().mapToLong(sizes::get).toArray();
  }

  private static String join(List<String> labels) {
    return String.join(",", labels);
  }

  private StatementInput product(int a, int b, int c, int d) {
    Random random = new Random(6);
    return StatementInput.of(
        "C(c,b,a) = A(a,d,b) * B(c,d)",
        Map.of("A", random(random, a, d, b), "B", random(random, c, d)),
        TensorFormat.dense(3, ValueType.DOUBLE));
  }

  @Test
  void thePlanShowsTheWaysAndTheirTimes() {
    assertThat(evaluator.plan(product(60, 60, 60, 24)).toString())
        .contains("packed panels  ")
        .contains("packed panels with lanes along b")
        .contains("taken: reads any order of labels")
        .contains("transposed A, then packed panels")
        .contains("a loop over b around packed panels")
        .contains("plain loops");
  }

  /** A way that is predicted to be a little faster, and is not taken, puzzles readers. */
  @Test
  void thePlanSaysWhyASlightlyFasterWayIsLeft() {
    double first = Double.NaN;
    boolean faster = false;
    String plan = evaluator.plan(product(313, 67, 19, 101)).toString();
    for (String line : plan.lines().filter(each -> each.contains(" ms")).toList()) {
      double time = Double.parseDouble(line.replaceAll(".*?([0-9.e+-]+) ms.*", "$1"));
      first = Double.isNaN(first) ? time : first;
      faster |= time < first && !line.contains("plain loops");
    }
    assertThat(plan.contains("another way has to save a fifth")).isEqualTo(faster);
  }
}
