package org.weft.engine;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.engine.distributed.Meter;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.StatementRunner;
import org.weft.planner.PlannerOptions;
import org.weft.planner.distributed.DistributedPlan;
import org.weft.planner.distributed.DistributedPlanner;
import org.weft.planner.machine.Resources;

/** Statements of index notation on an engine's tensors, which lie in parts. */
public final class Statements {
  /** Entries of the operands for each part of a reproducible plan, where they are many. */
  private static final long REPRODUCIBLE_ENTRIES = 1 << 22;

  private final Engine engine;
  private final Backend backend;
  private final EngineOptions options;

  Statements(Engine engine, Backend backend, EngineOptions options) {
    this.engine = engine;
    this.backend = backend;
    this.options = options;
  }

  /** How a statement would run; nothing does. Compiles its kernels. */
  public DistributedPlan plan(StatementJob job) {
    return new DistributedPlanner(engine.compiler(), engine.planner().options().machine())
        .plan(request(job));
  }

  /** The parts of a reproducible plan depend on the entries alone, not on the cluster. */
  private DistributedPlanner.Request request(StatementJob job) {
    Resources resources = engine.resources();
    int parts = options.planner().partitions();
    if (!options.planner().reproducible()) {
      return job.request(resources, parts);
    }
    long entries =
        job.tensors().values().stream()
            .mapToLong(tensor -> tensor.originalStatistics().entries())
            .sum();
    int tasks = PlannerOptions.REPRODUCIBLE_PARTITIONS;
    int enough = (int) Math.max(tasks, entries / REPRODUCIBLE_ENTRIES);
    long memory = resources.memoryBytesPerExecutor() / resources.tasksPerExecutor();
    return job.request(new Resources(tasks, 1, 1, memory), parts > 0 ? parts : enough);
  }

  /**
   * The value of a statement on tensors that lie in parts, in parts. Nothing that grows with
   * entries or mode sizes comes to this process.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}, {@code INVALID_EXPRESSION}, ...
   */
  public StatementResult evaluate(StatementJob job, ProgressListener progress) {
    return evaluate(job, progress, null);
  }

  /** As {@link #evaluate}, with its steps measured; see {@link StatementResult#analysis}. */
  public StatementResult analyze(StatementJob job, ProgressListener progress) {
    return evaluate(job, progress, new Meter(backend::counter));
  }

  private StatementResult evaluate(
      StatementJob job, ProgressListener progress, @Nullable Meter meter) {
    try {
      progress.step("plan " + job.statement().result(), 0, 2);
      DistributedPlan plan = plan(job);
      Map<String, Parts> operands = new HashMap<>();
      job.tensors().forEach((name, tensor) -> operands.put(name, tensor.parts()));
      job.numbers()
          .forEach(
              (name, number) ->
                  operands.put(name, placement().number(name, number, job.type()).parts()));
      Parts previous = job.previous().map(StatementOperand::parts).orElse(null);
      progress.step("compute " + job.statement().result(), 1, 2);
      StatementRunner runner =
          new StatementRunner(
              backend, engine.resources().kernelThreads(), options.planner().reproducible(), meter);
      return new StatementResult(
          job.statement().result(), plan, runner.run(plan, operands, previous), backend, meter);
    } catch (Exception e) {
      throw backend.failure(e);
    }
  }

  /** What places tensors in parts for statements. */
  public Placement placement() {
    return new Placement(backend, options.planner().partitions());
  }
}
