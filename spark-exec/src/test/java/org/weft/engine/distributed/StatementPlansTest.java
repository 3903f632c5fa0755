package org.weft.engine.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.engine.distributed.PlannedRuns.Tensor;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.DistributedPlanner;
import org.weft.planner.distributed.Route;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Statements divided along every label that allows it, with every exchange, in one to seven parts,
 * and in grids along two and three labels: the result is that of the undivided statement in one
 * process.
 */
final class StatementPlansTest {
  private static final Resources RESOURCES = new Resources(3, 2, 1, 1L << 30);
  private static final Map<String, Long> SIZES = Map.of("i", 7L, "j", 5L, "k", 6L, "l", 4L);

  private static final Pattern ACCESS = Pattern.compile("([A-Z][a-z]*)\\(([a-z,]*)\\)");

  private static TensorCompiler compiler;
  private static Evaluator evaluator;

  /** Kernels run once, on a few entries: optimising them would take most of the time. */
  @BeforeAll
  static void start() {
    compiler = TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(0));
    evaluator = new Evaluator(compiler, 1);
  }

  @AfterAll
  static void stop() {
    compiler.close();
  }

  private static Statement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  private static Tensor random(Random random, String labels, double density) {
    long[] sizes = labels.chars().mapToLong(c -> SIZES.get(Character.toString(c))).toArray();
    TensorShape shape = TensorShape.of(sizes);
    int blocks = 1 + random.nextInt(3);
    List<CooBlock.Builder> builders = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      builders.add(new CooBlock.Builder(sizes.length, 16));
    }
    long cells = Math.round(shape.cells());
    for (long cell = 0; cell < cells; cell++) {
      if (random.nextDouble() < density) {
        long[] at = new long[sizes.length];
        long rest = cell;
        for (int mode = sizes.length - 1; mode >= 0; mode--) {
          at[mode] = rest % sizes[mode];
          rest /= sizes[mode];
        }
        builders.get(random.nextInt(blocks)).add(at, 1 + random.nextInt(9));
      }
    }
    return new Tensor(shape, builders.stream().map(CooBlock.Builder::build).toList());
  }

  private static TensorFormat format(Tensor tensor, boolean dense) {
    int order = tensor.shape().order();
    return dense
        ? TensorFormat.dense(order, ValueType.DOUBLE)
        : TensorFormat.csf(order, ValueType.DOUBLE);
  }

  private static Map<String, Double> cells(Iterable<CooBlock> blocks) {
    Map<String, Double> cells = new TreeMap<>();
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        StringBuilder at = new StringBuilder();
        for (int mode = 0; mode < block.order(); mode++) {
          at.append(block.coordinate(mode, e)).append(' ');
        }
        if (block.value(e) != 0) {
          assertThat(cells.put(at.toString(), block.value(e))).as("twice: %s", at).isNull();
        }
      }
    }
    return cells;
  }

  /** One statement with its tensors. */
  private record Case(
      String text,
      Statement statement,
      Map<String, Tensor> tensors,
      Map<String, Boolean> dense,
      Optional<Tensor> previous,
      boolean denseResult) {

    static Case of(String text, Random random) {
      Statement statement = parse(text);
      Map<String, Tensor> tensors = new LinkedHashMap<>();
      Map<String, Boolean> dense = new HashMap<>();
      Matcher accesses = ACCESS.matcher(text);
      accesses.find(); // the target
      while (accesses.find()) {
        String name = accesses.group(1);
        boolean full = random.nextInt(4) == 0 && !name.equals("M");
        double density = full ? 1 : new double[] {0, 0.05, 0.3, 0.7}[random.nextInt(4)];
        String labels = accesses.group(2).replace(",", "");
        tensors.computeIfAbsent(name, key -> random(random, labels, density));
        dense.putIfAbsent(name, full);
      }
      boolean adds = statement.assignment() != Statement.Assignment.ASSIGN;
      String target = text.substring(text.indexOf('(') + 1, text.indexOf(')')).replace(",", "");
      Optional<Tensor> previous =
          adds ? Optional.of(random(random, target, 0.4)) : Optional.empty();
      return new Case(text, statement, tensors, dense, previous, random.nextInt(4) == 0);
    }

    TensorFormat resultFormat() {
      int order = statement.target().labels().size();
      return denseResult
          ? TensorFormat.dense(order, ValueType.DOUBLE)
          : TensorFormat.csf(order, ValueType.DOUBLE);
    }

    Map<String, Double> expected() {
      try (MemoryScope scope = MemoryScope.root("expected", MemorySource.system())) {
        Map<String, TensorStorage> operands = new HashMap<>();
        tensors.forEach(
            (name, tensor) ->
                operands.put(
                    name,
                    Packing.pack(
                        scope,
                        tensor.shape(),
                        format(tensor, dense.getOrDefault(name, false)),
                        tensor.blocks())));
        StatementInput input = StatementInput.of(statement, operands, resultFormat());
        if (previous.isPresent()) {
          input =
              input.withPrevious(
                  Packing.pack(
                      scope, previous.get().shape(), resultFormat(), previous.get().blocks()));
        }
        return cells(List.of(Packing.unpack(evaluator.evaluate(scope, input))));
      }
    }

    DistributedPlanner.Request request(
        int parts, String label, Optional<Class<? extends Route>> exchange) {
      Map<String, OperandOutline> operands = new LinkedHashMap<>();
      Map<String, TensorStatistics> statistics = new HashMap<>();
      tensors.forEach(
          (name, tensor) -> {
            statistics.put(name, tensor.statistics());
            operands.put(
                name,
                new OperandOutline(
                    format(tensor, dense.getOrDefault(name, false)),
                    tensor.shape(),
                    tensor.entries()));
          });
      StatementAlgebra algebra = StatementAlgebra.of(statement, operands, resultFormat(), Map.of());
      return new DistributedPlanner.Request(
          algebra, statistics, previous.map(Tensor::statistics), RESOURCES, parts, label, exchange);
    }
  }

  private static Map<String, Double> run(Case tried, DistributedPlan plan) {
    return cells(PlannedRuns.run(plan, tried.tensors(), tried.previous()));
  }

  private static final List<String> STATEMENTS =
      List.of(
          "Y(i) = A(i,j) * X(j)",
          "C(i,k) = A(i,j) * B(j,k)",
          "C(k,i) = A(i,j) * B(j,k)",
          "C(i,k) += A(i,j) * B(j,k)",
          "C(i,k) -= A(i,j) * B(j,k)",
          "C(i,j) = A(i,j) + B(i,j)",
          "C(i,j) = A(i,j) - 2 * B(j,i)".replace("B(j,i)", "D(j,i)"),
          "C(i,j) = S(i,j) * A(i,k) * B(k,j)",
          "C(i,k) = A(i,j) @(min,+) B(j,k)",
          "C(i,k) += A(i,j) @(min,+) B(j,k)",
          "Y(i) = A(i,j) @(max,*) X(j)",
          "C(i,k) <M(i,k)> = A(i,j) * B(j,k)",
          "S() = A(i,j) * B(i,j)",
          "S() = A(i,j) * A(i,j)",
          "C(i,i) = X(i)",
          "C(i,i) += X(i)",
          "Y(j) = A(i,i,j)",
          "C(i,l) = T(i,j,k) * B(j,l) * D(k,l)",
          "C(j,l) = T(i,j,k) * B(i,l) * D(k,l)",
          "C(i,j,l) = T(i,j,k) * B(k,l)",
          "Y(i) = A(i,j) * X(j) + Z(i)",
          "C(i,j) = A(i,k) * A(j,k)".replace("A(j,k)", "B(j,k)"),
          "Y(k) = A(i,j) * B(j,k) * X(i)",
          "C(i,j) = abs(A(i,j)) + 1",
          "C(i,k) = A(i,j) * B(j,k) + D(i,k)");

  /** No label, every label, and every two and three of them. */
  private static List<String> divisions(String text) {
    List<String> divisions = new ArrayList<>(List.of(""));
    for (String label : List.of("i", "j", "k", "l")) {
      if (text.matches(".*[(,]" + label + "[,)].*")) {
        List<String> shorter = divisions.stream().filter(d -> d.length() < 5).toList();
        shorter.forEach(d -> divisions.add(d.isEmpty() ? label : d + "," + label));
      }
    }
    divisions.set(0, "-");
    return divisions;
  }

  private static int parts(String division, Random random) {
    return division.length() > 1 ? 4 + random.nextInt(18) : 1 + random.nextInt(7);
  }

  private static int check(String text, Random random) {
    Case tried = Case.of(text, random);
    Map<String, Double> expected = tried.expected();
    int ran = 0;
    List<String> all = divisions(text);
    Collections.shuffle(all, random);
    List<String> some =
        Stream.concat(
                all.stream().filter(division -> division.length() == 1),
                all.stream().filter(division -> division.length() > 1).limit(3))
            .toList();
    for (String label : some) {
      for (Class<? extends Route> exchange : List.of(Route.ByRanges.class, Route.ByNeed.class)) {
        int parts = parts(label, random);
        DistributedPlan plan;
        try {
          plan =
              new DistributedPlanner(compiler, MachineParameters.defaults())
                  .plan(tried.request(parts, label, Optional.of(exchange)));
        } catch (WeftException e) {
          assertThat(e).hasMessageContaining("cannot be divided along");
          continue;
        }
        ran++;
        assertThat(run(tried, plan))
            .as("%s by %s, %s, %d parts%n%s", text, label, exchange.getSimpleName(), parts, plan)
            .isEqualTo(expected);
      }
    }
    return ran;
  }

  @Test
  void everyLabelAndExchangeGivesTheUndividedResult() {
    int ran = 0;
    int usual = Boolean.getBoolean("weft.long") ? 2 : 1;
    int rounds = Integer.getInteger("weft.test.distributedRounds", usual);
    for (int round = 0; round < rounds; round++) {
      for (String statement : STATEMENTS) {
        ran += check(statement, new Random(31L * round + statement.hashCode()));
      }
    }
    assertThat(ran).isGreaterThan(50 * rounds);
  }

  /** All entries lie at the end of a mode, so that one part has nearly all of its coordinates. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  void partsMayHaveNearlyAllCoordinates(int seed) {
    Case small = Case.of("Y(j,l) -= T(i,j,k) * A(i,l) * B(k,l)", new Random(seed));
    Map<String, Tensor> tensors = new LinkedHashMap<>(small.tensors());
    tensors.computeIfPresent("T", (name, tensor) -> lengthened(tensor, 1));
    Case tried =
        new Case(
            small.text(),
            small.statement(),
            tensors,
            small.dense(),
            small.previous().map(tensor -> lengthened(tensor, 0)),
            false);
    DistributedPlan plan =
        new DistributedPlanner(compiler, MachineParameters.defaults())
            .plan(tried.request(12, "i,j,l", Optional.empty()));
    assertThat(run(tried, plan)).isEqualTo(tried.expected());
  }

  /** The tensor with {@code mode} of size 70,000, its entries in the last slices. */
  private static Tensor lengthened(Tensor tensor, int mode) {
    long more = 70_000 - tensor.shape().size(mode);
    List<CooBlock> blocks = new ArrayList<>();
    for (CooBlock block : tensor.blocks()) {
      CooBlock.Builder moved = new CooBlock.Builder(block.order(), 16);
      for (int entry = 0; entry < block.size(); entry++) {
        long[] at = new long[block.order()];
        for (int m = 0; m < at.length; m++) {
          at[m] = block.coordinate(m, entry) + (m == mode ? more : 0);
        }
        moved.add(at, block.value(entry));
      }
      blocks.add(moved.build());
    }
    return new Tensor(tensor.shape().with(mode, 70_000), blocks);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Y(i) = A(i,j) * X(j)", "C(i,k) = A(i,j) * B(j,k)"})
  void thePlannerTakesTheCheapestThatFits(String text) {
    Case tried = Case.of(text, new Random(5));
    DistributedPlan plan =
        new DistributedPlanner(compiler, MachineParameters.defaults())
            .plan(tried.request(0, "", Optional.empty()));
    assertThat(plan.alternatives()).hasSizeGreaterThan(2);
    assertThat(plan.alternatives().get(0).seconds())
        .isLessThanOrEqualTo(plan.alternatives().get(1).seconds());
    assertThat(run(tried, plan)).isEqualTo(tried.expected());
    assertThat(plan.toString()).contains("kernel", "exchange", "scan A", "chosen of");
  }
}
