package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.text.Counts;

/**
 * A parsed statement as those see it who bring its tensors: names, and the labels of their modes.
 */
public record LabelledStatement(Statement statement) {
  /**
   * Parses an expression.
   *
   * @throws WeftException {@code INVALID_EXPRESSION}, showing where
   */
  public static LabelledStatement parse(String expression) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement =
        Parser.statement(SourceText.expression(expression), diagnostics);
    diagnostics.throwIfErrors();
    return new LabelledStatement(statement.orElseThrow());
  }

  /** The name of the result. */
  public String result() {
    return statement.target().tensor();
  }

  /** Labels of the result's modes. */
  public List<String> resultLabels() {
    return labels(statement.target());
  }

  /**
   * Labels of the modes of every operand, the mask's tensor included, where it is read first. The
   * value that {@code +=} adds to is none.
   */
  public Map<String, List<String>> operands() {
    Map<String, List<String>> found = new LinkedHashMap<>();
    accesses().forEach((name, all) -> found.put(name, all.get(0)));
    return found;
  }

  /**
   * As {@link #operands}, with the labels wherever an operand is read.
   *
   * @throws WeftException {@code INVALID_EXPRESSION} if an operand has two orders
   */
  public Map<String, List<List<String>>> accesses() {
    Map<String, List<List<String>>> found = new LinkedHashMap<>();
    collect(statement.value(), found);
    if (statement.mask() != null) {
      collect(statement.mask().tensor(), found);
    }
    return found;
  }

  private static void collect(Syntax syntax, Map<String, List<List<String>>> found) {
    if (syntax instanceof Syntax.Access access) {
      List<List<String>> all = found.computeIfAbsent(access.tensor(), name -> new ArrayList<>());
      all.add(labels(access));
      int order = all.get(0).size();
      if (order != access.labels().size()) {
        throw new WeftException(
            ErrorCode.INVALID_EXPRESSION,
            access.tensor()
                + " is used with "
                + order
                + " and with "
                + Counts.plain(access.labels().size(), "label")
                + "; a tensor has one order");
      }
    }
    syntax.children().forEach(child -> collect(child, found));
  }

  /**
   * Whether the value depends on which operands are arrays: into a sparse result, the operands of
   * {@code @(op)} meet where the sparse one has entries if the other one is an array.
   */
  public boolean knowsArrays() {
    return hasMonoid(statement.value());
  }

  private static boolean hasMonoid(Syntax syntax) {
    return syntax instanceof Syntax.Monoid
        || syntax.children().stream().anyMatch(LabelledStatement::hasMonoid);
  }

  private static List<String> labels(Syntax.Access access) {
    return access.labels().stream().map(Syntax.Label::name).toList();
  }

  /**
   * The algebra of the statement, as {@link StatementAlgebra#of}.
   *
   * @param stated sizes of labels
   */
  public StatementAlgebra algebra(
      Map<String, OperandOutline> operands, TensorFormat result, Map<String, Long> stated) {
    return StatementAlgebra.of(statement, operands, result, stated);
  }
}
