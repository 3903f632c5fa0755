package org.weft.engine.distributed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.StatementCase;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.engine.distributed.PlannedRuns.Tensor;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.DistributedPlanner;
import org.weft.planner.distributed.Route;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Statements of the compiler's generator, whose entries lie in parts that are drawn. Each is
 * divided along labels that are drawn, with every exchange in turn; the result is what the
 * compiler's naive evaluator says. The seed is printed. {@code -Dweft.test.jvm="-Dweft.seed=SEED
 * -Dweft.cases=COUNT"} sets both, and {@code -Dweft.case=NUMBER} runs one case.
 */
final class RandomPlansTest {
  private static final long SEED = Long.getLong("weft.seed", 20261124L);
  private static final int CASES =
      Integer.getInteger("weft.cases", Boolean.getBoolean("weft.long") ? 20_000 : 2_000);

  /** One kernel in so many is optimised as much as users' are. */
  private static final int OPTIMISED = 40;

  private static final Resources RESOURCES = new Resources(3, 2, 1, 1L << 30);
  private static final List<Class<? extends Route>> EXCHANGES =
      List.of(Route.ByRanges.class, Route.ByNeed.class);

  private final Map<String, Integer> ran = new TreeMap<>();

  @Test
  void areWhatTheNaiveEvaluatorSays() {
    CompilerOptions options = CompilerOptions.forThisHost();
    int only = Integer.getInteger("weft.case", -1);
    try (TensorCompiler quick = TensorCompiler.create(options.withOptimisation(0));
        TensorCompiler full = TensorCompiler.create(options)) {
      for (int number = 0; number < CASES; number++) {
        if (only < 0 || number == only) {
          check(number % OPTIMISED == 0 ? full : quick, number);
        }
      }
    }
    System.out.println(
        "RandomPlansTest: -Dweft.seed=" + SEED + " -Dweft.cases=" + CASES + ": " + ran);
    if (only < 0) {
      assertThat(ran.getOrDefault("undivided", 0)).isLessThan(CASES / 10);
      assertThat(ran.getOrDefault("by need", 0)).isGreaterThan(CASES / 10);
      assertThat(ran.getOrDefault("grid", 0)).isGreaterThan(CASES / 10);
    }
  }

  private void check(TensorCompiler compiler, int number) {
    Random random = new Random(SEED * 31 + number);
    StatementCase subject = StatementCase.of(SEED, number);
    try {
      Map<String, Tensor> tensors = new LinkedHashMap<>();
      subject.operands().forEach((name, operand) -> tensors.put(name, tensor(operand, random)));
      Optional<Tensor> previous = subject.previous().map(operand -> tensor(operand, random));
      List<String> divisions = divisions(subject.sizes().keySet(), random);
      boolean divided = false;
      for (Class<? extends Route> exchange : EXCHANGES) {
        for (String division : divisions) {
          int parts = division.contains(",") ? 4 + random.nextInt(18) : 1 + random.nextInt(7);
          if (check(compiler, subject, tensors, previous, division, parts, exchange)) {
            divided = true;
            break;
          }
        }
      }
      if (!divided) {
        assertThat(check(compiler, subject, tensors, previous, "-", 1, EXCHANGES.get(0))).isTrue();
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "-Dweft.seed=" + SEED + " -Dweft.case=" + number + ": " + subject + "\n" + e, e);
    }
  }

  /** Whether there is such a plan. */
  private boolean check(
      TensorCompiler compiler,
      StatementCase subject,
      Map<String, Tensor> tensors,
      Optional<Tensor> previous,
      String division,
      int parts,
      Class<? extends Route> exchange) {
    DistributedPlan plan;
    try {
      plan =
          new DistributedPlanner(compiler, MachineParameters.defaults())
              .plan(request(subject, tensors, previous, division, parts, exchange));
    } catch (WeftException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION);
      assertThat(e).hasMessageContaining("cannot be divided along");
      return false;
    }
    int axes = plan.grid().axes().size();
    boolean needs = plan.slots().stream().anyMatch(slot -> slot.route() instanceof Route.ByNeed);
    ran.merge(
        axes == 0 ? "undivided" : axes > 1 ? "grid" : needs ? "by need" : "whole", 1, Integer::sum);
    try {
      subject.check(PlannedRuns.run(plan, tensors, previous));
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(division + " in " + parts + " parts: " + e + "\n" + plan, e);
    }
    return true;
  }

  private static DistributedPlanner.Request request(
      StatementCase subject,
      Map<String, Tensor> tensors,
      Optional<Tensor> previous,
      String division,
      int parts,
      Class<? extends Route> exchange) {
    Map<String, OperandOutline> operands = new LinkedHashMap<>();
    Map<String, TensorStatistics> statistics = new LinkedHashMap<>();
    tensors.forEach(
        (name, tensor) -> {
          TensorFormat format = format(subject, name, tensor.shape().order());
          statistics.put(name, tensor.statistics());
          operands.put(name, new OperandOutline(format, tensor.shape(), tensor.entries()));
        });
    Statement statement = parse(subject.text());
    TensorFormat result =
        format(subject, statement.target().tensor(), statement.target().labels().size());
    return new DistributedPlanner.Request(
        StatementAlgebra.of(statement, operands, result, subject.sizes()),
        statistics,
        previous.map(Tensor::statistics),
        RESOURCES,
        parts,
        division,
        Optional.of(exchange));
  }

  private static TensorFormat format(StatementCase subject, String tensor, int order) {
    return TensorFormat.parse(subject.formats().get(tensor), order, ValueType.DOUBLE);
  }

  private static Statement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  /** The entries in one to three blocks, in their order. */
  private static Tensor tensor(StatementCase.Operand operand, Random random) {
    List<CooBlock.Builder> blocks = new ArrayList<>();
    int order = operand.shape().order();
    for (int block = 1 + random.nextInt(3); block > 0; block--) {
      blocks.add(new CooBlock.Builder(order, 16));
    }
    CooBlock entries = operand.entries();
    for (int entry = 0; entry < entries.size(); entry++) {
      long[] at = new long[order];
      for (int mode = 0; mode < order; mode++) {
        at[mode] = entries.coordinate(mode, entry);
      }
      blocks.get(random.nextInt(blocks.size())).add(at, entries.value(entry));
    }
    return new Tensor(operand.shape(), blocks.stream().map(CooBlock.Builder::build).toList());
  }

  /** Every label, and every two and three of them, in an order that is drawn. */
  private static List<String> divisions(Iterable<String> labels, Random random) {
    List<String> divisions = new ArrayList<>();
    for (String label : labels) {
      for (String shorter : List.copyOf(divisions)) {
        if (shorter.length() < 4) {
          divisions.add(shorter + "," + label);
        }
      }
      divisions.add(label);
    }
    Collections.shuffle(divisions, random);
    return divisions;
  }
}
