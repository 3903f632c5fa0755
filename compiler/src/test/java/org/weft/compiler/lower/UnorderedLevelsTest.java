package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.ArrayCheck;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Unordered levels where loops need increasing coordinates: sorted copies of their segments. */
class UnorderedLevelsTest {
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = x(i)                   | y=CSF:1 x=HashVector:1",
        "y(i) = x(i) + z(i)            | y=CSF:1 x=HashVector:1 z=CSF:1",
        "y(i) = x(i) + z(i)            | y=Dense:1 x=HashVector:1 z=HashVector:1",
        "y(i) = x(i) * z(i)            | y=CSF:1 x=HashVector:1 z=HashVector:1",
        "y(i) = x(i) + z(i) + 1        | y=Dense:1 x=HashVector:1 z=CSF:1",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSR:2 A=HashMatrix:2 B=CSR:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=COO:2 A=HashMatrix:2 B=COO:2",
        "Y(i,j) = A(i,j) - B(i,j) * C(i,j) | Y=CSF:2 A=HashMatrix:2 B=HashMatrix:2 C=CSR:2",
        "Y(i,j) = A(i,k) * B(k,j)      | Y=CSR:2 A=HashMatrix:2 B=HashMatrix:2",
        "Y(j,i) = A(i,j)               | Y=CSR:2 A=HashMatrix:2",
        "Y(i,j) = A(i,j)               | Y=CSR:2 A={H,CU}:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSF:2 A={H,H}:2 B={H,CU}:2",
        "Y(i,j) = A(i,j) + B(i,j)      | Y=CSF:2 A={CU?o,CU}:2 B=CSF:2",
        "Y(i,j) = A(i,j) + B(i,j) + C(i,j) + D(i,j) | Y=CSF:2 A={H,H}:2 B={H,CU}:2 C=CSF:2 D=COO:2"
      })
  void sortedCopies(String expression, String formats) {
    KernelOrdersTest.run(List.of(KernelGoldenTest.sample(expression, formats)));
  }

  /** Pieces of an unordered level, each sorted by itself, would not follow one another. */
  @ParameterizedTest
  @ValueSource(strings = {"{CN,S,S}", "{CU,D,CU}", "{CU,CU,CU}"})
  void resultsOfUnorderedLevelsAreSortedInParallel(String result) {
    TensorFormat vector = TensorFormat.parse("{H}", 1, ValueType.DOUBLE);
    TensorFormat format = TensorFormat.parse(result, 3, ValueType.DOUBLE);
    TensorShape shape = TensorShape.of(3000, 6, 4);
    Map<String, TensorFormat> formats = Map.of("Y", format, "A", vector);
    KernelRequest request =
        new KernelRequest("y", "Y(j,k,i) = A(j)", formats, Map.of(), Schedule.parallel());
    CooBlock.Builder entries = new CooBlock.Builder(1, 100);
    new Random(1)
        .longs(0, shape.size(0))
        .distinct()
        .limit(100)
        .forEach(j -> entries.add(new long[] {j}, 1));
    MemoryScope scope = MemoryScope.root("unordered", MemorySource.system());
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      TensorStorage a =
          Packing.pack(scope, TensorShape.of(shape.size(0)), vector, List.of(entries.build()));
      KernelImage image = compiler.compile(List.of(request));
      try (KernelLibrary library = KernelLibrary.open(image)) {
        Kernel kernel = Kernel.of(library, image.signature("y"));
        Map<String, TensorStorage> made = kernel.run(Map.of("A", a), Map.of("Y", shape), scope, 2);
        assertThat(ArrayCheck.violation(made.get("Y"))).isEmpty();
      }
    } finally {
      scope.close();
    }
  }
}
