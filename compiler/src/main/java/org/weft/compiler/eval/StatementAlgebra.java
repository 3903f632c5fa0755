package org.weft.compiler.eval;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Statement;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * The right side of a statement as algebra, with what is known of its operands: all that a plan
 * follows from, whether the tensors are here or not. The left side is assigned with {@code =}: what
 * {@code +=} adds to is not part of it, and {@code -=} assigns the negated value.
 *
 * @param operands by name
 * @param sizes of every label, by name
 */
public record StatementAlgebra(
    TensorAssignment assignment, Map<String, OperandOutline> operands, Map<String, Long> sizes) {
  public StatementAlgebra {
    operands = Collections.unmodifiableMap(new LinkedHashMap<>(operands));
    sizes = Collections.unmodifiableMap(new LinkedHashMap<>(sizes));
  }

  /**
   * The algebra of a parsed statement.
   *
   * @param result the format of the result
   * @param stated sizes of labels that no operand has; checked for the others
   * @throws org.weft.error.WeftException {@code INVALID_EXPRESSION}, {@code SHAPE_MISMATCH}
   */
  public static StatementAlgebra of(
      Statement statement,
      Map<String, OperandOutline> operands,
      TensorFormat result,
      Map<String, Long> stated) {
    Map<String, TensorFormat> formats = new HashMap<>();
    operands.forEach((name, operand) -> formats.put(name, operand.format()));
    formats.put(statement.target().tensor(), result);
    Statement assigned =
        new Statement(
            statement.target(), statement.mask(), Statement.Assignment.ASSIGN, statement.value());
    Diagnostics diagnostics = new Diagnostics();
    TensorAssignment algebra = AlgebraBuilder.build(assigned, formats, Map.of(), diagnostics);
    diagnostics.throwIfErrors();
    if (statement.assignment() == Statement.Assignment.SUBTRACT) {
      algebra = algebra.negated();
    }
    Map<String, TensorShape> shapes = new HashMap<>();
    operands.forEach((name, operand) -> shapes.put(name, operand.shape()));
    Map<String, Long> used = new HashMap<>(stated);
    TensorAssignment built = algebra;
    used.keySet().removeIf(name -> !built.variables().contains(new IndexVar(name)));
    return new StatementAlgebra(algebra, operands, LabelSizes.of(algebra, shapes, used).byName());
  }

  /** The same statement with accesses replaced, those of the mask included. */
  public StatementAlgebra withAccesses(
      UnaryOperator<TensorExpr.Access> change, Map<String, OperandOutline> changedOperands) {
    TensorMask mask = assignment.mask();
    TensorAssignment changed =
        assignment.withValue(Conversions.replace(assignment.value(), change));
    return new StatementAlgebra(
        mask == null
            ? changed
            : changed.withMask(new TensorMask(change.apply(mask.access()), mask.strategy())),
        changedOperands,
        sizes);
  }

  /** The same statement over tensors of other sizes. */
  public StatementAlgebra withSizes(
      Map<String, OperandOutline> changedOperands, Map<String, Long> changedSizes) {
    return new StatementAlgebra(assignment, changedOperands, changedSizes);
  }

  /** The same statement with its result in another format. */
  public StatementAlgebra withResultFormat(TensorFormat format) {
    TensorExpr.Access target = assignment.target();
    TensorVar tensor = new TensorVar(target.tensor().name(), format, TensorVar.Kind.RESULT);
    TensorAssignment changed = assignment.assignedTo(target.of(tensor));
    return new StatementAlgebra(changed, operands, sizes);
  }

  /**
   * A format for the result that suits the sparsity of the expression, with the narrowest
   * coordinates that hold its shape.
   */
  public TensorFormat inferredFormat(ValueType type) {
    TensorFormat format = ResultFormats.infer(assignment, labels(), entries(), type);
    return Conversions.narrow(format, resultShape());
  }

  /** The shape of the result. */
  public TensorShape resultShape() {
    return labels().shape(assignment.target().variables());
  }

  /** Entries that the result is expected to have, if entries are spread evenly. */
  public double resultEntries() {
    return ResultFormats.entries(assignment, labels(), entries());
  }

  LabelSizes labels() {
    return LabelSizes.of(sizes);
  }

  Map<String, Double> entries() {
    Map<String, Double> entries = new HashMap<>();
    operands.forEach((name, operand) -> entries.put(name, operand.entries()));
    return entries;
  }
}
