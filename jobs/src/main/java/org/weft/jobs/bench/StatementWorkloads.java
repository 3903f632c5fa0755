package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.BoundStatement;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.PreparedStatement;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorStorage;

/**
 * Statements as workloads: planned and compiled once for each number of threads, the way {@code
 * weft eval} does it, and run from then on. What they bind is theirs until they are closed.
 */
final class StatementWorkloads implements AutoCloseable {
  private final TensorCompiler compiler;
  private final MemoryScope scope;
  private final List<Integer> threads;
  private final List<BoundStatement> bound = new ArrayList<>();

  /**
   * @param scope owner of results that each run makes
   * @param threads numbers of threads to make each workload for
   */
  StatementWorkloads(TensorCompiler compiler, MemoryScope scope, List<Integer> threads) {
    this.compiler = compiler;
    this.scope = scope;
    this.threads = List.copyOf(threads);
  }

  /** A statement whose result is dense: computed into {@code result}. */
  List<Workload> into(
      TensorStorage result, String kernel, String parameters, StatementInput input, Work work) {
    List<Workload> made = new ArrayList<>();
    for (int count : threads) {
      BoundStatement statement =
          new Evaluator(compiler, count)
              .prepare(input.withResultFormat(result.format()))
              .bind(result, input.operands());
      bound.add(statement);
      Workload.Call call =
          use -> {
            long start = System.nanoTime();
            statement.run();
            double seconds = (System.nanoTime() - start) * 1e-9;
            use.accept(result);
            return seconds;
          };
      made.add(new Workload(kernel, parameters, 0, count, work, call));
    }
    return made;
  }

  /** A statement whose result each run makes, in the format that {@code input} states. */
  List<Workload> making(String kernel, String parameters, StatementInput input, Work work) {
    Map<String, TensorStorage> operands = input.operands();
    List<Workload> made = new ArrayList<>();
    for (int count : threads) {
      PreparedStatement statement = new Evaluator(compiler, count).prepare(input);
      Workload.Call call = use -> Workload.seconds(() -> statement.run(scope, operands), use);
      made.add(new Workload(kernel, parameters, 0, count, work, call));
    }
    return made;
  }

  @Override
  public void close() {
    bound.forEach(BoundStatement::close);
  }
}
