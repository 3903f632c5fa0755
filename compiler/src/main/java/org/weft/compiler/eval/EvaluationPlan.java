package org.weft.compiler.eval;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.compiler.algebra.TensorVar;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MachineMemory;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.text.Bytes;

/**
 * How a statement is evaluated: the steps in order, the last of which makes the result.
 *
 * @param statement the statement as algebra
 * @param notes what was considered on the way, one line each: contraction orders and their costs
 */
public record EvaluationPlan(String statement, List<String> notes, List<EvaluationStep> steps) {
  /** Bytes of which nobody has to ask. */
  private static final double ANY_MACHINE = 1 << 28;

  public EvaluationPlan {
    notes = List.copyOf(notes);
    steps = List.copyOf(steps);
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("a plan without steps");
    }
  }

  /** The tensor that the statement assigns to. */
  public TensorVar result() {
    return steps.get(steps.size() - 1).result();
  }

  /**
   * Refuses a plan whose result does not fit the machine, whatever entries it gets: its outer
   * levels store every coordinate.
   *
   * @param operands shapes by name
   * @param values that the result is expected to have
   * @throws WeftException {@code OUT_OF_MEMORY}
   */
  void requireMemory(Map<String, TensorShape> operands, double values) {
    Map<String, TensorShape> shapes = new HashMap<>(operands);
    for (EvaluationStep step : steps) {
      TensorShape shape =
          step instanceof EvaluationStep.Convert convert
              ? shapes.get(convert.source().name())
              : ((EvaluationStep.Compute) step).shape();
      if (shape != null) {
        shapes.put(step.result().name(), shape);
      }
    }
    TensorShape made = shapes.get(result().name());
    if (made != null) {
      requireMemory(result(), made, values);
    }
  }

  private static void requireMemory(TensorVar tensor, TensorShape shape, double values) {
    TensorFormat format = tensor.format();
    double positions = 1;
    int level = 0;
    while (level < format.levelCount()
        && !format.coordinate(level).isCounted()
        && format.level(level).properties().full()) {
      positions *= format.levelSize(shape, level);
      level++;
    }
    boolean all = level == format.levelCount();
    if (level == 0 || !all && !format.level(level).format().hasPos()) {
      return;
    }
    int each = all ? format.valueType().bytes() : format.level(level).posWidth().bytes();
    double bytes = positions * each;
    if (bytes > ANY_MACHINE && bytes > MachineMemory.totalBytes()) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "%s: a result of %s in the format %s needs %s, as its level %d stores every"
                  + " coordinate, and this machine has %s; %s",
              tensor.name(),
              shape,
              format,
              Bytes.text(bytes),
              level,
              Bytes.text(MachineMemory.totalBytes()),
              advice(tensor, values)));
    }
  }

  private static String advice(TensorVar tensor, double values) {
    TensorFormat format = tensor.format();
    if (values * format.valueType().bytes() > MachineMemory.totalBytes()) {
      return String.format(
          Locale.ROOT,
          "no format helps, as about %.3g cells have values: compute fewer, by a mask such as"
              + " %s(...)<M(...)>, or use a larger machine",
          values,
          tensor.name());
    }
    return "choose a format that stores the coordinates of entries alone there: --format "
        + tensor.name()
        + (format.order() == 2 ? "=DCSR" : "=CSF");
  }

  /** The statement, then notes and steps. */
  @Override
  public String toString() {
    return "statement "
        + statement
        + "\n"
        + notes.stream().map(note -> note + "\n").collect(Collectors.joining())
        + steps.stream().map(EvaluationStep::toString).collect(Collectors.joining());
  }
}
