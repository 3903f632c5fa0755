package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/** NumPy files, byte for byte as NumPy writes them. */
class NpyFileTest {
  @TempDir Path folder;

  private static byte[] file(
      int version, String dtype, boolean fortran, String shape, double... v) {
    String text =
        "{'descr': '"
            + dtype
            + "', 'fortran_order': "
            + (fortran ? "True" : "False")
            + ", 'shape': "
            + shape
            + ", }\n";
    int item = dtype.endsWith("4") ? 4 : 8;
    ByteBuffer out =
        ByteBuffer.allocate(8 + (version == 1 ? 2 : 4) + text.length() + item * v.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII));
    out.put((byte) version).put((byte) 0);
    if (version == 1) {
      out.putShort((short) text.length());
    } else {
      out.putInt(text.length());
    }
    out.put(text.getBytes(StandardCharsets.US_ASCII));
    for (double value : v) {
      if (item == 4) {
        out.putFloat((float) value);
      } else {
        out.putDouble(value);
      }
    }
    return out.array();
  }

  private static DenseMatrix read(byte[] bytes) throws Exception {
    return NpyFile.read(new ByteArrayInputStream(bytes), "m.npy");
  }

  private static String describe(DenseMatrix m) {
    StringBuilder text = new StringBuilder();
    for (long i = 0; i < m.rows(); i++) {
      double[] row = new double[m.columns()];
      m.copyRow(i, row, 0);
      text.append(Arrays.toString(row));
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({"1, <f8", "2, <f8", "3, <f8", "1, <f4"})
  void readsVersionsTypesAndOrders(int version, String dtype) throws Exception {
    double[] v = {1, 2, 3, 4, 5, 6};
    assertThat(describe(read(file(version, dtype, false, "(2, 3)", v))))
        .isEqualTo("[1.0, 2.0, 3.0][4.0, 5.0, 6.0]");
    assertThat(describe(read(file(version, dtype, true, "(2, 3)", v))))
        .isEqualTo("[1.0, 3.0, 5.0][2.0, 4.0, 6.0]");
    assertThat(describe(read(file(version, dtype, false, "(2,)", 7, 8)))).isEqualTo("[7.0][8.0]");
    assertThat(read(file(version, dtype, false, "(0, 3)")).rows()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<c16|(2,)|<f8, <f4",
        "<f8|(2, 1, 1)|a matrix or a vector",
        "<f8|(3,)|end of the file",
        "<f8|(1,)|more bytes",
        "<f8|(x,)|a shape of integers",
        "<f8|(-2,)|mode sizes",
        "<f8|(99999999999, 99999999999)|mode sizes",
        "<f8|(99999999, 99999999)|fits the heap",
        "<f8|()|a matrix or a vector"
      })
  void refusesOthers(String dtype, String shape, String says) {
    assertThatThrownBy(() -> read(file(1, dtype, false, shape, 1, 2)))
        .isInstanceOf(WeftException.class)
        .hasMessageStartingWith("m.npy: ")
        .hasMessageContaining(says);
  }

  private static void fill(long from, int count, int columns, double[] into) {
    for (int e = 0; e < count * columns; e++) {
      into[e] = (from + e / columns) * 10 + e % columns;
    }
  }

  @ParameterizedTest
  @CsvSource({"0,3", "1,1", "8191,1", "8193,1", "5000,7", "3,9000", "4,0"})
  void rowsOfAnyNumberAndLengthAreWrittenInOrder(long rows, int columns) throws Exception {
    List<Long> asked = new ArrayList<>();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    NpyFile.write(
        out,
        rows,
        columns,
        (from, count, into) -> {
          for (long row = from; row < from + count; row++) {
            asked.add(row);
          }
          fill(from, count, columns, into);
        });
    assertThat(asked).isEqualTo(LongStream.range(0, rows).boxed().toList());
    DenseMatrix expected = DenseMatrix.zeros(rows, columns);
    for (long row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        expected.set(row, column, row * 10 + column);
      }
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    NpyFile.write(whole, expected);
    assertThat(out.toByteArray()).isEqualTo(whole.toByteArray());
  }

  @Test
  void writesWhatNumPyWouldWrite() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    NpyFile.RowSource rows = (from, count, into) -> fill(from, count, 3, into);
    NpyFile.write(out, 2, 3, rows);
    byte[] bytes = out.toByteArray();
    assertThat(bytes).hasSize(128 + 48);
    assertThat(new String(bytes, 10, 118, StandardCharsets.US_ASCII))
        .startsWith("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  ")
        .endsWith(" \n");
    assertThat(describe(read(bytes))).isEqualTo("[0.0, 1.0, 2.0][10.0, 11.0, 12.0]");
    ByteArrayOutputStream again = new ByteArrayOutputStream();
    NpyFile.write(again, read(bytes));
    assertThat(again.toByteArray()).isEqualTo(bytes);
    ByteArrayOutputStream vector = new ByteArrayOutputStream();
    NpyFile.writeVector(vector, new double[] {4, 5});
    assertThat(vector.toString(StandardCharsets.ISO_8859_1)).contains("'shape': (2,)");
    assertThat(describe(read(vector.toByteArray()))).isEqualTo("[4.0][5.0]");
  }

  /** Zeros are written as they are: nothing may be begun that the disk cannot hold. */
  @Test
  void anArrayThatTheDiskCannotHoldIsRefusedAtOnce() {
    WriteOptions huge = WriteOptions.defaults().withShape(TensorShape.of(1L << 40, 1L << 10));
    String uri = folder.resolve("huge.npy").toString();
    assertThatThrownBy(() -> TensorFiles.create(FileAccess.local(), uri, false, 2, huge))
        .hasMessageContaining("expected 8.0 PiB of free space")
        .hasMessageContaining("write a sparse format");
    assertThat(folder).isEmptyDirectory();
  }
}
