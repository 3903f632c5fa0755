package org.weft.compiler.eval;

import java.util.stream.Collectors;
import org.weft.compiler.Directive;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.convert.ConversionPlan;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.tensor.TensorShape;

/** One step of an evaluation; prints itself as lines of an explanation. */
public sealed interface EvaluationStep {
  /** The tensor that the step makes. */
  TensorVar result();

  /** A tensor in another format. */
  record Convert(TensorVar source, TensorVar result, ConversionPlan plan, String reason)
      implements EvaluationStep {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append("convert ").append(source).append(" from ").append(source.format());
      text.append(" to ").append(result.format()).append(" as ").append(result);
      text.append(": ").append(reason).append('\n');
      plan.steps().forEach(step -> text.append("  ").append(step).append('\n'));
      return text.toString();
    }
  }

  /**
   * A compiled kernel.
   *
   * @param candidates ways to compute a dense product, and why one was taken; mostly empty
   */
  record Compute(
      TensorAssignment algebra,
      LoweredKernel kernel,
      Schedule schedule,
      TensorShape shape,
      String estimate,
      String candidates)
      implements EvaluationStep {
    /** What the kernel follows from. */
    record Request(TensorAssignment algebra, Schedule schedule) {}

    Request request() {
      return new Request(algebra, schedule);
    }

    @Override
    public TensorVar result() {
      return algebra.target().tensor();
    }

    private String constants() {
      return algebra.constantSizes().entrySet().stream()
          .map(size -> ", with " + size.getKey() + " = " + size.getValue() + " compiled in")
          .sorted()
          .collect(Collectors.joining());
    }

    private String panels() {
      return schedule.directives().stream()
          .filter(each -> !(each instanceof Directive.ParallelOutermost))
          .map(Directive::toString)
          .collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
      return "compute "
          + algebra
          + " into "
          + result().format()
          + constants()
          + schedule.gemm().map(gemm -> ", in packed panels by " + panels()).orElse("")
          + (estimate.isEmpty() ? "" : ", " + estimate)
          + "\n"
          + candidates;
    }
  }
}
