package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** A result that outgrows its widths is computed again with wider ones, at the limits of 8 bits. */
class ResultWidthsTest {
  @ParameterizedTest
  @CsvSource({"255, 8, 8", "256, 16, 16", "257, 16, 16"})
  void aResultThatOutgrowsItsWidthsIsWider(int size, int pos, int crd) {
    MemoryScope scope = MemoryScope.root("test", MemorySource.system());
    try (TensorCompiler compiler =
        TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(0))) {
      CooBlock.Builder even = new CooBlock.Builder(1, size);
      CooBlock.Builder odd = new CooBlock.Builder(1, size);
      for (int i = 0; i < size; i++) {
        (i % 2 == 0 ? even : odd).add(new long[] {i}, i + 1);
      }
      TensorShape shape = TensorShape.of(size);
      TensorFormat wide = TensorFormat.csf(1, ValueType.DOUBLE);
      TensorStorage a = Packing.pack(scope, shape, wide, List.of(even.build()));
      TensorStorage b = Packing.pack(scope, shape, wide, List.of(odd.build()));
      TensorStorage c =
          new Evaluator(compiler, 1)
              .evaluate(
                  scope,
                  StatementInput.of(
                      "C(i) = A(i) + B(i)",
                      Map.of("A", a, "B", b),
                      TensorFormat.parse("{CU[8,8]}", 1, ValueType.DOUBLE)));
      int[] next = {0};
      c.forEachEntry(
          (at, value) -> {
            assertThat(at[0]).isEqualTo(next[0]);
            assertThat(value).isEqualTo(++next[0]);
          });
      assertThat(next[0]).isEqualTo(size);
      assertThat(c.format().level(0).posWidth().bits()).isGreaterThanOrEqualTo(pos);
      assertThat(c.format().level(0).crdWidth().bits())
          .isGreaterThanOrEqualTo(size > 256 ? crd : 8);
    } finally {
      scope.close();
    }
  }
}
