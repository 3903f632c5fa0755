package org.weft.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;

class DenseMatrixTest {
  @Test
  void rowsCrossChunks() throws IOException {
    DenseMatrix matrix = DenseMatrix.zeros(2_100_000, 3);
    assertThat(matrix.chunkCount()).isEqualTo(2);
    long row = matrix.chunkRows() + 5L;
    matrix.setRow(row, new double[] {0, 1, 2, 3}, 1);
    assertThat(matrix.get(row, 2)).isEqualTo(3);
    double[] copy = new double[3];
    matrix.copyRow(row, copy, 0);
    assertThat(copy).containsExactly(1, 2, 3);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    matrix.writeTo(new DataOutputStream(bytes));
    DenseMatrix read =
        DenseMatrix.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    assertThat(read.get(row, 1)).isEqualTo(2);
    assertThat(read.rows()).isEqualTo(2_100_000);
  }

  @Test
  void randomNumbersDependOnSeedRowAndColumnAlone() {
    DenseMatrix tall = DenseMatrix.random(100, 4, 9);
    DenseMatrix taller = DenseMatrix.random(200, 4, 9);
    double sum = 0;
    for (int row = 0; row < 100; row++) {
      for (int r = 0; r < 4; r++) {
        assertThat(tall.get(row, r)).isEqualTo(taller.get(row, r)).isBetween(0.0, 1.0);
        sum += tall.get(row, r);
      }
    }
    assertThat(sum / 400).isBetween(0.4, 0.6);
    assertThat(DenseMatrix.random(100, 4, 10).get(0, 0)).isNotEqualTo(tall.get(0, 0));
  }

  @Test
  void copiesToNativeMemoryAsDoublesAndFloats() {
    DenseMatrix matrix = DenseMatrix.of(new double[][] {{1, 2}, {3, 4.5}});
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      NativeArray doubles = scope.allocate(ElementType.F64, 4);
      matrix.copyTo(doubles.address());
      NativeArray floats = scope.allocate(ElementType.F32, 4);
      matrix.copyToFloats(floats.address());
      assertThat(doubles.getDouble(3)).isEqualTo(4.5);
      assertThat(floats.getDouble(2)).isEqualTo(3);
    }
  }

  @Test
  void emptyMatricesHaveNoChunks() {
    assertThat(DenseMatrix.zeros(0, 16).chunkCount()).isZero();
    assertThatThrownBy(() -> DenseMatrix.zeros(-1, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMatrixLargerThanTheHeapIsAResourceError() {
    assertThatThrownBy(() -> DenseMatrix.random(Long.MAX_VALUE, 16, 1))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY))
        .hasMessageContaining("9223372036854775807 x 16");
  }
}
