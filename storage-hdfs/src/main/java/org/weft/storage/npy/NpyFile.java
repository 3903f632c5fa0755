package org.weft.storage.npy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Compression;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Dense matrices and vectors as NumPy array files. Written as float64, C order, version 1; read in
 * versions 1 to 3, any {@link NpyType}, C and Fortran order.
 */
public final class NpyFile {
  private static final int BUFFER_ELEMENTS = 1 << 13;

  /** Of an integer from 2^63 to 2^64, the bits that no double has. */
  private static final long BETWEEN_LARGE_DOUBLES = (1L << 11) - 1;

  private NpyFile() {}

  /** Rows of a matrix, requested once each, in order, several at a time. */
  @FunctionalInterface
  public interface RowSource {
    /** Fills {@code into} with rows {@code [from, from + count)}, one after another. */
    void rows(long from, int count, double[] into) throws IOException;
  }

  /**
   * The header of a float64 matrix in C order: whoever writes the rows elsewhere puts it first and
   * then the elements as little-endian doubles.
   */
  public static byte[] header(long rows, int columns) {
    return NpyHeader.of(NpyType.F8, rows, columns);
  }

  /** Writes a {@code rows x columns} matrix; memory is some rows. Does not close. */
  public static void write(OutputStream out, long rows, int columns, RowSource source)
      throws IOException {
    out.write(header(rows, columns));
    int most = (int) Math.min(rows, Math.max(1, BUFFER_ELEMENTS / Math.max(1, columns)));
    double[] some = new double[Math.multiplyExact(most, columns)];
    ElementsOut elements = new ElementsOut(out);
    for (long from = 0; from < rows; from += most) {
      int count = (int) Math.min(most, rows - from);
      source.rows(from, count, some);
      elements.write(some, 0, count * columns);
    }
    elements.flush();
  }

  /** Writes {@code matrix}. Does not close {@code out}. */
  public static void write(OutputStream out, DenseMatrix matrix) throws IOException {
    out.write(header(matrix.rows(), matrix.columns()));
    ElementsOut elements = new ElementsOut(out);
    for (int c = 0; c < matrix.chunkCount(); c++) {
      double[] chunk = matrix.chunk(c);
      elements.write(chunk, 0, chunk.length);
    }
    elements.flush();
  }

  /** Writes a one-dimensional array. Does not close {@code out}. */
  public static void writeVector(OutputStream out, double[] values) throws IOException {
    writeArray(out, values, values.length);
  }

  /** Writes an array of this shape, the last mode fastest. Does not close {@code out}. */
  public static void writeArray(OutputStream out, double[] values, long... shape)
      throws IOException {
    out.write(NpyHeader.of(NpyType.F8, shape));
    ElementsOut elements = new ElementsOut(out);
    elements.write(values, 0, values.length);
    elements.flush();
  }

  /**
   * Reads the matrix in the file {@code uri}; a one-dimensional array is a column.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code SHAPE_MISMATCH} for more than two
   *     dimensions, or kind DATA for a file that is no float array or not of its declared length
   */
  public static DenseMatrix read(FileAccess access, String uri) {
    SourceFile file = SourceFile.find(access, uri, false);
    try (InputStream in = file.open(0)) {
      return read(in, uri, file.compression() == Compression.NONE ? file.length() : -1);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** As {@link #read(FileAccess, String)} from a stream, which is read to its end, not closed. */
  public static DenseMatrix read(InputStream in, String name) throws IOException {
    return read(in, name, -1);
  }

  private static DenseMatrix read(InputStream in, String name, long fileBytes) throws IOException {
    NpyHeader header = NpyHeader.read(in, name);
    long[] shape = header.shape();
    if (shape.length < 1 || shape.length > 2) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name
              + ": expected a matrix or a vector, found an array of "
              + Counts.plain(shape.length, "mode"));
    }
    long rows = shape[0];
    long columns = shape.length == 2 ? shape[1] : 1;
    requireLength(header, name, fileBytes);
    if (columns > Integer.MAX_VALUE - 8
        || header.elements() > Runtime.getRuntime().maxMemory() / 8) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          name
              + ": expected a matrix that fits the heap, found "
              + rows
              + " x "
              + columns
              + "; give the process more (WEFT_JAVA_OPTS=-Xmx...)");
    }
    DenseMatrix matrix = DenseMatrix.zeros(rows, (int) columns);
    ElementsIn elements = new ElementsIn(in, name, header, header.elements());
    if (header.fortran()) {
      for (int column = 0; column < columns; column++) {
        for (long row = 0; row < rows; row++) {
          matrix.set(row, column, elements.exact());
        }
      }
    } else {
      for (int c = 0; c < matrix.chunkCount(); c++) {
        elements.read(matrix.chunk(c));
      }
    }
    if (in.read() >= 0) {
      throw NpyHeader.malformed(name, "the end of the file after the last element", "more bytes");
    }
    return matrix;
  }

  /**
   * Reads the array of any modes in the file {@code uri}, the last mode fastest.
   *
   * @param shape that it must have
   * @throws WeftException as {@link #read(FileAccess, String)}, {@code SHAPE_MISMATCH}
   */
  public static double[] readArray(FileAccess access, String uri, long... shape) {
    SourceFile file = SourceFile.find(access, uri, false);
    try (InputStream in = file.open(0)) {
      NpyHeader header = NpyHeader.read(in, uri);
      if (!Arrays.equals(header.shape(), shape) || header.fortran() && shape.length > 1) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            uri
                + ": expected an array in C order of shape "
                + Arrays.toString(shape)
                + ", found one "
                + (header.fortran() && shape.length > 1 ? "in Fortran order " : "")
                + "of shape "
                + Arrays.toString(header.shape()));
      }
      requireLength(header, uri, file.compression() == Compression.NONE ? file.length() : -1);
      double[] values = new double[Math.toIntExact(header.elements())];
      new ElementsIn(in, uri, header, values.length).read(values);
      return values;
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * Reads the number in the file {@code uri}, an array without modes.
   *
   * @return the number as text files have it, with all its digits
   * @throws WeftException as {@link #read(FileAccess, String)}, {@code SHAPE_MISMATCH}
   */
  public static String readNumber(FileAccess access, String uri) {
    SourceFile file = SourceFile.find(access, uri, false);
    try (InputStream in = file.open(0)) {
      NpyHeader header = NpyHeader.read(in, uri);
      if (header.shape().length > 0) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            uri
                + ": expected a number, which is an array without modes, found an array of "
                + Counts.plain(header.shape().length, "mode"));
      }
      requireLength(header, uri, file.compression() == Compression.NONE ? file.length() : -1);
      ElementsIn elements = new ElementsIn(in, uri, header, 1);
      return header.type().isIntegral()
          ? Long.toString(elements.nextLong())
          : Double.toString(elements.next());
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * Checks numbers of a model.
   *
   * @param name of their file
   * @throws WeftException {@code NONFINITE_VALUE}
   */
  public static void requireFinite(String name, double[] numbers) {
    for (double number : numbers) {
      if (!Double.isFinite(number)) {
        throw new WeftException(
            ErrorCode.NONFINITE_VALUE,
            name + ": expected finite numbers, found " + number + "; make the model again");
      }
    }
  }

  /** Checks the length of a file against its shape; {@code fileBytes} -1 if it is not known. */
  static void requireLength(NpyHeader header, String name, long fileBytes) {
    long expected = header.bytes() + header.elements() * header.itemBytes();
    if (fileBytes >= 0 && fileBytes < expected) {
      throw NpyHeader.truncated(
          name,
          "the elements ("
              + Counts.plain(expected, "byte")
              + " declared, "
              + fileBytes
              + " there)");
    }
    if (fileBytes > expected) {
      throw NpyHeader.malformed(
          name,
          Counts.plain(expected, "byte") + ", as the header declares",
          Counts.plain(fileBytes, "byte"));
    }
  }

  /** Little-endian doubles and longs to a stream, buffered. */
  static final class ElementsOut {
    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_ELEMENTS * Double.BYTES];
    private final ByteBuffer elements = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);

    ElementsOut(OutputStream out) {
      this.out = out;
    }

    void write(double[] values, int from, int count) throws IOException {
      int done = 0;
      while (done < count) {
        if (!elements.hasRemaining()) {
          flush();
        }
        int next = Math.min(count - done, elements.remaining() / Double.BYTES);
        elements.asDoubleBuffer().put(values, from + done, next);
        elements.position(elements.position() + next * Double.BYTES);
        done += next;
      }
    }

    void writeLong(long value) throws IOException {
      if (!elements.hasRemaining()) {
        flush();
      }
      elements.putLong(value);
    }

    void flush() throws IOException {
      out.write(buffer, 0, elements.position());
      elements.clear();
    }
  }

  /** {@code count} elements from a stream; reads no byte after them. */
  static final class ElementsIn {
    private final InputStream in;
    private final String name;
    private final NpyType type;
    private final byte[] buffer;
    private final ByteBuffer elements;
    private long unread;
    private int at;
    private int limit;

    /**
     * @param array whose elements they are
     */
    ElementsIn(InputStream in, String name, NpyHeader array, long count) {
      this.in = in;
      this.name = name;
      this.type = array.type();
      this.unread = count * type.bytes();
      this.buffer = new byte[(int) Math.min(count, BUFFER_ELEMENTS) * type.bytes()];
      this.elements =
          ByteBuffer.wrap(buffer)
              .order(array.bigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    }

    /** The place of the next element in the buffer. */
    private int advance() throws IOException {
      if (at == limit) {
        fill();
      }
      int place = at;
      at += type.bytes();
      return place;
    }

    /** The next element, or the double nearest to it. */
    double next() throws IOException {
      return type.value(elements, advance());
    }

    /**
     * The next element, which is an integer.
     *
     * @throws WeftException {@code VALUE_OUT_OF_RANGE} for one of 2^63 or more
     */
    long nextLong() throws IOException {
      long bits = type.integer(elements, advance());
      if (type.isBeyondLong(bits)) {
        throw new WeftException(
            ErrorCode.VALUE_OUT_OF_RANGE,
            name + ": " + ValueType.LONG.refusal(Long.toUnsignedString(bits)));
      }
      return bits;
    }

    /**
     * Reads elements that doubles hold.
     *
     * @throws WeftException {@code VALUE_OUT_OF_RANGE} for an integer that none does
     */
    void read(double[] into) throws IOException {
      for (int i = 0; i < into.length; i++) {
        into[i] = exact();
      }
    }

    /** As above, one. */
    double exact() throws IOException {
      int place = advance();
      double value = type.value(elements, place);
      if (type == NpyType.I8 || type == NpyType.U8) {
        long bits = type.integer(elements, place);
        boolean beyond = type.isBeyondLong(bits);
        boolean exact =
            beyond
                ? (bits & BETWEEN_LARGE_DOUBLES) == 0
                : (long) value == bits && bits != Long.MAX_VALUE;
        if (!exact) {
          throw new WeftException(
              ErrorCode.VALUE_OUT_OF_RANGE,
              name
                  + ": expected integers that a double holds exactly, found "
                  + (beyond ? Long.toUnsignedString(bits) : Long.toString(bits)));
        }
      }
      return value;
    }

    private void fill() throws IOException {
      int wanted = (int) Math.min(unread, buffer.length);
      if (in.readNBytes(buffer, 0, wanted) < wanted) {
        throw NpyHeader.truncated(name, "the elements");
      }
      unread -= wanted;
      at = 0;
      limit = wanted;
    }
  }
}
