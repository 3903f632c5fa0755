package org.weft.compiler.eval;

import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
import org.weft.compiler.graph.IterationGraph;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.Width;

/**
 * Gives tensors of a statement other formats, by steps that convert them. An operand is converted
 * once to each format.
 */
final class Conversions {
  private final LabelSizes labels;
  private final Map<String, Double> entries;
  private final List<EvaluationStep> steps;
  private final Set<String> names = new HashSet<>();
  private final Map<List<Object>, TensorVar> converted = new LinkedHashMap<>();

  /**
   * @param entries stored entries of every operand, by name; those of converted operands are added
   * @param steps the steps of the plan, to which conversions are added
   */
  Conversions(LabelSizes labels, Map<String, Double> entries, List<EvaluationStep> steps) {
    this.labels = labels;
    this.entries = entries;
    this.steps = steps;
    this.names.addAll(entries.keySet());
  }

  /** Keeps a name from being used for another tensor. */
  void reserve(String name) {
    names.add(name);
  }

  /** A name that no tensor of the statement has. */
  String fresh(String hint) {
    String name = hint;
    for (int copy = 2; !names.add(name); copy++) {
      name = hint + "_" + copy;
    }
    return name;
  }

  /** Whether every tensor has one level for each mode. */
  static boolean isOrdinary(TensorAssignment assignment) {
    return assignment.target().tensor().format().isOrdinary()
        && assignment.value().accesses().stream()
            .allMatch(access -> access.tensor().format().isOrdinary());
  }

  /** Takes back the steps from {@code mark} on. */
  void forget(int mark) {
    List<EvaluationStep> dropped = steps.subList(mark, steps.size());
    for (EvaluationStep step : dropped) {
      converted.values().removeIf(made -> made.name().equals(step.result().name()));
    }
    dropped.clear();
  }

  @Nullable TensorAssignment transposeOperands(TensorAssignment assignment, Schedule schedule) {
    if (!isOrdinary(assignment)) {
      return null;
    }
    IterationGraph graph = IterationGraph.of(assignment, schedule.loopOrder());
    Map<Integer, int[]> modeOrders =
        OperandFormats.transpositions(
            assignment,
            graph,
            access -> entries.getOrDefault(access.tensor().name(), Double.MAX_VALUE));
    return modeOrders.isEmpty()
        ? null
        : transposed(
            assignment,
            modeOrders,
            "no loop order serves the operands as they are stored; of these, %s is the cheapest to"
                + " transpose");
  }

  /**
   * The statement with operands in other mode orders.
   *
   * @param modeOrders by the access's id
   * @param reason a pattern of which the operand is the argument
   */
  TensorAssignment transposed(
      TensorAssignment assignment, Map<Integer, int[]> modeOrders, String reason) {
    return convertOperands(
        assignment,
        access -> {
          int[] order = modeOrders.get(access.id());
          return order == null
              ? access
              : convert(
                  access,
                  transposed(access, order),
                  String.format(Locale.ROOT, reason, access.tensor()));
        });
  }

  /**
   * The operand's format with its modes in another order: the same levels, unless a dense one would
   * come to stand for a mode that is mostly empty, or would store cells that the operand does not.
   */
  private TensorFormat transposed(TensorExpr.Access access, int[] order) {
    TensorFormat format = access.tensor().format();
    if (isPlain(format) && (format.isDense() || !endsFull(format))) {
      TensorFormat same = OperandFormats.transposed(format, order);
      double stored = entries.getOrDefault(access.tensor().name(), Double.MAX_VALUE);
      if (format.isDense() || same.hasFewPositions(labels.shape(access.variables()), stored)) {
        return same;
      }
    }
    return compressed(access, order);
  }

  @Nullable TensorAssignment plainOperands(TensorAssignment assignment) {
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

  static TensorAssignment convertOperands(
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

  TensorExpr.Access convert(TensorExpr.Access access, TensorFormat to, String reason) {
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
    return access.of(result);
  }

  private static String suffix(TensorFormat format) {
    return Arrays.stream(format.modeOrder())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining("", "_", ""));
  }

  /** The statement with a result of compressed levels, or null when the result is plain already. */
  @Nullable TensorAssignment naturalResult(TensorAssignment assignment) {
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
    return assignment.assignedTo(target.of(tensor));
  }

  /** The statement with a result of the type that it computes in. */
  TensorAssignment widened(TensorAssignment assignment) {
    TensorExpr.Access target = assignment.target();
    TensorFormat format = target.tensor().format().withValueType(assignment.type());
    TensorVar tensor =
        new TensorVar(fresh(target.tensor().name() + "_wide"), format, TensorVar.Kind.RESULT);
    return assignment.assignedTo(target.of(tensor));
  }

  void convertResult(TensorAssignment natural, TensorAssignment wanted) {
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
