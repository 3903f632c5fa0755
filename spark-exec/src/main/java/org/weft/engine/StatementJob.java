package org.weft.engine;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelClasses;
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
import org.weft.text.Counts;

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
    LabelClasses classes = labelClasses();
    Map<String, Long> labels = labelSizes(classes);
    Map<String, OperandOutline> operands = new LinkedHashMap<>();
    Map<String, TensorStatistics> statistics = new LinkedHashMap<>();
    int share = Math.max(1, parts > 0 ? parts : resources.slots());
    tensors.forEach(
        (name, tensor) -> {
          TensorStatistics known = sized(name, tensor, classes, labels);
          statistics.put(name, known);
          operands.put(
              name,
              new OperandOutline(
                  format(name, tensor, known, share),
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
        previous.map(tensor -> sized(statement.result(), tensor, classes, labels));
    int order = statement.resultLabels().size();
    // What an expression means may depend on whether its result is sparse.
    TensorFormat format =
        resultFormat(statement.algebra(operands, TensorFormat.dense(order, type), labels), old);
    return new DistributedPlanner.Request(
        statement.algebra(operands, format, labels),
        statistics,
        old,
        resources,
        parts,
        only,
        exchange);
  }

  private LabelClasses labelClasses() {
    Map<String, List<List<String>>> accesses = statement.accesses();
    tensors.forEach((name, tensor) -> requireOrder(tensor, accesses.get(name)));
    previous.ifPresent(
        tensor -> {
          List<List<String>> target = List.of(statement.resultLabels());
          requireOrder(tensor, target);
          accesses.put(statement.result(), target);
        });
    return new LabelClasses(accesses);
  }

  /**
   * Checks that a tensor has a mode for each label of its accesses.
   *
   * @param accesses null if the statement does not read the tensor
   * @throws WeftException {@code SHAPE_MISMATCH}
   */
  public static void requireOrder(StatementOperand tensor, @Nullable List<List<String>> accesses) {
    TensorShape shape = tensor.originalStatistics().shape();
    if (accesses != null && shape.order() != accesses.get(0).size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          tensor.uri()
              + ": expected a tensor with "
              + Counts.plain(accesses.get(0).size(), "mode")
              + ", as the expression labels it, found "
              + shape.order()
              + " ("
              + shape
              + ")");
    }
  }

  private Map<String, Long> labelSizes(LabelClasses classes) {
    Map<String, TensorShape> shapes = new LinkedHashMap<>();
    Set<String> declared = new LinkedHashSet<>();
    Map<String, StatementOperand> all = new LinkedHashMap<>(tensors);
    previous.ifPresent(tensor -> all.put(statement.result(), tensor));
    all.forEach(
        (name, tensor) -> {
          shapes.put(name, tensor.originalStatistics().shape());
          if (tensor.declaresShape()) {
            declared.add(name);
          }
        });
    return classes.sizes(shapes, declared, sizes);
  }

  /** Statistics with the shape that the labels give, where the file does not say its own. */
  private static TensorStatistics sized(
      String name, StatementOperand tensor, LabelClasses classes, Map<String, Long> labels) {
    TensorStatistics known = tensor.originalStatistics();
    return tensor.declaresShape()
        ? known
        : known.withShape(classes.grown(name, known.shape(), labels));
  }

  /**
   * @param parts each has that share of the entries, and may have all rows
   */
  private TensorFormat format(
      String name, StatementOperand tensor, TensorStatistics known, int parts) {
    TensorShape shape = known.shape();
    String text = formats.get(name);
    boolean dense = isFull(tensor, known);
    if (text != null) {
      TensorFormat asked = TensorFormat.parse(text, shape, known.entries(), type);
      if (asked.isOrdinary() && !asked.pads()) {
        return asked;
      }
      dense = asked.isDense();
    }
    return dense || shape.order() == 0
        ? TensorFormat.dense(shape.order(), type)
        : TensorFormat.usual(shape, known.entries() / parts, type)
            .narrowedFor(shape, known.entries());
  }

  /**
   * Whether all cells are stored, without coordinates. What has all entries by chance is stored so,
   * too, unless the statement means something else with an array.
   */
  private boolean isFull(StatementOperand tensor, TensorStatistics known) {
    return known.entries() == known.shape().cells()
        && (tensor.isArray() || known.entries() > 0 && !statement.knowsArrays());
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

  private TensorFormat resultFormat(StatementAlgebra algebra, Optional<TensorStatistics> old) {
    int order = statement.resultLabels().size();
    String text = formats.get(statement.result());
    if (text != null) {
      TensorFormat asked = TensorFormat.parse(text, order, type);
      if (asked.isOrdinary() && asked.isDense()) {
        return asked;
      }
    }
    boolean dense =
        old.map(value -> order == 0 || isFull(previous.orElseThrow(), value))
            .orElseGet(() -> algebra.inferredFormat(type).isDense());
    return text == null && dense ? TensorFormat.dense(order, type) : TensorFormat.csf(order, type);
  }
}
