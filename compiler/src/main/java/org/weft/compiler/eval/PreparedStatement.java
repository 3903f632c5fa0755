package org.weft.compiler.eval;

import java.util.Map;
import org.weft.compiler.convert.Converter;
import org.weft.compiler.convert.KernelCall;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorStorage;

/**
 * A statement that was parsed, planned and compiled once, to be run many times over tensors of the
 * same formats and shapes: an iterative solver's product, a benchmark. A run costs what its kernels
 * cost and a few microseconds. Thread-safe.
 */
public final class PreparedStatement {
  private final EvaluationPlan plan;
  private final PlanRunner runner;
  private final int threads;

  PreparedStatement(EvaluationPlan plan, KernelCall kernels, Converter converter, int threads) {
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
   * Computes the statement into {@code result}, whose former values are lost.
   *
   * @param result dense storage in the format that the statement was prepared for
   * @throws org.weft.error.WeftException {@code OUT_OF_MEMORY}; then the result is unspecified
   * @throws IllegalArgumentException as {@link #run}, or if the result is not in dense storage
   */
  public void runInto(TensorStorage result, Map<String, TensorStorage> operands) {
    result.clear(threads);
    runOnto(result, operands);
  }

  /** As {@link #runInto}, where {@code result} holds zeros. */
  public void runOnto(TensorStorage result, Map<String, TensorStorage> operands) {
    MemoryScope temporaries = result.scope().child("temporaries");
    try {
      runner.runInto(result, temporaries, plan, operands);
    } finally {
      temporaries.close();
    }
  }
}
