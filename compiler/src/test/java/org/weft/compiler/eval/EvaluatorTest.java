package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
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

class EvaluatorTest {
  private final NativeRuntime.Statistics before = NativeRuntime.statistics();
  private final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  private final TensorCompiler compiler =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));
  private final Evaluator evaluator = new Evaluator(compiler, 2);

  @AfterEach
  void nothingLeaks() {
    scope.close();
    compiler.close();
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks());
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
    assertThatThrownBy(() -> evaluator.evaluate(scope, input)).hasMessageContaining("--size k=N");
    assertThat(entries(evaluator.evaluate(scope, input.withSizes(Map.of("k", 2L)))))
        .isEqualTo("[0, 0]5.0 [0, 1]5.0 [1, 0]0.0 [1, 1]0.0");
  }
}
