package org.weft.tensor;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ArrayBytes;
import org.weft.memory.NativeMemory;
import org.weft.text.Bytes;

/**
 * A dense matrix of doubles on the Java heap, row-major, in chunks of whole rows: factor matrices
 * (mode size x R), vectors (one column). Rows may exceed 2^31.
 */
public final class DenseMatrix implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int CHUNK_ELEMENTS = 1 << 22;

  private final long rows;
  private final int columns;
  private final int chunkRows;
  private final double[][] chunks;

  private DenseMatrix(long rows, int columns) {
    if (rows < 0 || columns < 0) {
      throw new IllegalArgumentException("negative shape " + rows + " x " + columns);
    }
    requireFits(rows, columns);
    this.rows = rows;
    this.columns = columns;
    this.chunkRows = Math.max(1, CHUNK_ELEMENTS / Math.max(1, columns));
    int count = Math.toIntExact((rows + chunkRows - 1) / chunkRows);
    chunks = new double[count][];
    for (int c = 0; c < count; c++) {
      long inChunk = Math.min(chunkRows, rows - (long) c * chunkRows);
      chunks[c] = new double[Math.toIntExact(inChunk * columns)];
    }
  }

  private static void requireFits(long rows, int columns) {
    double bytes = (double) rows * columns * Double.BYTES;
    long heap = Runtime.getRuntime().maxMemory();
    if (bytes > heap) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "a dense matrix of %d x %d needs %s, but this process has %s of heap;"
                  + " give it more (WEFT_JAVA_OPTS=-Xmx...), or work on a mode with fewer slices",
              rows,
              columns,
              Bytes.text(bytes),
              Bytes.text(heap)));
    }
  }

  /**
   * @throws WeftException {@code OUT_OF_MEMORY} if the matrix is larger than the whole heap
   */
  public static DenseMatrix zeros(long rows, int columns) {
    return new DenseMatrix(rows, columns);
  }

  /** A copy of {@code rows}, which must all have the same length. */
  public static DenseMatrix of(double[][] rows) {
    DenseMatrix matrix = new DenseMatrix(rows.length, rows.length == 0 ? 0 : rows[0].length);
    for (int i = 0; i < rows.length; i++) {
      if (rows[i].length != matrix.columns) {
        throw new IllegalArgumentException("row " + i + " has another length than row 0");
      }
      matrix.setRow(i, rows[i], 0);
    }
    return matrix;
  }

  /** A single column. */
  public static DenseMatrix column(double[] values) {
    DenseMatrix matrix = new DenseMatrix(values.length, 1);
    for (int i = 0; i < values.length; i++) {
      matrix.set(i, 0, values[i]);
    }
    return matrix;
  }

  /**
   * Uniform numbers in [0, 1), a function of seed, row and column alone: the same whatever part of
   * the matrix is made where (SplitMix64, Steele, Lea and Flood, 2014).
   */
  public static DenseMatrix random(long rows, int columns, long seed) {
    DenseMatrix matrix = new DenseMatrix(rows, columns);
    for (long row = 0; row < rows; row++) {
      double[] chunk = matrix.chunks[(int) (row / matrix.chunkRows)];
      randomRow(seed, row, chunk, (int) (row % matrix.chunkRows) * columns, columns);
    }
    return matrix;
  }

  /** One row of {@link #random}: {@code columns} numbers from {@code into[at]} on. */
  public static void randomRow(long seed, long row, double[] into, int at, int columns) {
    long state = mix(seed * 0x9E3779B97F4A7C15L + row);
    for (int r = 0; r < columns; r++) {
      state += 0x9E3779B97F4A7C15L;
      into[at + r] = (mix(state) >>> 11) * 0x1.0p-53;
    }
  }

  private static long mix(long z) {
    long x = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }

  public long rows() {
    return rows;
  }

  public int columns() {
    return columns;
  }

  /** Rows in every chunk but the last. */
  public int chunkRows() {
    return chunkRows;
  }

  public int chunkCount() {
    return chunks.length;
  }

  /** The storage of rows {@code [i * chunkRows(), ...)}, row-major; writes show. */
  public double[] chunk(int i) {
    return chunks[i];
  }

  public double get(long row, int column) {
    return chunks[(int) (row / chunkRows)][(int) (row % chunkRows) * columns + column];
  }

  public void set(long row, int column, double value) {
    chunks[(int) (row / chunkRows)][(int) (row % chunkRows) * columns + column] = value;
  }

  /** Copies a row into {@code into} from {@code at} on. */
  public void copyRow(long row, double[] into, int at) {
    System.arraycopy(
        chunks[(int) (row / chunkRows)], (int) (row % chunkRows) * columns, into, at, columns);
  }

  /** Replaces a row by the numbers of {@code from} from {@code at} on. */
  public void setRow(long row, double[] from, int at) {
    System.arraycopy(
        from, at, chunks[(int) (row / chunkRows)], (int) (row % chunkRows) * columns, columns);
  }

  public DenseMatrix copy() {
    DenseMatrix copy = new DenseMatrix(rows, columns);
    for (int c = 0; c < chunks.length; c++) {
      System.arraycopy(chunks[c], 0, copy.chunks[c], 0, chunks[c].length);
    }
    return copy;
  }

  /** A copy of the rows {@code from} to {@code to}, exclusive. */
  public DenseMatrix slice(long from, long to) {
    DenseMatrix slice = new DenseMatrix(to - from, columns);
    for (long row = from; row < to; row++) {
      slice.setRow(row - from, chunks[(int) (row / chunkRows)], (int) (row % chunkRows) * columns);
    }
    return slice;
  }

  /** Copies all elements, row-major doubles, to native memory. */
  public void copyTo(long address) {
    long at = address;
    for (double[] chunk : chunks) {
      NativeMemory.copyFromArray(chunk, 0, at, chunk.length);
      at += 8L * chunk.length;
    }
  }

  /** Replaces all elements by row-major doubles of native memory. */
  public void copyFrom(long address) {
    long at = address;
    for (double[] chunk : chunks) {
      NativeMemory.copyToArray(at, chunk, 0, chunk.length);
      at += 8L * chunk.length;
    }
  }

  /** As {@link #copyTo} with each element rounded to float. */
  public void copyToFloats(long address) {
    long at = address;
    for (double[] chunk : chunks) {
      for (double value : chunk) {
        NativeMemory.putFloat(at, (float) value);
        at += Float.BYTES;
      }
    }
  }

  /** As {@link #copyFrom} of floats. */
  public void copyFromFloats(long address) {
    long at = address;
    for (double[] chunk : chunks) {
      for (int i = 0; i < chunk.length; i++) {
        chunk[i] = NativeMemory.getFloat(at);
        at += Float.BYTES;
      }
    }
  }

  public void writeTo(DataOutput out) throws IOException {
    out.writeLong(rows);
    out.writeInt(columns);
    for (double[] chunk : chunks) {
      ArrayBytes.write(out, chunk, chunk.length);
    }
  }

  public static DenseMatrix readFrom(DataInput in) throws IOException {
    long rows = in.readLong();
    DenseMatrix matrix = new DenseMatrix(rows, in.readInt());
    for (double[] chunk : matrix.chunks) {
      ArrayBytes.read(in, chunk);
    }
    return matrix;
  }
}
