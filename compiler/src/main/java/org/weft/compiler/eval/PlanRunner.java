package org.weft.compiler.eval;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.convert.Converter;
import org.weft.compiler.convert.KernelCalls;
import org.weft.compiler.lower.Lowering;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.runtime.BoundKernel;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.Width;

/** Runs the steps of a plan. A temporary is freed after the last step that reads it. */
record PlanRunner(KernelCalls kernels, Converter converter) {
  /**
   * The result of the last step, in a child of {@code parent}.
   *
   * @param temporaries owner of all other results, which the caller closes
   * @param previous what a result that is updated in place holds before
   */
  TensorStorage run(
      MemoryScope parent,
      MemoryScope temporaries,
      EvaluationPlan plan,
      Map<String, TensorStorage> operands,
      @Nullable TensorStorage previous) {
    Map<String, TensorStorage> known = untilLast(temporaries, plan, operands);
    List<EvaluationStep> steps = plan.steps();
    return last(parent, steps.get(steps.size() - 1), known, previous);
  }

  /** Runs all steps but the last one; what the last one needs is known then. */
  private Map<String, TensorStorage> untilLast(
      MemoryScope temporaries, EvaluationPlan plan, Map<String, TensorStorage> operands) {
    Map<String, TensorStorage> known = new HashMap<>(operands);
    List<EvaluationStep> steps = plan.steps();
    for (int at = 0; at < steps.size() - 1; at++) {
      EvaluationStep step = steps.get(at);
      known.put(step.result().name(), run(temporaries, step, known, null));
      free(steps.subList(at + 1, steps.size()), operands.keySet(), known);
    }
    return known;
  }

  /** As {@link #run} of a plan that ends with a kernel, into {@code result}, which holds zeros. */
  void runInto(
      TensorStorage result,
      MemoryScope temporaries,
      EvaluationPlan plan,
      Map<String, TensorStorage> operands) {
    Map<String, TensorStorage> known = untilLast(temporaries, plan, operands);
    List<EvaluationStep> steps = plan.steps();
    try (BoundKernel last =
        bind((EvaluationStep.Compute) steps.get(steps.size() - 1), known, result)) {
      last.run();
    }
  }

  /** The kernel of a step, to be run over {@code operands} into {@code result}. */
  BoundKernel bind(
      EvaluationStep.Compute step, Map<String, TensorStorage> operands, TensorStorage result) {
    return kernels.bind(step.request(), step::kernel, read(step, operands), result);
  }

  private static Map<String, TensorStorage> read(
      EvaluationStep.Compute step, Map<String, TensorStorage> known) {
    Map<String, TensorStorage> operands = new HashMap<>();
    for (String name : reads(step)) {
      operands.put(name, require(known, name));
    }
    return operands;
  }

  /** The last step, again with wider arrays when the result outgrows them. */
  private TensorStorage last(
      MemoryScope parent,
      EvaluationStep step,
      Map<String, TensorStorage> known,
      @Nullable TensorStorage previous) {
    EvaluationStep attempt = step;
    while (true) {
      try {
        return run(parent, attempt, known, previous);
      } catch (WeftException e) {
        TensorFormat format = attempt.result().format();
        TensorFormat wider = wider(format);
        if (e.code() != ErrorCode.WIDTH_OVERFLOW || wider.equals(format)) {
          throw e;
        }
        attempt = inFormat(attempt, wider);
      }
    }
  }

  private static TensorFormat wider(TensorFormat format) {
    TensorFormat wider = format;
    for (int level = 0; level < format.levels().size(); level++) {
      LevelSpec spec = format.level(level);
      wider = wider.withLevelWidths(level, wider(spec.posWidth()), wider(spec.crdWidth()));
    }
    return wider;
  }

  private static Width wider(Width width) {
    return Width.values()[Math.min(width.ordinal() + 1, Width.values().length - 1)];
  }

  private static EvaluationStep inFormat(EvaluationStep step, TensorFormat format) {
    TensorVar result = new TensorVar(step.result().name(), format, step.result().kind());
    if (step instanceof EvaluationStep.Convert convert) {
      return new EvaluationStep.Convert(
          convert.source(), result, convert.plan().into(format), convert.reason());
    }
    EvaluationStep.Compute compute = (EvaluationStep.Compute) step;
    TensorExpr.Access target = compute.algebra().target();
    TensorAssignment algebra = compute.algebra().assignedTo(target.of(result));
    return new EvaluationStep.Compute(
        algebra,
        Lowering.lower("statement", algebra, compute.schedule()),
        compute.schedule(),
        compute.shape(),
        compute.estimate(),
        compute.candidates());
  }

  private TensorStorage run(
      MemoryScope parent,
      EvaluationStep step,
      Map<String, TensorStorage> known,
      @Nullable TensorStorage previous) {
    if (step instanceof EvaluationStep.Convert convert) {
      TensorStorage source = require(known, convert.source().name());
      return converter.run(parent, source, convert.plan());
    }
    EvaluationStep.Compute compute = (EvaluationStep.Compute) step;
    return kernels.run(
        parent,
        compute.request(),
        compute::kernel,
        read(compute, known),
        compute.shape(),
        previous);
  }

  private static TensorStorage require(Map<String, TensorStorage> known, String name) {
    TensorStorage storage = known.get(name);
    if (storage == null) {
      throw new IllegalStateException("no tensor " + name + " among " + known.keySet());
    }
    return storage;
  }

  private static Set<String> reads(EvaluationStep step) {
    if (step instanceof EvaluationStep.Convert convert) {
      return Set.of(convert.source().name());
    }
    return ((EvaluationStep.Compute) step)
        .algebra().value().accesses().stream()
            .map(access -> access.tensor().name())
            .collect(Collectors.toSet());
  }

  private static void free(
      List<EvaluationStep> rest, Set<String> borrowed, Map<String, TensorStorage> known) {
    Set<String> needed = new HashSet<>(borrowed);
    rest.forEach(step -> needed.addAll(reads(step)));
    for (String name : List.copyOf(known.keySet())) {
      if (!needed.contains(name)) {
        require(known, name).close();
        known.remove(name);
      }
    }
  }
}
