package org.weft.decomposition.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

class RangeOfRowsTest {
  private static final int COLUMNS = 3;

  /** Rows that are replaced may hold anything before: they are not even cleared. */
  @ParameterizedTest
  @CsvSource({"0, 3, DOUBLE", "0, 0, DOUBLE", "1, 3, FLOAT", "700, 3, DOUBLE", "700, 0, FLOAT"})
  void replacedRowsDoNotDependOnWhatTheyWere(int count, int rank, ValueType type) {
    RowAlgebra algebra = RowAlgebra.of(rank, type);
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Map<String, Kernel> kernels = new HashMap<>();
      List<KernelRequest> requests = List.of(algebra.product(), algebra.copy());
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (KernelRequest request : requests) {
          kernels.put(request.symbol(), Kernel.of(library, image, request.symbol()));
        }
      }
      Map<String, TensorStorage> rows = new HashMap<>();
      for (String name : List.of("A", "B", "M")) {
        TensorShape shape = TensorShape.of(count, COLUMNS);
        TensorFormat format = TensorFormat.dense(2, type);
        TensorStorage filled = TensorStorage.denseUninitialized(scope, shape, format);
        for (int i = 0; i < count * COLUMNS; i++) {
          filled.vals().setDouble(i, name.equals("M") ? i % 7 : Double.NaN);
        }
        rows.put(name, filled);
      }
      double[] reversed = {0, 0, 2, 0, 2, 0, 2, 0, 0};
      new RangeOfRows(kernels::get, 2, rows, scope)
          .run(
              List.of(algebra.product("A", "M", "P"), algebra.copy("B", "M")),
              Map.of("P", new SmallMatrix(COLUMNS, COLUMNS, reversed)));
      for (int i = 0; i < count * COLUMNS; i++) {
        int mirrored = i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS;
        assertThat(rows.get("A").vals().getDouble(i)).isEqualTo(mirrored % 7 * 2);
        assertThat(rows.get("B").vals().getDouble(i)).isEqualTo(i % 7);
      }
    }
  }
}
