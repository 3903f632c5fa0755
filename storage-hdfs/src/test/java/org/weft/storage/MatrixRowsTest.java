package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Rows of a matrix against the same cells as entries. */
class MatrixRowsTest {
  private static final int ROWS = 40;

  @TempDir Path folder;

  private TensorOutput output(String name, long rows, int columns) throws IOException {
    String uri = folder.resolve(name).toString();
    WriteOptions options = WriteOptions.defaults().withShape(TensorShape.of(rows, columns));
    return TensorFiles.create(FileAccess.local(), uri, true, 2, options);
  }

  /** Row {@code first} and those after it, whose cells are all of them. */
  private static CooBlock cells(int first, int columns, double[] values) {
    int[] row = new int[values.length];
    int[] column = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      row[i] = first + i / columns;
      column[i] = i % columns;
    }
    return CooBlock.ofColumns(new Object[] {row, column}, values, values.length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"m.npy", "m.tns", "m.mtx", "m.wtb"})
  void rowsAreTheCellsOfThem(String name) throws IOException {
    Random random = new Random(5);
    for (int columns : new int[] {1, 3, 16}) {
      try (TensorOutput rows = output("rows-" + name, ROWS, columns);
          TensorOutput entries = output("entries-" + name, ROWS, columns)) {
        for (int row = random.nextInt(3); row < ROWS; ) {
          int count = 1 + random.nextInt(Math.min(4, ROWS - row));
          double[] values = random.doubles((long) count * columns).toArray();
          if (random.nextBoolean()) {
            rows.writeRows(row, columns, values.clone());
          } else {
            rows.write(cells(row, columns, values.clone()));
          }
          entries.write(cells(row, columns, values));
          row += count + random.nextInt(2);
        }
        rows.commit();
        entries.commit();
      }
      assertThat(folder.resolve("rows-" + name))
          .hasSameBinaryContentAs(folder.resolve("entries-" + name));
    }
  }

  @Test
  void rowsOutsideTheMatrixAreRefused() throws IOException {
    for (int first : new int[] {-1, 4, 5}) {
      try (TensorOutput rows = output("m.npy", 5, 2)) {
        assertThatThrownBy(() -> rows.writeRows(first, 2, new double[4]))
            .isInstanceOf(WeftException.class)
            .hasMessageContaining("m.npy: expected coordinates within 5 x 2");
      }
      assertThat(Files.list(folder)).isEmpty();
    }
  }
}
