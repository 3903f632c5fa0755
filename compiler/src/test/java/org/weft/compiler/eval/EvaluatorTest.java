package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerCase;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.NativeRuntime;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class EvaluatorTest extends CompilerCase {
  private final Evaluator evaluator = new Evaluator(compiler, 2);

  EvaluatorTest() {
    super(1);
  }

  private static TensorFormat format(String text, int order) {
    return TensorFormat.parse(text, order, ValueType.DOUBLE);
  }

  private TensorStorage matrix(String format, long rows, long columns, long[]... entries) {
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    for (long[] entry : entries) {
      block.add(new long[] {entry[0], entry[1]}, entry[2]);
    }
    return Packing.pack(
        scope, TensorShape.of(rows, columns), format(format, 2), List.of(block.build()));
  }

  private static String entries(TensorStorage storage) {
    StringBuilder text = new StringBuilder();
    storage.forEachEntry(
        (at, value) -> text.append(java.util.Arrays.toString(at)).append(value).append(' '));
    return text.toString().strip();
  }

  @Test
  void sparseMatrixTimesDenseVector() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7});
    TensorStorage x = TensorStorage.dense(scope, TensorShape.of(3), ValueType.DOUBLE);
    x.vals().setDouble(0, 1);
    x.vals().setDouble(2, 2);
    TensorStorage y =
        evaluator.evaluate(
            scope,
            StatementInput.of("y(i) = A(i,j) * x(j)", Map.of("A", a, "x", x), format("Dense", 1)));
    assertThat(entries(y)).isEqualTo("[0]10.0 [1]7.0");
  }

  /** What the shape alone shows is said before anything runs. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"CSR | DCSR | 8.0 TiB", "{D, CU} | DCSR | 8.0 TiB", "Dense | DCSR | 16.0 TiB"})
  void resultsThatNoMachineHoldsAreRefused(String result, String instead, String bytes) {
    long rows = 1L << 40;
    TensorStorage a = matrix("COO", rows, 3, new long[] {rows - 1, 2, 5}, new long[] {1, 0, 7});
    TensorStorage b = matrix("CSR", 3, 2, new long[] {0, 1, 1}, new long[] {2, 1, 1});
    Map<String, TensorStorage> operands = Map.of("A", a, "B", b);
    String product = "C(i,k) = A(i,j) * B(j,k)";
    assertThatThrownBy(
            () ->
                evaluator.evaluate(scope, StatementInput.of(product, operands, format(result, 2))))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("C: a result of 1099511627776 x 2")
        .hasMessageContaining("needs " + bytes)
        .hasMessageContaining("--format C=" + instead);
    TensorStorage c =
        evaluator.evaluate(scope, StatementInput.of(product, operands, format(instead, 2)));
    assertThat(entries(c)).isEqualTo("[1, 1]7.0 [" + (rows - 1) + ", 1]5.0");
  }

  @Test
  void sparseSum() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7});
    TensorStorage b = matrix("COO", 2, 3, new long[] {0, 2, 1}, new long[] {1, 1, 3});
    TensorStorage c =
        evaluator.evaluate(
            scope,
            StatementInput.of(
                "C(i,j) = A(i,j) + B(i,j)", Map.of("A", a, "B", b), format("CSR", 2)));
    assertThat(entries(c)).isEqualTo("[0, 2]6.0 [1, 0]7.0 [1, 1]3.0");
  }

  @Test
  void labelsOfDifferentSizesAreNamed() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5});
    TensorStorage b = matrix("CSR", 4, 2, new long[] {0, 1, 5});
    assertThatThrownBy(
            () ->
                evaluator.evaluate(
                    scope,
                    StatementInput.of(
                        "C(i,k) = A(i,j) * B(j,k)", Map.of("A", a, "B", b), format("CSR", 2))))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHAPE_MISMATCH))
        .hasMessageContaining("mode 1 of A (2 x 3)")
        .hasMessageContaining("mode 0 of B (4 x 2)");
  }

  @Test
  void labelsOfTheResultAloneNeedASize() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5});
    StatementInput input = StatementInput.of("C(i,k) = A(i,j)", Map.of("A", a), format("Dense", 2));
    assertThatThrownBy(() -> evaluator.evaluate(scope, input))
        .hasMessageContaining("give an operand with the label, or state the size")
        .hasMessageContaining("--size k=N of a command");
    assertThat(entries(evaluator.evaluate(scope, input.withSizes(Map.of("k", 2L)))))
        .isEqualTo("[0, 0]5.0 [0, 1]5.0 [1, 0]0.0 [1, 1]0.0");
  }

  @Test
  void conflictingModeOrdersConvertTheSmallerOperand() {
    TensorStorage a =
        matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7}, new long[] {1, 2, 1});
    TensorStorage b = matrix("CSC", 2, 3, new long[] {0, 2, 1}, new long[] {1, 1, 3});
    StatementInput input =
        StatementInput.of("C(i,j) = A(i,j) + B(i,j)", Map.of("A", a, "B", b), format("CSR", 2));
    assertThat(evaluator.plan(input).toString())
        .isEqualTo(
            """
            statement C(i,j) = A(i,j) + B(i,j)
            convert B from {D, CU}@1,0 to {D, CU} as B_01: no loop order serves the operands as they \
            are stored; of these, B is the cheapest to transpose
              bucket {D, CU}@1,0 to {D, CU}
            compute C(i,j) = A(i,j) + B_01(i,j) into {D, CU}
            """);
    assertThat(entries(evaluator.evaluate(scope, input)))
        .isEqualTo("[0, 2]6.0 [1, 0]7.0 [1, 1]3.0 [1, 2]1.0");
  }

  @Test
  void aTransposedOperandHasNoDenseLevelForAModeThatIsMostlyEmpty() {
    long wide = 1L << 40;
    TensorStorage a = matrix("CSR", 3, wide, new long[] {0, wide - 2, 2});
    TensorStorage b = matrix("DCSR", wide, 3, new long[] {5, 2, 1}, new long[] {wide - 2, 0, 4});
    StatementInput input =
        StatementInput.of("C(j,i) = A(i,j) + B(j,i)", Map.of("A", a, "B", b), format("CSF", 2));
    assertThat(evaluator.plan(input).toString())
        .contains("convert A from {D, CU} to {CU, CU[64,8]}@1,0");
    assertThat(entries(evaluator.evaluate(scope, input)))
        .isEqualTo("[5, 2]1.0 [" + (wide - 2) + ", 0]6.0");
  }

  @Test
  void aTensorTimesItsTransposeConvertsOneOfTheTwo() {
    TensorStorage a = matrix("CSR", 3, 3, new long[] {0, 2, 5}, new long[] {2, 0, 7});
    StatementInput input =
        StatementInput.of("C(i,j) = A(i,j) .* A(j,i)", Map.of("A", a), format("CSR", 2));
    assertThat(entries(evaluator.evaluate(scope, input))).isEqualTo("[0, 2]35.0 [2, 0]35.0");
  }

  /** Orders of modes that the loops do not have, and formats that no kernel assembles. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CSC",
        "DCSC",
        "COO@1,0",
        "Dense@1,0",
        "ELL",
        "DIA",
        "HashMatrix",
        "BCSR(2,2)",
        "{D, B}"
      })
  void resultsThatLoopsDoNotMakeAreConverted(String format) {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7});
    StatementInput input =
        StatementInput.of("C(i,j) = 2 * A(i,j)", Map.of("A", a), format(format, 2));
    TensorStorage result = evaluator.evaluate(scope, input);
    assertThat(result.format()).isEqualTo(format(format, 2));
    assertThat(entries(result)).contains("[0, 2]10.0").contains("[1, 0]14.0");
  }

  @Test
  void sparseResultsAccumulate() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7});
    TensorStorage c = matrix("CSC", 2, 3, new long[] {0, 2, 1}, new long[] {1, 1, 1});
    assertThat(changed("C(i,j) += A(i,j)", a, c, "CSR")).isEqualTo("[0, 2]6.0 [1, 0]7.0 [1, 1]1.0");
    assertThat(changed("C(i,j) -= A(i,j)", a, c, "CSR"))
        .isEqualTo("[0, 2]-4.0 [1, 0]-7.0 [1, 1]1.0");
  }

  /** Entries of {@code previous} after a statement of an operand, A or b. */
  private String changed(
      String statement, TensorStorage operand, TensorStorage previous, String format) {
    String name = operand.shape().order() == 1 ? "b" : "A";
    StatementInput input =
        StatementInput.of(statement, Map.of(name, operand), format(format, 2))
            .withPrevious(previous);
    return entries(evaluator.evaluate(scope, input));
  }

  private TensorStorage vector(long... values) {
    TensorStorage x = TensorStorage.dense(scope, TensorShape.of(values.length), ValueType.DOUBLE);
    for (int i = 0; i < values.length; i++) {
      x.vals().setDouble(i, values[i]);
    }
    return x;
  }

  @Test
  void whatATargetWithARepeatedLabelDoesNotAddressStays() {
    TensorStorage b = vector(10, 20);
    for (String text : List.of("CSR", "CSC", "COO", "DCSR", "HashMatrix", "BCSR(2,2)", "Dense")) {
      TensorStorage z = matrix(text, 2, 2, new long[] {0, 1, 3}, new long[] {1, 1, 4});
      assertThat(changed("Z(i,i) += b(i)", b, z, text))
          .as(text)
          .startsWith("[0, 0]10.0 [0, 1]3.0")
          .endsWith("[1, 1]24.0");
      assertThat(changed("Z(i,i) -= b(i)", b, z, text))
          .as(text)
          .startsWith("[0, 0]-10.0 [0, 1]3.0")
          .endsWith("[1, 1]-16.0");
    }
    StatementInput input =
        StatementInput.of("Z(i,i) += b(i)", Map.of("b", b), format("CSR", 2))
            .withPrevious(matrix("CSR", 2, 2, new long[] {0, 1, 3}));
    assertThat(evaluator.plan(input).toString())
        .startsWith("statement Z_part(i,i) = b(i), then Z(i,i_1) = Z_old(i,i_1) + Z_part(i,i_1)\n");
  }

  @Test
  void anAssignmentToADiagonalLeavesNothingElse() {
    TensorStorage b = vector(10, 20);
    StatementInput sparse = StatementInput.of("Z(i,i) = b(i)", Map.of("b", b), format("CSR", 2));
    assertThat(entries(evaluator.evaluate(scope, sparse))).isEqualTo("[0, 0]10.0 [1, 1]20.0");
    assertThat(entries(evaluator.evaluate(scope, sparse.withResultFormat(format("Dense", 2)))))
        .isEqualTo("[0, 0]10.0 [0, 1]0.0 [1, 0]0.0 [1, 1]20.0");
  }

  @Test
  void sparseResultsAddTheValueOfAnElementwiseOperator() {
    TensorStorage a = matrix("CSR", 1, 2, new long[] {0, 0, 5}, new long[] {0, 1, 7});
    TensorStorage b = matrix("CSR", 1, 2, new long[] {0, 0, 3});
    TensorStorage c = matrix("CSR", 1, 2, new long[] {0, 0, 100});
    StatementInput input =
        StatementInput.of(
                "C(i,j) += A(i,j) @(min) B(i,j)", Map.of("A", a, "B", b), format("CSR", 2))
            .withPrevious(c);
    assertThat(entries(evaluator.evaluate(scope, input))).isEqualTo("[0, 0]103.0 [0, 1]7.0");
  }

  @Test
  void operandsWithRepeatedLabelsAreTransposed() {
    CooBlock.Builder cube = new CooBlock.Builder(3, 2);
    cube.add(new long[] {0, 0, 1}, 2);
    cube.add(new long[] {1, 1, 0}, 3);
    cube.add(new long[] {0, 1, 0}, 99);
    TensorStorage a =
        Packing.pack(scope, TensorShape.of(2, 2, 2), format("CSF", 3), List.of(cube.build()));
    CooBlock.Builder other = new CooBlock.Builder(3, 2);
    other.add(new long[] {0, 1, 0}, 5);
    other.add(new long[] {1, 0, 1}, 7);
    other.add(new long[] {0, 0, 1}, 1);
    other.add(new long[] {1, 1, 0}, 1);
    TensorStorage b =
        Packing.pack(scope, TensorShape.of(2, 2, 2), format("CSF", 3), List.of(other.build()));
    StatementInput input =
        StatementInput.of("Z(j,k) = A(k,k,j) * B(i,j,k)", Map.of("A", a, "B", b), format("CSF", 2));
    assertThat(entries(evaluator.evaluate(scope, input))).isEqualTo("[0, 1]24.0 [1, 0]12.0");
  }

  @Test
  void denseResultsAccumulate() {
    TensorStorage a = matrix("CSR", 1, 2, new long[] {0, 1, 5});
    TensorStorage c = matrix("CSC", 1, 2, new long[] {0, 1, 1}, new long[] {0, 0, 1});
    assertThat(changed("C(i,j) += A(i,j)", a, c, "Dense")).isEqualTo("[0, 0]1.0 [0, 1]6.0");
    assertThat(changed("C(i,j) -= A(i,j)", a, c, "Dense")).isEqualTo("[0, 0]1.0 [0, 1]-4.0");
  }

  @Test
  void aResultThatOutgrowsItsWidthsGetsWiderOnes() {
    TensorStorage a = TensorStorage.dense(scope, TensorShape.of(20, 300), ValueType.DOUBLE);
    StatementInput input =
        StatementInput.of("C(i,j) = A(i,j)", Map.of("A", a), format("{D, CU[8,8]}", 2));
    TensorStorage result = evaluator.evaluate(scope, input);
    assertThat(result.format()).isEqualTo(format("{D[64,64], CU[16,16]}", 2));
    assertThat(result.storedEntries()).isEqualTo(6000);
  }

  @Test
  void aFailureFreesEverything() {
    TensorStorage a = matrix("CSR", 2, 3, new long[] {0, 2, 5}, new long[] {1, 0, 7});
    TensorStorage b = matrix("CSC", 2, 3, new long[] {0, 2, 1}, new long[] {1, 1, 3});
    MemoryScope limited =
        scope.child(
            "limited",
            new MemorySource() {
              private int left = 3;

              @Override
              public long allocate(long bytes) {
                if (left-- == 0) {
                  throw new WeftException(ErrorCode.OUT_OF_MEMORY, "no memory in this test");
                }
                return MemorySource.system().allocate(bytes);
              }

              @Override
              public void free(long address, long bytes) {
                MemorySource.system().free(address, bytes);
              }
            });
    long blocks = NativeRuntime.statistics().liveBlocks();
    StatementInput input =
        StatementInput.of(
            "C(i,j) = A(i,j) + B(i,j) + 1", Map.of("A", a, "B", b), format("Dense", 2));
    int failed = 0;
    for (int attempt = 0; attempt < 6; attempt++) {
      try {
        evaluator.evaluate(limited, input).close();
      } catch (WeftException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
        failed++;
      }
    }
    assertThat(failed).isPositive();
    assertThat(limited.liveBytes()).isZero();
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(blocks);
  }
}
