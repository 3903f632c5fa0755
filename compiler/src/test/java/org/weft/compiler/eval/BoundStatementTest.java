package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Statements that run many times into one result, whatever it held before. */
class BoundStatementTest {
  private static final int ROWS = 300;
  private static final int COLUMNS = 200;
  private static final int HEAVY = 150;

  private final TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final Random random = new Random(11);

  @AfterEach
  void close() {
    scope.close();
    compiler.close();
  }

  /** Every third row has entries; one of them has all. */
  private TensorStorage matrix(String format) {
    return matrix(format, COLUMNS);
  }

  private TensorStorage matrix(String format, int columns) {
    CooBlock.Builder block = new CooBlock.Builder(2, 2000);
    for (int row = 0; row < ROWS; row += 3) {
      for (int column = 0; column < columns; column++) {
        if (row == HEAVY || random.nextInt(40) == 0) {
          block.add(new long[] {row, column}, random.nextDouble());
        }
      }
    }
    TensorShape shape = TensorShape.of(ROWS, columns);
    TensorFormat stored = TensorFormat.parse(format, shape, 2000, ValueType.DOUBLE);
    return Packing.pack(scope, shape, stored, List.of(block.build()));
  }

  private TensorStorage filled(long... sizes) {
    TensorStorage all = TensorStorage.dense(scope, TensorShape.of(sizes), ValueType.DOUBLE);
    for (long p = 0; p < all.vals().length(); p++) {
      all.vals().setDouble(p, random.nextDouble());
    }
    return all;
  }

  private static long[] sizes(String labels) {
    Map<Character, Long> sizes = Map.of('i', (long) ROWS, 'j', (long) COLUMNS, 'k', 5L);
    return labels.chars().mapToLong(label -> sizes.get((char) label)).toArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "y(i) = A(i,j) * x(j);              CSR;     i;  OUTPUT_OVERWRITTEN",
        "Y(i,k) = A(i,j) * X(j,k);          CSR;     ik; OUTPUT_DENSE",
        "Y(i,k) = A(i,j) * X(j,k) + B(i,k); CSR;     ik; OUTPUT_OVERWRITTEN",
        "Y(i,j) = X(j,k) * B(i,k);          CSR;     ij; OUTPUT_OVERWRITTEN",
        "s = A(i,j) * X(j,k);               CSR;     '';  OUTPUT_OVERWRITTEN",
        "y(i) = A(i,j) * x(j);              DCSR;    i;  OUTPUT_DENSE",
        "Y(j,k) = A(i,j) * B(i,k);          CSR;     jk; OUTPUT_DENSE",
        "Y(i,j) = A(i,j) * x(j);            CSR;     ij; OUTPUT_DENSE",
        "y(i) = A(i,j) * x(j);              COO;     i;  OUTPUT_DENSE"
      })
  void whateverTheResultHeld(String text, String format, String result, Role role) {
    Map<String, TensorStorage> operands = new HashMap<>();
    operands.put("A", matrix(format));
    operands.put("x", filled(COLUMNS));
    operands.put("X", filled(COLUMNS, 5));
    operands.put("B", filled(ROWS, 5));
    operands.keySet().removeIf(name -> !text.contains(name + "("));
    TensorStorage into = filled(sizes(result == null ? "" : result));
    StatementInput input = StatementInput.of(text, operands, into.format());
    TensorStorage expected = new Evaluator(compiler, 1).evaluate(scope, input);
    for (int threads = 1; threads <= 5; threads += 2) {
      PreparedStatement prepared = new Evaluator(compiler, threads).prepare(input);
      List<EvaluationStep> steps = prepared.plan().steps();
      EvaluationStep.Compute last = (EvaluationStep.Compute) steps.get(steps.size() - 1);
      assertThat(last.kernel().function().signature().tensors().get(0).role()).isEqualTo(role);
      try (BoundStatement statement = prepared.bind(into, operands)) {
        for (int run = 0; run < 2; run++) {
          statement.run();
          for (long p = 0; p < expected.vals().length(); p++) {
            assertThat(into.vals().getDouble(p))
                .isCloseTo(expected.vals().getDouble(p), within(1e-9));
          }
        }
      }
    }
  }

  @Test
  void temporariesAreMadeInEachRun() {
    Map<String, TensorStorage> operands =
        Map.of("A", matrix("CSR", ROWS), "B", matrix("CSR", ROWS));
    TensorStorage into = filled(ROWS);
    StatementInput input = StatementInput.of("y(i) = A(i,j) * B(j,i)", operands, into.format());
    PreparedStatement prepared = new Evaluator(compiler, 2).prepare(input);
    assertThat(prepared.plan().steps()).hasSizeGreaterThan(1);
    TensorStorage expected = new Evaluator(compiler, 1).evaluate(scope, input);
    try (BoundStatement statement = prepared.bind(into, operands)) {
      statement.run();
      statement.run();
    }
    for (long p = 0; p < expected.vals().length(); p++) {
      assertThat(into.vals().getDouble(p)).isCloseTo(expected.vals().getDouble(p), within(1e-9));
    }
  }

  @Test
  void changedOperandsAreSeen() {
    Map<String, TensorStorage> operands = Map.of("A", matrix("CSR"), "x", filled(COLUMNS));
    TensorStorage into = filled(ROWS);
    StatementInput input = StatementInput.of("y(i) = A(i,j) * x(j)", operands, into.format());
    try (BoundStatement statement =
        new Evaluator(compiler, 1).prepare(input).bind(into, operands)) {
      statement.run();
      double before = into.vals().getDouble(HEAVY);
      for (long p = 0; p < COLUMNS; p++) {
        operands.get("x").vals().setDouble(p, 2 * operands.get("x").vals().getDouble(p));
      }
      statement.run();
      assertThat(into.vals().getDouble(HEAVY)).isCloseTo(2 * before, within(1e-9));
    }
  }

  @Test
  void closedOnesDoNotRun() {
    Map<String, TensorStorage> operands = Map.of("A", matrix("CSR"), "x", filled(COLUMNS));
    TensorStorage into = filled(ROWS);
    StatementInput input = StatementInput.of("y(i) = A(i,j) * x(j)", operands, into.format());
    BoundStatement statement = new Evaluator(compiler, 1).prepare(input).bind(into, operands);
    statement.close();
    assertThatThrownBy(statement::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no longer bound");
  }
}
