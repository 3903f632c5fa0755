package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Labels that an access repeats: diagonals of operands and results. */
class RepeatedLabelsTest {
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,i)                 | y=Dense:1 A=CSR:2",
        "y(i) = A(i,i)                 | y=Dense:1 A=COO:2",
        "y(i) = A(i,i)                 | y=CSF:1 A=CSC:2",
        "y(i) = A(i,i)                 | y=CSF:1 A=Dense:2",
        "s = A(i,i)                    | s=Dense:0 A=CSF:2",
        "s = T(i,i,i)                  | s=Dense:0 T=CSF:3",
        "s = A(i,i) * B(j,j)           | s=Dense:0 A=CSF:2 B=COO:2",
        "Y(i,j) = T(i,j,i)             | Y=CSR:2 T=CSF:3",
        "Y(j,i) = T(i,j,i)             | Y=CSR:2 T=CSF@2,1,0:3",
        "Y(i,k) = T(i,j,j) * B(j,k)    | Y=CSR:2 T=CSF:3 B=CSR:2",
        "y(i) = A(i,i) + 2 * B(i,i)    | y=CSF:1 A=CSR:2 B=COO:2",
        "B(i,i) = x(i)                 | B=Dense:2 x=CSF:1",
        "B(i,i) = x(i)                 | B=CSR:2 x=CSF:1",
        "B(i,i) = x(i) + 1             | B=CSC:2 x=CSF:1",
        "B(i,i) = x(i)                 | B=COO:2 x=Dense:1",
        "B(i,i) += A(i,i)              | B=Dense:2 A=CSR:2",
        "B(i,i,j) = A(j,i)             | B=CSF:3 A=CSR:2",
        "B(j,i,i) = A(j,j,i)           | B=CSF@1,0,2:3 A=CSF:3",
        "B(i,i) = A(i,k) * A2(k,i)     | B=CSR:2 A=CSR:2 A2=CSC:2"
      })
  void diagonals(String expression, String formats) {
    KernelOrdersTest.run(List.of(KernelGoldenTest.sample(expression, formats)));
  }

  @Test
  void sizesThatDisagreeAreAnErrorBeforeTheKernelRuns() {
    rejects("y(i) = A(i,j) * x(j)", 4, 3, 4, "label j has size 3 in mode 1 of A but size 4");
    rejects("y(i) = A(i,i) * x(i)", 4, 3, 4, "label i has size 4 in mode 0 of y but size 3");
    rejects("y(j) = A(i,j) * x(i)", 4, 4, 3, "label i has size 4 in mode 0 of A but size 3");
  }

  private static void rejects(
      String expression, long rows, long columns, long length, String message) {
    TensorFormat dense = TensorFormat.dense(1, ValueType.DOUBLE);
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    KernelCase sample = KernelGoldenTest.sample(expression, "y=Dense:1 A=CSR:2 x=Dense:1");
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      KernelImage image = compiler.compile(List.of(sample.request("kernel")));
      MemoryScope scope = MemoryScope.root("sizes", MemorySource.system());
      try (KernelLibrary library = KernelLibrary.open(image)) {
        Kernel kernel = Kernel.of(library, image.kernels().get(0));
        Map<String, TensorStorage> bound =
            Map.of(
                "y", sample(scope, TensorShape.of(4), dense),
                "A", sample(scope, TensorShape.of(rows, columns), csr),
                "x", sample(scope, TensorShape.of(length), dense));
        assertThatThrownBy(() -> kernel.run(bound, Map.of(), scope, 1))
            .isInstanceOf(WeftException.class)
            .hasMessageContaining(message)
            .satisfies(
                e -> assertThat(((WeftException) e).code()).isEqualTo(ErrorCode.SHAPE_MISMATCH));
      } finally {
        scope.close();
      }
    }
  }

  private static TensorStorage sample(MemoryScope scope, TensorShape shape, TensorFormat format) {
    return SampleTensor.random(new Random(1), format, shape, 1).pack(scope);
  }
}
