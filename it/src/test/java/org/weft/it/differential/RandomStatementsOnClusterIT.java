package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.weft.compiler.differential.StatementCase;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementResult;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.ClusterSession;
import org.weft.it.cluster.TestCluster;
import org.weft.planner.distributed.Route;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * Statements of the compiler's generator on two executors, each divided along a label and with an
 * exchange that are drawn, against the compiler's naive evaluator.
 */
@ExtendWith(ClusterExtension.class)
final class RandomStatementsOnClusterIT {
  private static final long SEED = Long.getLong("weft.seed", 20261124L);
  private static final int USUAL = 200;
  private static final int LONG = 2_000;
  private static final int PARTITIONS = 4;

  /** One statement in so many has kernels that are optimised as much as users' are. */
  private static final int OPTIMISED = 10;

  /** Statements under way, so that executors do not wait for a driver that plans. */
  private static final int THREADS = 3;

  private final TestCluster cluster;
  private final Map<String, Integer> divisions = new ConcurrentSkipListMap<>();

  RandomStatementsOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void areWhatTheNaiveEvaluatorSays() throws InterruptedException, ExecutionException {
    check(0, Integer.getInteger("weft.cases", USUAL));
  }

  @Test
  @Tag("long")
  void moreOfThem() throws InterruptedException, ExecutionException {
    check(USUAL, LONG);
  }

  private void check(int from, int to) throws InterruptedException, ExecutionException {
    EngineOptions options = EngineOptions.defaults().planning(p -> p.withPartitions(PARTITIONS));
    IntPredicate optimised = number -> number % OPTIMISED == 0;
    check(options, IntStream.range(from, to).filter(optimised));
    check(options.withOptimisation(0), IntStream.range(from, to).filter(optimised.negate()));
    System.out.println("RandomStatementsOnClusterIT: -Dweft.seed=" + SEED + ": " + divisions);
    assertThat(divisions.values().stream().mapToInt(n -> n).sum()).isEqualTo(to - from);
    assertThat(divisions.getOrDefault("undivided", 0)).isLessThan((to - from) / 3);
  }

  private void check(EngineOptions options, IntStream numbers)
      throws InterruptedException, ExecutionException {
    try (ClusterSession session = new ClusterSession(cluster, options)) {
      List<Callable<Void>> checks = new ArrayList<>();
      numbers.forEach(
          number ->
              checks.add(
                  () -> {
                    check(session.engine(), number);
                    return null;
                  }));
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        for (Future<Void> done : threads.invokeAll(checks)) {
          done.get();
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private void check(Engine engine, int number) {
    StatementCase subject = StatementCase.of(SEED, number);
    try {
      List<CooBlock> blocks = null;
      for (StatementJob job : ways(engine, subject, new Random(number))) {
        try {
          blocks = entries(engine, job);
          break;
        } catch (WeftException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION);
          assertThat(e).hasMessageContaining("cannot be divided along");
        }
      }
      assertThat(blocks).as("some way").isNotNull();
      subject.check(blocks);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "case " + number + " of -Dweft.seed=" + SEED + ": " + subject + "\n" + e, e);
    }
  }

  private List<CooBlock> entries(Engine engine, StatementJob job) {
    try (StatementResult result = engine.statements().evaluate(job, ProgressListener.NONE)) {
      int axes = result.plan().grid().axes().size();
      List<CooBlock> blocks = new ArrayList<>();
      result.read(blocks::add);
      String exchange =
          result.plan().slots().stream().anyMatch(slot -> slot.route() instanceof Route.ByNeed)
              ? "by need"
              : "everywhere";
      String division = axes == 0 ? "undivided" : axes > 1 ? "grid" : exchange;
      divisions.merge(division, 1, Integer::sum);
      return blocks;
    }
  }

  /**
   * The statement along every label with an exchange and along every two labels, in an order that
   * is drawn; undivided.
   */
  private static List<StatementJob> ways(Engine engine, StatementCase subject, Random random) {
    Map<String, EngineTensor> tensors = new LinkedHashMap<>();
    subject.operands().forEach((name, operand) -> tensors.put(name, tensor(engine, name, operand)));
    Optional<EngineTensor> previous =
        subject.previous().map(operand -> tensor(engine, "Y", operand));
    List<StatementJob> ways = new ArrayList<>();
    for (String label : subject.sizes().keySet()) {
      for (Class<? extends Route> exchange : List.of(Route.ByRanges.class, Route.ByNeed.class)) {
        ways.add(job(subject, tensors, previous, label, Optional.of(exchange)));
      }
      for (String other : subject.sizes().keySet()) {
        if (other.compareTo(label) > 0) {
          ways.add(job(subject, tensors, previous, label + "," + other, Optional.empty()));
        }
      }
    }
    Collections.shuffle(ways, random);
    ways.add(job(subject, tensors, previous, "", Optional.empty()));
    return ways;
  }

  private static StatementJob job(
      StatementCase subject,
      Map<String, EngineTensor> tensors,
      Optional<EngineTensor> previous,
      String label,
      Optional<Class<? extends Route>> exchange) {
    return new StatementJob(
        LabelledStatement.parse(subject.text()),
        tensors,
        Map.of(),
        previous,
        subject.formats(),
        subject.sizes(),
        ValueType.DOUBLE,
        label,
        exchange);
  }

  private static EngineTensor tensor(Engine engine, String name, StatementCase.Operand operand) {
    synchronized (engine) {
      return engine.of(name, operand.shape(), List.of(operand.entries()), ValueType.DOUBLE);
    }
  }
}
