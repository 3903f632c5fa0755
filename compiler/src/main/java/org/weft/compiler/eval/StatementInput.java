package org.weft.compiler.eval;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.compiler.Schedule;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * A statement with everything it needs to be evaluated.
 *
 * @param statement the parsed statement
 * @param operands the tensors on its right side, by name; borrowed
 * @param resultFormat how the result is stored
 * @param sizes sizes of labels, by name: needed for a label that only the result has, checked for
 *     the others
 * @param previous the result's value before a {@code +=} or {@code -=}; borrowed; empty means zero
 * @param schedule how the loops of the statement run
 */
public record StatementInput(
    Statement statement,
    Map<String, TensorStorage> operands,
    TensorFormat resultFormat,
    Map<String, Long> sizes,
    Optional<TensorStorage> previous,
    Schedule schedule) {
  public StatementInput {
    operands = Collections.unmodifiableMap(new TreeMap<>(operands));
    sizes = Collections.unmodifiableMap(new TreeMap<>(sizes));
  }

  /** {@code statement} with no sizes, no previous value and the default schedule. */
  public static StatementInput of(
      Statement statement, Map<String, TensorStorage> operands, TensorFormat resultFormat) {
    return new StatementInput(
        statement, operands, resultFormat, Map.of(), Optional.empty(), Schedule.parallel());
  }

  /**
   * As above from text.
   *
   * @throws org.weft.error.WeftException {@code INVALID_EXPRESSION} with a caret under each error
   */
  public static StatementInput of(
      String text, Map<String, TensorStorage> operands, TensorFormat resultFormat) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    return of(statement.orElseThrow(), operands, resultFormat);
  }

  public StatementInput withSizes(Map<String, Long> labels) {
    return new StatementInput(statement, operands, resultFormat, labels, previous, schedule);
  }

  public StatementInput withPrevious(TensorStorage value) {
    return new StatementInput(
        statement, operands, resultFormat, sizes, Optional.of(value), schedule);
  }

  public StatementInput withSchedule(Schedule changed) {
    return new StatementInput(statement, operands, resultFormat, sizes, previous, changed);
  }

  public StatementInput withResultFormat(TensorFormat format) {
    return new StatementInput(statement, operands, format, sizes, previous, schedule);
  }
}
