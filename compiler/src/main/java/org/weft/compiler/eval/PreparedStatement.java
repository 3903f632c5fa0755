package org.weft.compiler.eval;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.convert.Converter;
import org.weft.compiler.convert.KernelCalls;
import org.weft.memory.MemoryScope;
import org.weft.runtime.BoundKernel;
import org.weft.tensor.TensorStorage;

/**
 * A statement that was parsed, planned and compiled once, to be run many times over tensors of the
 * same formats and shapes. A run costs what its kernels cost and a few microseconds; {@link #bind}
 * saves these, too. Thread-safe.
 */
public final class PreparedStatement {
  private final EvaluationPlan plan;
  private final PlanRunner runner;
  private final int threads;

  PreparedStatement(EvaluationPlan plan, KernelCalls kernels, Converter converter, int threads) {
    this.plan = plan;
    this.threads = threads;
    this.runner = new PlanRunner(kernels, converter);
  }

  /** The steps of a run. */
  public EvaluationPlan plan() {
    return plan;
  }

  /**
   * The value of the statement's result, in a child of {@code parent}.
   *
   * @param operands by name, with the formats and shapes that the statement was prepared for;
   *     borrowed
   * @throws org.weft.error.WeftException as {@link Evaluator#evaluate}
   * @throws IllegalArgumentException if an operand is missing or has another format
   */
  public TensorStorage run(MemoryScope parent, Map<String, TensorStorage> operands) {
    MemoryScope temporaries = parent.child("temporaries");
    try {
      return runner.run(parent, temporaries, plan, operands, null);
    } finally {
      temporaries.close();
    }
  }

  /**
   * The statement over these tensors, to be run many times: the product of an iterative solver.
   *
   * @param result dense storage in the format that the statement was prepared for
   * @param operands as for {@link #run}; like the result borrowed until what is returned is closed
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH}, {@code OUT_OF_MEMORY}
   * @throws IllegalArgumentException as {@link #run}, or if the result is not in dense storage
   */
  public BoundStatement bind(TensorStorage result, Map<String, TensorStorage> operands) {
    EvaluationStep last = plan.steps().get(plan.steps().size() - 1);
    if (!(last instanceof EvaluationStep.Compute compute)) {
      throw new IllegalArgumentException("the result is converted, not computed in place");
    }
    if (plan.steps().size() > 1) {
      return new Steps(this, result, Map.copyOf(operands));
    }
    BoundKernel kernel = runner.bind(compute, operands, result);
    return new OneKernel(kernel, kernel.overwrites() ? null : result, threads);
  }

  /**
   * A statement without temporaries.
   *
   * @param cleared what has to hold zeros before; null if that does not matter
   */
  private record OneKernel(BoundKernel kernel, @Nullable TensorStorage cleared, int threads)
      implements BoundStatement {
    @Override
    public void run() {
      if (cleared != null) {
        cleared.clear(threads);
      }
      kernel.run();
    }

    @Override
    public void close() {
      kernel.close();
    }
  }

  /** A statement whose temporaries are made in each run. */
  private record Steps(
      PreparedStatement statement, TensorStorage result, Map<String, TensorStorage> operands)
      implements BoundStatement {
    @Override
    public void run() {
      result.clear(statement.threads);
      MemoryScope temporaries = result.scope().child("temporaries");
      try {
        statement.runner.runInto(result, temporaries, statement.plan, operands);
      } finally {
        temporaries.close();
      }
    }

    @Override
    public void close() {
      // Nothing is held between runs.
    }
  }
}
