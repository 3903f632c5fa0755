package org.weft.jobs.codesign;

import static org.weft.jobs.output.Usage.usage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.compiler.lower.panel.Contraction;
import org.weft.jobs.bench.RandomStatement;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A contraction of two dense tensors as {@code batch} products of an {@code m x k} and a {@code k x
 * n} matrix: labels of the result and the left operand, of the result and the right operand, and of
 * all three.
 *
 * @param name for people
 * @param calls how often it is computed
 * @param statement the contraction itself, over tensors that are stored by rows
 */
public record MatrixProduct(
    String name,
    double m,
    double n,
    double k,
    double batch,
    long calls,
    RandomStatement statement) {

  /** A statement over dense tensors. */
  public static MatrixProduct of(RandomStatement statement) {
    StatementAlgebra algebra = algebra(statement);
    String name = statement.name().isEmpty() ? statement.text() : statement.name();
    return of(name, algebra.assignment(), algebra.sizes())
        .orElseThrow(
            () ->
                usage(
                    "expected a sum of products of two tensors, found %s: %s",
                    statement.text(), reason(algebra.assignment(), algebra.sizes())));
  }

  /** The algebra of a statement whose tensors are dense and stored by rows. */
  static StatementAlgebra algebra(RandomStatement statement) {
    LabelledStatement labelled = new LabelledStatement(statement.statement());
    Map<String, OperandOutline> operands = new HashMap<>();
    labelled
        .operands()
        .forEach(
            (tensor, labels) -> {
              TensorShape shape =
                  TensorShape.of(
                      labels.stream()
                          .mapToLong(label -> statement.sizes().getOrDefault(label, 1L))
                          .toArray());
              TensorFormat format = TensorFormat.dense(labels.size(), ValueType.DOUBLE);
              operands.put(tensor, new OperandOutline(format, shape, shape.cells()));
            });
    TensorFormat result = TensorFormat.dense(labelled.resultLabels().size(), ValueType.DOUBLE);
    return labelled.algebra(operands, result, statement.sizes());
  }

  /**
   * The product that a statement is; empty if it is none.
   *
   * @param sizes of all labels
   */
  static Optional<MatrixProduct> of(
      String name, TensorAssignment algebra, Map<String, Long> sizes) {
    Optional<Contraction> found = Contraction.of(algebra);
    if (found.isEmpty() || !reason(algebra, sizes).isEmpty()) {
      return Optional.empty();
    }
    Contraction contraction = found.get();
    TensorExpr.Access left = algebra.value().accesses().get(0);
    boolean leftIsWide = contraction.across().id() == left.id();
    TensorExpr.Access right = leftIsWide ? contraction.down() : contraction.across();
    double wide = cells(contraction.wide(), sizes);
    double high = cells(contraction.high(), sizes);
    String text =
        access("C", contraction.target()) + "=" + access("A", left) + "*" + access("B", right);
    Map<String, Long> own = new HashMap<>(sizes);
    own.keySet().retainAll(algebra.variables().stream().map(IndexVar::name).toList());
    return Optional.of(
        new MatrixProduct(
            name,
            leftIsWide ? wide : high,
            leftIsWide ? high : wide,
            cells(contraction.depth(), sizes),
            cells(contraction.batch(), sizes),
            1,
            RandomStatement.of("", text, own, Map.of())));
  }

  /** Why a statement is none, for people; empty if it is one. */
  static String reason(TensorAssignment algebra, Map<String, Long> sizes) {
    for (TensorExpr.Access access : algebra.value().accesses()) {
      if (!access.tensor().format().isDense()) {
        return access.tensor() + " is not dense";
      }
    }
    if (!algebra.target().tensor().format().isDense()) {
      return "the result is not dense";
    }
    Optional<Contraction> found = Contraction.of(algebra);
    if (found.isEmpty()) {
      return "no product of two dense tensors, summed over labels that both have";
    }
    Contraction contraction = found.get();
    boolean usual =
        contraction.multiply() == Operator.TIMES && contraction.reduce() == Operator.PLUS;
    if (!usual) {
      return "other operators than + and *";
    } else if (contraction.depth().isEmpty()) {
      return "nothing is summed";
    } else if (algebra.isInteger()) {
      return "of whole numbers";
    }
    return algebra.variables().stream().anyMatch(v -> sizes.getOrDefault(v.name(), 0L) < 1)
        ? "it has no cells"
        : "";
  }

  /** As often more. */
  MatrixProduct called(long more) {
    return new MatrixProduct(name, m, n, k, batch, calls + more, statement);
  }

  private static double cells(List<IndexVar> labels, Map<String, Long> sizes) {
    double cells = 1;
    for (IndexVar label : labels) {
      cells *= sizes.getOrDefault(label.name(), 1L);
    }
    return cells;
  }

  private static String access(String name, TensorExpr.Access access) {
    List<IndexVar> stored = new ArrayList<>(Contraction.stored(access));
    return name + stored.stream().map(IndexVar::name).collect(Collectors.joining(",", "(", ")"));
  }

  /** {@code 5184 x 72 x 72}, with the number of products before it if there are several. */
  String shape() {
    String one = String.format(Locale.ROOT, "%.0f x %.0f x %.0f", m, n, k);
    return batch == 1 ? one : String.format(Locale.ROOT, "%.0f of %s", batch, one);
  }

  /** Floating-point operations of one call; a multiply-add is two. */
  double flops() {
    return 2 * batch * m * n * k;
  }
}
