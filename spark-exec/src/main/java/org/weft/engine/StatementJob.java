package org.weft.engine;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.distributed.DistributedPlanner;
import org.weft.planner.distributed.Route;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A statement and the tensors that it reads.
 *
 * @param tensors by name
 * @param numbers scalars, by name: integers of 64 bits or doubles
 * @param previous what {@code +=} and {@code -=} add to
 * @param formats of tensors in the statement, as text, by name; what has none is stored by its kind
 * @param sizes of labels that no tensor has
 * @param type of values
 * @param only the label to divide the statement along, or the labels of a grid with commas between
 *     them; empty to choose
 * @param exchange the route of operands that do not have the label; empty to choose
 */
public record StatementJob(
    LabelledStatement statement,
    Map<String, ? extends StatementOperand> tensors,
    Map<String, ? extends Number> numbers,
    Optional<? extends StatementOperand> previous,
    Map<String, String> formats,
    Map<String, Long> sizes,
    ValueType type,
    String only,
    Optional<Class<? extends Route>> exchange) {
  public StatementJob {
    tensors = Map.copyOf(tensors);
    numbers = Map.copyOf(numbers);
    formats = Map.copyOf(formats);
    sizes = Map.copyOf(sizes);
  }

  DistributedPlanner.Request request(Resources resources, int parts) {
    Map<String, List<String>> accesses = statement.operands();
    Map<String, Long> labels = labelSizes(accesses);
    Map<String, OperandOutline> operands = new LinkedHashMap<>();
    Map<String, TensorStatistics> statistics = new LinkedHashMap<>();
    int share = Math.max(1, parts > 0 ? parts : resources.slots());
    tensors.forEach(
        (name, tensor) -> {
          TensorStatistics known = sized(tensor, accesses.get(name), labels);
          statistics.put(name, known);
          operands.put(
              name,
              new OperandOutline(
                  format(name, known, share),
                  known.shape(),
                  (double) known.entries(),
                  pads(name, known)));
        });
    numbers.forEach(
        (name, number) -> {
          CooBlock.Builder block = new CooBlock.Builder(0, 1);
          block.add(new long[0], number.doubleValue());
          statistics.put(
              name, TensorStatistics.builder(0).add(block.build()).build(TensorShape.of()));
          operands.put(name, new OperandOutline(TensorFormat.dense(0, type), TensorShape.of(), 1));
        });
    Optional<TensorStatistics> old =
        previous.map(tensor -> sized(tensor, statement.resultLabels(), labels));
    old.ifPresent(value -> checkTarget(value, labels));
    int order = statement.resultLabels().size();
    // What an expression means may depend on whether its result is sparse.
    TensorFormat format =
        resultFormat(statement.algebra(operands, TensorFormat.dense(order, type), labels));
    return new DistributedPlanner.Request(
        statement.algebra(operands, format, labels),
        statistics,
        old,
        resources,
        parts,
        only,
        exchange);
  }

  private void checkTarget(TensorStatistics value, Map<String, Long> labels) {
    List<String> target = statement.resultLabels();
    for (int mode = 0; mode < target.size(); mode++) {
      labels.putIfAbsent(target.get(mode), value.shape().size(mode));
    }
  }

  /** Sizes of labels: stated ones, and the largest of the modes that have them. */
  private Map<String, Long> labelSizes(Map<String, List<String>> accesses) {
    Map<String, Long> labels = new HashMap<>(sizes);
    Map<String, StatementOperand> all = new LinkedHashMap<>(tensors);
    accesses.forEach((name, access) -> grow(all.get(name), access, labels));
    previous.ifPresent(tensor -> grow(tensor, statement.resultLabels(), labels));
    return labels;
  }

  private static void grow(
      @Nullable StatementOperand tensor, List<String> access, Map<String, Long> labels) {
    if (tensor == null) {
      return;
    }
    TensorShape shape = tensor.originalStatistics().shape();
    requireOrder(tensor, access, shape);
    for (int mode = 0; mode < access.size(); mode++) {
      labels.merge(access.get(mode), shape.size(mode), Math::max);
    }
  }

  private static void requireOrder(
      StatementOperand tensor, List<String> access, TensorShape shape) {
    if (shape.order() != access.size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          tensor.uri()
              + ": expected a tensor with "
              + access.size()
              + " modes, as the expression labels it, found "
              + shape);
    }
  }

  /** Statistics with the shape that the labels give, where the file does not say its own. */
  private static TensorStatistics sized(
      StatementOperand tensor, @Nullable List<String> access, Map<String, Long> labels) {
    TensorStatistics known = tensor.originalStatistics();
    if (tensor.declaresShape() || access == null) {
      return known;
    }
    long[] shape =
        access.stream().mapToLong(label -> Objects.requireNonNull(labels.get(label))).toArray();
    return known.withShape(TensorShape.of(shape));
  }

  /**
   * @param parts each has that share of the entries, and may have all rows
   */
  private TensorFormat format(String name, TensorStatistics known, int parts) {
    TensorShape shape = known.shape();
    String text = formats.get(name);
    if (text != null) {
      TensorFormat asked = TensorFormat.parse(text, shape, known.entries(), type);
      if (asked.isOrdinary() && !asked.pads()) {
        return asked;
      }
    }
    boolean full = known.entries() > 0 && known.entries() == shape.cells() && !pads(name, known);
    return full || shape.order() == 0
        ? TensorFormat.dense(shape.order(), type)
        : TensorFormat.usual(shape, known.entries() / parts, type)
            .narrowedFor(shape, known.entries());
  }

  /** Whether the operand is asked for in a format whose zeros are no entries. */
  private boolean pads(String name, TensorStatistics known) {
    String text = formats.get(name);
    return text != null && TensorFormat.parse(text, known.shape().order(), type).pads();
  }

  /** Whether the result is asked for in a format whose zeros are no entries. */
  public boolean padsResult() {
    String text = formats.get(statement.result());
    return text != null && TensorFormat.parse(text, statement.resultLabels().size(), type).pads();
  }

  private TensorFormat resultFormat(StatementAlgebra algebra) {
    int order = statement.resultLabels().size();
    String text = formats.get(statement.result());
    if (text != null) {
      TensorFormat asked = TensorFormat.parse(text, order, type);
      if (asked.isOrdinary() && asked.isDense()) {
        return asked;
      }
    }
    TensorFormat inferred = algebra.inferredFormat(type);
    return text == null && inferred.isDense() ? inferred : TensorFormat.csf(order, type);
  }
}
