package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerCase;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Statements that are large enough for packed panels. */
class PackedStatementsTest extends CompilerCase {
  private static final int ROWS = 101;
  private static final int COLUMNS = 67;
  private static final int TERMS = 293;

  private final Evaluator evaluator = new Evaluator(compiler, 2);
  private final Random random = new Random(19);

  /** A matrix of small whole numbers, with which every type computes exactly. */
  private TensorStorage matrix(int rows, int columns, ValueType type) {
    TensorStorage storage =
        TensorStorage.dense(scope, TensorShape.of(rows, columns), TensorFormat.dense(2, type));
    for (long cell = 0; cell < (long) rows * columns; cell++) {
      set(storage.vals(), cell, random.nextInt(19) - 9);
    }
    return storage;
  }

  private static void set(NativeArray values, long at, double value) {
    if (values.type().name().startsWith("F")) {
      values.setDouble(at, value);
    } else {
      values.setLong(at, (long) value);
    }
  }

  private static double get(TensorStorage storage, long row, long column) {
    long at = row * storage.shape().size(1) + column;
    NativeArray values = storage.vals();
    return values.type().name().startsWith("F") ? values.getDouble(at) : values.getLong(at);
  }

  private interface Reduction {
    double of(double sum, double left, double right);
  }

  private void check(
      String text, double start, ValueType type, boolean poison, Reduction reduction) {
    TensorStorage a = matrix(ROWS, TERMS, type);
    TensorStorage b = matrix(TERMS, COLUMNS, type);
    if (poison) {
      set(a.vals(), 5L * TERMS + 7, Double.NaN);
      set(a.vals(), 6L * TERMS + 8, Double.POSITIVE_INFINITY);
      set(b.vals(), 9L * COLUMNS + 3, Double.NEGATIVE_INFINITY);
    }
    StatementInput input =
        StatementInput.of(text, Map.of("A", a, "B", b), TensorFormat.dense(2, type));
    assertThat(evaluator.plan(input).toString()).contains("in packed panels by gemm(");
    TensorStorage c = evaluator.evaluate(scope, input);
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < COLUMNS; column++) {
        double expected = start;
        for (int term = 0; term < TERMS; term++) {
          expected = reduction.of(expected, get(a, row, term), get(b, term, column));
        }
        assertThat(Double.compare(get(c, row, column) + 0.0, expected + 0.0))
            .as("cell %d, %d: %s, expected %s", row, column, get(c, row, column), expected)
            .isZero();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"DOUBLE", "FLOAT", "INT", "LONG"})
  void productsOfEveryType(ValueType type) {
    check("C(i,j) = A(i,k) * B(k,j)", 0, type, false, (sum, a, b) -> sum + a * b);
  }

  @Test
  void notANumberAndInfinityPropagate() {
    check("C(i,j) = A(i,k) * B(k,j)", 0, ValueType.DOUBLE, true, (sum, a, b) -> sum + a * b);
  }

  @Test
  void shortestPaths() {
    check(
        "C(i,j) = A(i,k) @(min,+) B(k,j)",
        Double.POSITIVE_INFINITY,
        ValueType.DOUBLE,
        true,
        (least, a, b) -> Math.min(least, a + b));
  }

  /** Rows of whole cache lines or not, and tiles that the result cuts. */
  @ParameterizedTest(name = "{0}: {1} x {2}, {3}")
  @CsvSource(
      delimiter = ';',
      value = {
        "C(i,j) = A(i,k) * B(k,j); 1501; 2208; DOUBLE",
        "C(i,j) = A(i,k) * B(k,j); 1504; 2205; DOUBLE",
        "C(j,i) = A(i,k) * B(k,j); 1536; 2213; DOUBLE",
        "C(i,j) = A(i,k) * B(k,j); 2501; 2720; FLOAT",
        "C(i,j) = A(i,k) * B(k,j); 1501; 2208; LONG",
        "C(i,j) += A(i,k) * B(k,j); 1501; 2208; DOUBLE"
      })
  void resultsThatNoCacheHolds(String text, int rows, int columns, ValueType type) {
    int terms = 24;
    TensorStorage a = matrix(rows, terms, type);
    TensorStorage b = matrix(terms, columns, type);
    boolean turned = text.startsWith("C(j,i)");
    StatementInput input =
        StatementInput.of(text, Map.of("A", a, "B", b), TensorFormat.dense(2, type));
    assertThat(evaluator.plan(input).toString()).contains("in packed panels by gemm(");
    TensorStorage c = evaluator.evaluate(scope, input);
    double[][] right = new double[terms][columns]; // read once, for millions of products
    for (int term = 0; term < terms; term++) {
      for (int column = 0; column < columns; column++) {
        right[term][column] = get(b, term, column);
      }
    }
    long wrong = 0;
    for (int row = 0; row < rows; row++) {
      double[] expected = new double[columns];
      for (int term = 0; term < terms; term++) {
        double left = get(a, row, term);
        for (int column = 0; column < columns; column++) {
          expected[column] += left * right[term][column];
        }
      }
      for (int column = 0; column < columns; column++) {
        double found = turned ? get(c, column, row) : get(c, row, column);
        wrong += found == expected[column] ? 0 : 1;
      }
    }
    assertThat(wrong).isZero();
  }

  @Test
  void smallProductsKeepPlainLoops() {
    TensorStorage a = matrix(8, 8, ValueType.DOUBLE);
    StatementInput input =
        StatementInput.of(
            "C(i,j) = A(i,k) * B(k,j)",
            Map.of("A", a, "B", a),
            TensorFormat.dense(2, ValueType.DOUBLE));
    assertThat(evaluator.plan(input).toString()).doesNotContain("gemm");
  }

  @Test
  void updatesAddToWhatIsThere() {
    TensorStorage a = matrix(ROWS, TERMS, ValueType.DOUBLE);
    TensorStorage b = matrix(TERMS, COLUMNS, ValueType.DOUBLE);
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    StatementInput product =
        StatementInput.of("C(i,j) = A(i,k) * B(k,j)", Map.of("A", a, "B", b), dense);
    TensorStorage once = evaluator.evaluate(scope, product);
    StatementInput minus =
        StatementInput.of("C(i,j) -= 3 * A(i,k) * B(k,j)", Map.of("A", a, "B", b), dense)
            .withPrevious(once);
    assertThat(evaluator.plan(minus).toString()).contains("gemm");
    TensorStorage rest = evaluator.evaluate(scope, minus);
    for (long cell = 0; cell < (long) ROWS * COLUMNS; cell++) {
      assertThat(rest.vals().getDouble(cell)).isEqualTo(-2 * once.vals().getDouble(cell));
    }
  }
}
