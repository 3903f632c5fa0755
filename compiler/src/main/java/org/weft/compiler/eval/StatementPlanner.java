package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.convert.ConversionPlan;
import org.weft.compiler.convert.Recent;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lower.LoweredKernel;
import org.weft.compiler.lower.Lowering;
import org.weft.compiler.lower.panel.Contraction;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.Width;

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
  private final PrefetchChoice prefetch;
  private final DenseCandidates.Choice dense;
  private final Recent<EvaluationStep.Compute.Request, Lowered> lowered;
  private final Set<String> names = new HashSet<>();
  private final List<EvaluationStep> steps = new ArrayList<>();
  private final Map<List<Object>, TensorVar> converted = new LinkedHashMap<>();
  private String candidates = "";

  /** A lowered kernel, or why there is none; one of the two is null. */
  record Lowered(@Nullable LoweredKernel kernel, @Nullable WeftException refusal) {}

  /**
   * @param entries stored entries of every operand, by name; those of temporaries are added
   * @param prefetch says what rows kernels ask for ahead
   * @param dense says how products of dense tensors are computed
   * @param lowered kernels that were lowered lately, of any statement
   */
  StatementPlanner(
      LabelSizes labels,
      Map<String, Double> entries,
      PrefetchChoice prefetch,
      DenseCandidates.Choice dense,
      Recent<EvaluationStep.Compute.Request, Lowered> lowered) {
    this.labels = labels;
    this.entries = entries;
    this.prefetch = prefetch;
    this.dense = dense;
    this.lowered = lowered;
    this.names.addAll(entries.keySet());
  }

  List<EvaluationStep> steps() {
    return steps;
  }

  /** A name that no tensor of the statement has. */
  String fresh(String hint) {
    String name = hint;
    for (int copy = 2; !names.add(name); copy++) {
      name = hint + "_" + copy;
    }
    return name;
  }

  /**
   * Adds the steps that compute {@code unsettled}, whose mask may have no strategy yet.
   *
   * @throws WeftException if the statement cannot be computed in any way
   */
  void add(TensorAssignment unsettled, Schedule schedule, String estimate) {
    names.add(unsettled.target().tensor().name());
    if (!isOrdinary(unsettled)) {
      addStructured(unsettled, schedule, estimate);
      return;
    }
    TensorAssignment assignment =
        new MaskChoice(new Estimates(labels, entries), entries, schedule.loopOrder())
            .settle(unsettled);
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
    addSparse(assignment, schedule, estimate);
  }

  /** Whether every tensor has one level for each mode. */
  static boolean isOrdinary(TensorAssignment assignment) {
    return assignment.target().tensor().format().isOrdinary()
        && assignment.value().accesses().stream()
            .allMatch(access -> access.tensor().format().isOrdinary());
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
    TensorAssignment plain = plainOperands(assignment);
    TensorAssignment operands = plain == null ? assignment : plain;
    if (operands.target().tensor().format().isOrdinary()) {
      add(operands, schedule, estimate);
      return;
    }
    TensorAssignment natural = naturalResult(operands);
    if (natural == null) {
      throw refusal;
    }
    add(natural, schedule, estimate);
    convertResult(natural, assignment);
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
      forget(mark);
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
        .map(whole -> whole.around(way.around()))
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
        convertOperands(
            assignment,
            access -> {
              boolean turned = way.transposed().stream().anyMatch(t -> t.id() == access.id());
              return turned
                  ? convert(access, product.asMatrix(access), "a product of matrices reads it so")
                  : access;
            });
    TensorExpr.Access target = assignment.target();
    if (!way.transposed().contains(target)) {
      return addPanels(ready, schedule, way, estimate);
    }
    TensorVar matrix =
        new TensorVar(
            fresh(target.tensor().name() + "_matrix"),
            product.asMatrix(target),
            TensorVar.Kind.RESULT);
    TensorAssignment made =
        ready.assignedTo(
            new TensorExpr.Access(target.id(), matrix, target.variables(), target.span()));
    if (!addPanels(made, schedule, way, estimate)) {
      return false;
    }
    convertResult(made, assignment);
    return true;
  }

  private boolean addDense(
      TensorAssignment assignment, Schedule schedule, DenseOrder.Choice order, String estimate) {
    int mark = steps.size();
    TensorExpr.Access transpose = order.transpose();
    TensorAssignment ready =
        transpose == null
            ? assignment
            : convertOperands(
                assignment,
                access ->
                    access.id() != transpose.id()
                        ? access
                        : convert(
                            access,
                            OperandFormats.transposed(
                                access.tensor().format(),
                                order.modeOrder().stream().mapToInt(mode -> mode).toArray()),
                            "the innermost loop then reads neighbours"));
    Schedule ordered = schedule.withLoopOrder(order.loops().toArray(String[]::new));
    if (direct(ready, ordered, estimate) == null) {
      return true;
    }
    forget(mark);
    return false;
  }

  /** Takes back the steps from {@code mark} on. */
  private void forget(int mark) {
    List<EvaluationStep> dropped = steps.subList(mark, steps.size());
    for (EvaluationStep step : dropped) {
      converted.values().removeIf(made -> made.name().equals(step.result().name()));
    }
    dropped.clear();
  }

  private void addSparse(TensorAssignment assignment, Schedule schedule, String estimate) {
    WeftException refusal = direct(assignment, schedule, estimate);
    if (refusal == null) {
      return;
    }
    int mark = steps.size();
    TensorAssignment changed = transposeOperands(assignment, schedule);
    if (changed != null) {
      if (direct(changed, schedule, estimate) == null) {
        return;
      }
    } else {
      changed = assignment;
    }
    TensorAssignment natural = naturalResult(changed);
    if (natural != null) {
      TensorAssignment ordered = transposeOperands(natural, schedule);
      natural = ordered == null ? natural : ordered;
      if (direct(natural, schedule, estimate) == null) {
        convertResult(natural, assignment);
        return;
      }
    }
    TensorAssignment plain = plainOperands(changed);
    if (plain != null) {
      TensorAssignment ordered = transposeOperands(plain, schedule);
      plain = ordered == null ? plain : ordered;
      if (direct(plain, schedule, estimate) == null) {
        return;
      }
      natural = naturalResult(plain);
      ordered = natural == null ? null : transposeOperands(natural, schedule);
      natural = ordered == null ? natural : ordered;
      if (natural != null && direct(natural, schedule, estimate) == null) {
        convertResult(natural, assignment);
        return;
      }
    }
    forget(mark);
    throw refusal;
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

  private @Nullable TensorAssignment transposeOperands(
      TensorAssignment assignment, Schedule schedule) {
    boolean ordinary =
        assignment.target().tensor().format().isOrdinary()
            && assignment.value().accesses().stream()
                .allMatch(access -> access.tensor().format().isOrdinary());
    if (!ordinary) {
      return null;
    }
    IterationGraph graph = IterationGraph.of(assignment, schedule.loopOrder());
    Map<Integer, int[]> modeOrders =
        OperandFormats.transpositions(
            assignment,
            graph,
            access -> entries.getOrDefault(access.tensor().name(), Double.MAX_VALUE));
    if (modeOrders.isEmpty()) {
      return null;
    }
    return convertOperands(
        assignment,
        access -> {
          int[] order = modeOrders.get(access.id());
          if (order == null) {
            return access;
          }
          String reason =
              "no loop order serves the operands as they are stored; of these, "
                  + access.tensor()
                  + " is the cheapest to transpose";
          TensorFormat format = access.tensor().format();
          TensorFormat target =
              isPlain(format) && (format.isDense() || !endsFull(format))
                  ? OperandFormats.transposed(format, order)
                  : compressed(access, order);
          return convert(access, target, reason);
        });
  }

  private @Nullable TensorAssignment plainOperands(TensorAssignment assignment) {
    if (assignment.value().accesses().stream().allMatch(a -> isPlain(a.tensor().format()))) {
      return null;
    }
    return convertOperands(
        assignment,
        access ->
            isPlain(access.tensor().format())
                ? access
                : convert(
                    access,
                    compressed(access, access.tensor().format().modeOrder()),
                    "a loop of the statement cannot walk or locate its levels"));
  }

  private TensorFormat compressed(TensorExpr.Access access, int[] modeOrder) {
    TensorVar tensor = access.tensor();
    TensorShape shape = labels.shape(access.variables());
    return narrow(
        TensorFormat.csf(tensor.format().order(), tensor.format().valueType())
            .withModeOrder(modeOrder),
        shape);
  }

  /** Coordinates as narrow as the shape allows; positions are not known and stay wide. */
  static TensorFormat narrow(TensorFormat format, TensorShape shape) {
    TensorFormat narrow = format;
    for (int level = 0; format.isOrdinary() && level < format.order(); level++) {
      long largest = Math.max(0, shape.size(format.modeOf(level)) - 1);
      narrow =
          narrow.withLevelWidths(
              level, format.level(level).posWidth(), Width.narrowestFor(largest));
    }
    return narrow;
  }

  private static TensorAssignment convertOperands(
      TensorAssignment assignment, UnaryOperator<TensorExpr.Access> convert) {
    TensorMask mask = assignment.mask();
    TensorAssignment changed = assignment.withValue(replace(assignment.value(), convert));
    return mask == null
        ? changed
        : changed.withMask(new TensorMask(convert.apply(mask.access()), mask.strategy()));
  }

  /** {@code expr} with every access replaced. */
  static TensorExpr replace(TensorExpr expr, UnaryOperator<TensorExpr.Access> change) {
    return expr instanceof TensorExpr.Access access
        ? change.apply(access)
        : expr.mapChildren(child -> replace(child, change));
  }

  /** The statement with padded operands whose zeros would show converted to their nonzeros. */
  TensorAssignment unpadded(TensorAssignment assignment) {
    Set<Integer> shown = Padding.shown(assignment);
    return shown.isEmpty()
        ? assignment
        : convertOperands(
            assignment,
            access -> {
              if (!shown.contains(access.id())) {
                return access;
              }
              TensorFormat from = access.tensor().format();
              TensorFormat to = compressed(access, from.modeOrder());
              TensorShape shape = labels.shape(access.variables());
              return convert(
                  access,
                  ConversionPlan.ofNonzeros(from, to, shape),
                  "the statement would see the zeros that fill it up");
            });
  }

  private TensorExpr.Access convert(TensorExpr.Access access, TensorFormat to, String reason) {
    TensorShape shape = labels.shape(access.variables());
    return convert(access, ConversionPlan.ofStored(access.tensor().format(), to, shape), reason);
  }

  private TensorExpr.Access convert(
      TensorExpr.Access access, ConversionPlan conversion, String reason) {
    TensorVar source = access.tensor();
    TensorFormat to = conversion.to();
    TensorVar result =
        converted.computeIfAbsent(
            List.of(source.name(), conversion),
            key -> {
              TensorVar made =
                  new TensorVar(fresh(source.name() + suffix(to)), to, TensorVar.Kind.OPERAND);
              entries.put(made.name(), entries.getOrDefault(source.name(), Double.MAX_VALUE));
              steps.add(new EvaluationStep.Convert(source, made, conversion, reason));
              return made;
            });
    return new TensorExpr.Access(access.id(), result, access.variables(), access.span());
  }

  private static String suffix(TensorFormat format) {
    return Arrays.stream(format.modeOrder())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining("", "_", ""));
  }

  /** The statement with a result of compressed levels, or null when the result is plain already. */
  private @Nullable TensorAssignment naturalResult(TensorAssignment assignment) {
    TensorExpr.Access target = assignment.target();
    TensorFormat format = target.tensor().format();
    TensorFormat natural =
        narrow(
            TensorFormat.csf(format.order(), format.valueType()).withModeOrder(format.modeOrder()),
            labels.shape(target.variables()));
    if (format.order() == 0 || natural.equals(format) || assignment.accumulate()) {
      return null;
    }
    TensorVar tensor =
        new TensorVar(fresh(target.tensor().name() + "_csf"), natural, TensorVar.Kind.RESULT);
    return assignment.assignedTo(
        new TensorExpr.Access(target.id(), tensor, target.variables(), target.span()));
  }

  /** The statement with a result of the type that it computes in. */
  TensorAssignment widened(TensorAssignment assignment) {
    TensorExpr.Access target = assignment.target();
    TensorFormat format = target.tensor().format().withValueType(assignment.type());
    TensorVar tensor =
        new TensorVar(fresh(target.tensor().name() + "_wide"), format, TensorVar.Kind.RESULT);
    return assignment.assignedTo(
        new TensorExpr.Access(target.id(), tensor, target.variables(), target.span()));
  }

  private void convertResult(TensorAssignment natural, TensorAssignment wanted) {
    TensorFormat format = wanted.target().tensor().format();
    convertResult(
        natural, wanted, "a kernel cannot assemble " + format + " in the order of its loops");
  }

  void convertResult(TensorAssignment natural, TensorAssignment wanted, String reason) {
    TensorVar source = natural.target().tensor();
    TensorVar result = wanted.target().tensor();
    TensorShape shape = labels.shape(wanted.target().variables());
    steps.add(
        new EvaluationStep.Convert(
            source,
            result,
            ConversionPlan.ofStored(source.format(), result.format(), shape),
            reason));
  }

  /** Whether the format, its modes in another order, might store cells that it does not store. */
  private static boolean endsFull(TensorFormat format) {
    return format.order() > 0 && format.level(format.order() - 1).properties().full();
  }

  /** Whether the levels are dense, compressed or singleton, in order: loops can walk them all. */
  static boolean isPlain(TensorFormat format) {
    return format.isOrdinary()
        && format.levels().stream()
            .allMatch(
                level ->
                    Set.of("D", "CU", "CN", "S").contains(level.format().symbol())
                        && level.properties().equals(level.format().properties()));
  }
}
