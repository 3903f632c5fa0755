package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerCase;
import org.weft.compiler.algebra.IndexVar;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Which sizes are compiled into the kernels of statements. */
class ConstantSizesTest extends CompilerCase {
  private static final String SPMM = "Y(i,k) = A(i,j) * X(j,k)";
  private static final int ROWS = 4000;
  private static final int COLUMNS = 100;

  private final Evaluator evaluator = new Evaluator(compiler, 2);
  private final Random random = new Random(5);

  private TensorStorage matrix(int perRow) {
    CooBlock.Builder block = new CooBlock.Builder(2, ROWS * perRow);
    for (int row = 0; row < ROWS; row++) {
      for (int entry = 0; entry < perRow; entry++) {
        block.add(new long[] {row, (row + 3L * entry) % COLUMNS}, random.nextDouble());
      }
    }
    TensorShape shape = TensorShape.of(ROWS, COLUMNS);
    TensorFormat csr = TensorFormat.parse("CSR", shape, (long) ROWS * perRow, ValueType.DOUBLE);
    return Packing.pack(scope, shape, csr, List.of(block.build()));
  }

  private TensorStorage filled(long... sizes) {
    TensorStorage all = TensorStorage.dense(scope, TensorShape.of(sizes), ValueType.DOUBLE);
    for (long p = 0; p < all.vals().length(); p++) {
      all.vals().setDouble(p, random.nextDouble());
    }
    return all;
  }

  private static StatementInput input(String text, Map<String, TensorStorage> operands) {
    return StatementInput.of(text, operands, TensorFormat.dense(2, ValueType.DOUBLE));
  }

  private Map<IndexVar, Long> constants(StatementInput input) {
    return ((EvaluationStep.Compute) evaluator.plan(input).steps().get(0))
        .algebra()
        .constantSizes();
  }

  @Test
  void columnsOfShortRows() {
    TensorStorage a = matrix(20);
    StatementInput some = input(SPMM, Map.of("A", a, "X", filled(COLUMNS, 32)));
    assertThat(constants(some)).isEqualTo(Map.of(new IndexVar("k"), 32L));
    assertThat(evaluator.plan(some).toString()).contains("with k = 32 compiled in");
    assertThat(constants(input(SPMM, Map.of("A", a, "X", filled(COLUMNS, 65))))).isEmpty();
    assertThat(constants(input(SPMM, Map.of("A", a, "X", filled(COLUMNS, 1))))).isEmpty();
  }

  @Test
  void notWhereTheWorkIsSmall() {
    StatementInput input = input(SPMM, Map.of("A", matrix(1), "X", filled(COLUMNS, 32)));
    assertThat(constants(input)).isEmpty();
  }

  @Test
  void notAcrossRows() {
    Map<String, TensorStorage> operands = Map.of("A", matrix(20), "X", filled(32, COLUMNS));
    assertThat(constants(input("Y(i,k) = A(i,j) * X(k,j)", operands))).isEmpty();
  }

  @Test
  void valuesAreThoseOfTheGeneralKernel() {
    TensorStorage a = matrix(20);
    for (int columns : List.of(17, 31, 32, 64)) {
      Map<String, TensorStorage> operands = Map.of("A", a, "X", filled(COLUMNS, columns));
      StatementInput input = input(SPMM, operands);
      TensorStorage fixed = evaluator.evaluate(scope, input);
      for (int probe = 0; probe < 50; probe++) {
        int row = random.nextInt(ROWS);
        int column = random.nextInt(columns);
        double expected = 0;
        for (long p = a.pos(1).getLong(row); p < a.pos(1).getLong(row + 1); p++) {
          long at = a.crd(1).getLong(p) * columns + column;
          expected += a.vals().getDouble(p) * operands.get("X").vals().getDouble(at);
        }
        assertThat(fixed.vals().getDouble((long) row * columns + column))
            .isCloseTo(expected, within(1e-9));
      }
    }
  }
}
