package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.convert.Recent;
import org.weft.compiler.eval.prefetch.PrefetchChoice;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.compiler.lower.Lowering;
import org.weft.compiler.lower.panel.Contraction;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;

/**
 * Turns one assignment into steps that the compiler can make kernels of. What lowering refuses is
 * solved by conversions, tried in this order: operands that no common loop order serves are
 * transposed; a result that cannot be assembled is computed into compressed levels and converted;
 * operands in formats that a loop cannot walk there are converted to compressed levels. If nothing
 * helps, the first error stands.
 */
final class StatementPlanner {
  private static final String SYMBOL = "statement";

  private final LabelSizes labels;
  private final Map<String, Double> entries;
  private final Function<String, Optional<ModeCounts>> counts;
  private final PrefetchChoice prefetch;
  private final DenseCandidates.Choice dense;
  private final boolean eager;
  private final Recent<EvaluationStep.Compute.Request, Lowered> lowered;
  private final List<EvaluationStep> steps = new ArrayList<>();
  private final Conversions conversions;
  private String candidates = "";

  /** A lowered kernel, or why there is none; one of the two is null. */
  record Lowered(@Nullable LoweredKernel kernel, @Nullable WeftException refusal) {}

  /**
   * @param entries stored entries of every operand, by name; those of temporaries are added
   * @param counts of an operand by name, where its entries can be counted
   * @param prefetch says what rows kernels ask for ahead
   * @param dense says how products of dense tensors are computed
   * @param eager whether operands are transposed also where that saves little
   * @param lowered kernels that were lowered lately, of any statement
   */
  StatementPlanner(
      LabelSizes labels,
      Map<String, Double> entries,
      Function<String, Optional<ModeCounts>> counts,
      PrefetchChoice prefetch,
      DenseCandidates.Choice dense,
      boolean eager,
      Recent<EvaluationStep.Compute.Request, Lowered> lowered) {
    this.labels = labels;
    this.entries = entries;
    this.counts = counts;
    this.prefetch = prefetch;
    this.dense = dense;
    this.eager = eager;
    this.lowered = lowered;
    this.conversions = new Conversions(labels, entries, steps);
  }

  List<EvaluationStep> steps() {
    return steps;
  }

  /** The conversions among the steps. */
  Conversions conversions() {
    return conversions;
  }

  /**
   * Adds the steps that compute {@code unsettled}, whose mask may have no strategy yet.
   *
   * @throws WeftException if the statement cannot be computed in any way
   */
  void add(TensorAssignment unsettled, Schedule schedule, String estimate) {
    conversions.reserve(unsettled.target().tensor().name());
    if (!Conversions.isOrdinary(unsettled)) {
      addStructured(unsettled, schedule, estimate);
      return;
    }
    TensorAssignment assignment =
        OperandOrders.settled(unsettled, schedule.loopOrder(), labels, entries, counts);
    if (schedule.equals(Schedule.parallel()) && addProduct(assignment, schedule, estimate)) {
      return;
    }
    DenseOrder.Choice order =
        schedule.equals(Schedule.parallel())
            ? DenseOrder.of(assignment, new Estimates(labels, entries))
            : null;
    if (order != null && addDense(assignment, schedule, order, estimate)) {
      return;
    }
    addSparse(unsettled, assignment, schedule, estimate);
  }

  /**
   * Blocked, ELL and DIA tensors: as they are where a kernel can walk them, else computed without
   * them and converted.
   */
  private void addStructured(TensorAssignment assignment, Schedule schedule, String estimate) {
    WeftException refusal = direct(assignment, schedule, estimate);
    if (refusal == null) {
      return;
    }
    TensorAssignment plain = conversions.plainOperands(assignment);
    TensorAssignment operands = plain == null ? assignment : plain;
    if (operands.target().tensor().format().isOrdinary()) {
      add(operands, schedule, estimate);
      return;
    }
    TensorAssignment natural = conversions.naturalResult(operands);
    if (natural == null) {
      addApart(operands, schedule, estimate);
      return;
    }
    add(natural, schedule, estimate);
    conversions.convertResult(natural, assignment);
  }

  /** What is added to a blocked result is computed without its blocks first. */
  private void addApart(TensorAssignment sum, Schedule schedule, String estimate) {
    TensorExpr.Access target = sum.target();
    TensorFormat format =
        TensorFormat.dense(target.variables().size(), target.tensor().format().valueType());
    String name = conversions.fresh(target.tensor().name() + "_part");
    TensorVar part = new TensorVar(name, format, TensorVar.Kind.RESULT);
    entries.put(name, new Estimates(labels, entries).cells(target.variables()));
    add(sum.assignedTo(target.of(part)), schedule, estimate);
    TensorVar operand = new TensorVar(name, format, TensorVar.Kind.OPERAND);
    TensorExpr added =
        new TensorExpr.Access(target.id() + 1, operand, target.variables(), target.span());
    WeftException refusal =
        direct(new TensorAssignment(target, true, added, Map.of()), Schedule.parallel(), "");
    if (refusal != null) {
      throw refusal;
    }
  }

  /** The product of dense tensors in the way that is expected to be fastest. */
  private boolean addProduct(TensorAssignment assignment, Schedule schedule, String estimate) {
    Estimates estimates = new Estimates(labels, entries);
    List<DenseCandidates.Candidate> ways = dense.of(assignment, estimates);
    if (ways.isEmpty() || !ways.get(0).panels()) {
      return false;
    }
    candidates = DenseCandidates.explain(ways);
    int mark = steps.size();
    boolean added =
        ways.get(0).transposed().isEmpty()
            ? addPanels(assignment, schedule, ways.get(0), estimate)
            : addMatrices(assignment, schedule, ways.get(0), estimate);
    if (!added) {
      conversions.forget(mark);
    }
    candidates = "";
    return added;
  }

  private boolean addPanels(
      TensorAssignment assignment,
      Schedule schedule,
      DenseCandidates.Candidate way,
      String estimate) {
    int bytes = assignment.type().elementType().bytes();
    Estimates estimates = new Estimates(labels, entries);
    return Contraction.of(assignment)
        .map(whole -> way.lanes().map(whole::withLanes).orElse(whole).around(way.around()))
        .map(
            inside ->
                DenseCandidates.schedule(
                    schedule, inside, way, estimates, dense.vectorBits(), bytes))
        .map(panels -> direct(assignment, panels, estimate) == null)
        .orElse(false);
  }

  /** Tensors that are no matrices are copied so that they are, before and after the product. */
  private boolean addMatrices(
      TensorAssignment assignment,
      Schedule schedule,
      DenseCandidates.Candidate way,
      String estimate) {
    Contraction product = Contraction.of(assignment).orElseThrow();
    TensorAssignment ready =
        Conversions.convertOperands(
            assignment,
            access -> {
              boolean turned = way.transposed().stream().anyMatch(t -> t.id() == access.id());
              return turned
                  ? conversions.convert(
                      access, product.asMatrix(access), "a product of matrices reads it so")
                  : access;
            });
    TensorExpr.Access target = assignment.target();
    if (!way.transposed().contains(target)) {
      return addPanels(ready, schedule, way, estimate);
    }
    String name = conversions.fresh(target.tensor().name() + "_matrix");
    TensorFormat format = product.asMatrix(target);
    TensorVar matrix = new TensorVar(name, format, TensorVar.Kind.RESULT);
    TensorAssignment made = ready.assignedTo(target.of(matrix));
    if (!addPanels(made, schedule, way, estimate)) {
      return false;
    }
    candidates = "";
    TensorExpr copy =
        new TensorExpr.Access(
            target.id() + 1,
            new TensorVar(name, format, TensorVar.Kind.OPERAND),
            target.variables(),
            target.span());
    entries.put(name, new Estimates(labels, entries).cells(target.variables()));
    add(new TensorAssignment(target, false, copy, Map.of()), schedule, "");
    return true;
  }

  private boolean addDense(
      TensorAssignment assignment, Schedule schedule, DenseOrder.Choice order, String estimate) {
    int mark = steps.size();
    TensorExpr.Access transpose = order.transpose();
    TensorAssignment ready =
        transpose == null
            ? assignment
            : Conversions.convertOperands(
                assignment,
                access ->
                    access.id() != transpose.id()
                        ? access
                        : conversions.convert(
                            access,
                            OperandFormats.transposed(
                                access.tensor().format(),
                                order.modeOrder().stream().mapToInt(mode -> mode).toArray()),
                            "the innermost loop then reads neighbours"));
    Schedule ordered = schedule.withLoopOrder(order.loops().toArray(String[]::new));
    if (direct(ready, ordered, estimate) == null) {
      return true;
    }
    conversions.forget(mark);
    return false;
  }

  private void addSparse(
      TensorAssignment unsettled, TensorAssignment assignment, Schedule schedule, String estimate) {
    int mark = steps.size();
    if (schedule.loopOrder().isEmpty()) {
      Optional<OperandOrders.Choice> better =
          OperandOrders.of(unsettled, labels, entries, counts, eager);
      if (better.isPresent() && addTransposed(better.get(), schedule, estimate)) {
        return;
      }
      conversions.forget(mark);
    }
    WeftException refusal = direct(assignment, schedule, estimate);
    if (refusal == null) {
      return;
    }
    TensorAssignment changed = conversions.transposeOperands(assignment, schedule);
    if (changed != null) {
      if (direct(changed, schedule, estimate) == null) {
        return;
      }
    } else {
      changed = assignment;
    }
    TensorAssignment natural = conversions.naturalResult(changed);
    if (natural != null) {
      TensorAssignment ordered = conversions.transposeOperands(natural, schedule);
      natural = ordered == null ? natural : ordered;
      if (direct(natural, schedule, estimate) == null) {
        conversions.convertResult(natural, assignment);
        return;
      }
    }
    TensorAssignment plain = conversions.plainOperands(changed);
    if (plain != null) {
      TensorAssignment ordered = conversions.transposeOperands(plain, schedule);
      plain = ordered == null ? plain : ordered;
      if (direct(plain, schedule, estimate) == null) {
        return;
      }
      natural = conversions.naturalResult(plain);
      ordered = natural == null ? null : conversions.transposeOperands(natural, schedule);
      natural = ordered == null ? natural : ordered;
      if (natural != null && direct(natural, schedule, estimate) == null) {
        conversions.convertResult(natural, assignment);
        return;
      }
    }
    conversions.forget(mark);
    throw refusal;
  }

  private boolean addTransposed(OperandOrders.Choice better, Schedule schedule, String estimate) {
    String reason =
        String.format(
            Locale.ROOT,
            "about %.2g iterations instead of %.2g",
            better.iterations(),
            better.stored());
    TensorAssignment ready =
        conversions.transposed(better.assignment(), better.modeOrders(), reason);
    return direct(ready, schedule, estimate) == null;
  }

  private @Nullable WeftException direct(
      TensorAssignment general, Schedule schedule, String estimate) {
    TensorAssignment assignment = ConstantSizes.of(general, labels, entries);
    Lowered found = lowered(assignment, schedule);
    if (found.kernel() != null) {
      List<PrefetchChoice.Choice> choices =
          schedule.equals(Schedule.parallel()) ? prefetch.of(found.kernel().lookups()) : List.of();
      Schedule chosen = schedule;
      String note = estimate;
      for (PrefetchChoice.Choice choice : choices) {
        chosen = chosen.with(choice.directive());
        note += (note.isEmpty() ? "" : ", ") + choice;
      }
      LoweredKernel kernel = choices.isEmpty() ? null : lowered(assignment, chosen).kernel();
      steps.add(
          new EvaluationStep.Compute(
              assignment,
              kernel == null ? found.kernel() : kernel,
              kernel == null ? schedule : chosen,
              labels.shape(assignment.target().variables()),
              kernel == null ? estimate : note,
              candidates));
    }
    return found.refusal();
  }

  private Lowered lowered(TensorAssignment assignment, Schedule schedule) {
    return lowered.get(
        new EvaluationStep.Compute.Request(assignment, schedule), StatementPlanner::lower);
  }

  private static Lowered lower(EvaluationStep.Compute.Request request) {
    try {
      return new Lowered(Lowering.lower(SYMBOL, request.algebra(), request.schedule()), null);
    } catch (WeftException e) {
      boolean solvable =
          e.code() == ErrorCode.INVALID_FORMAT
              || e.code() == ErrorCode.UNSUPPORTED_OPERATION
              || e.code() == ErrorCode.CONVERSION_REQUIRED;
      if (!solvable) {
        throw e;
      }
      return new Lowered(null, e);
    }
  }
}
