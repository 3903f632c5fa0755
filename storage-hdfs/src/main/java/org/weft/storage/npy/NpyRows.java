package org.weft.storage.npy;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;

/** A matrix in a NumPy file of C order. Ranges of rows are read where needed. */
public final class NpyRows implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final String uri;
  private final NpyHeader header;
  private final long rows;
  private final int columns;
  private final boolean finite;

  private NpyRows(
      FileAccess files, String uri, NpyHeader header, long rows, int columns, boolean finite) {
    this.files = files;
    this.uri = uri;
    this.header = header;
    this.rows = rows;
    this.columns = columns;
    this.finite = finite;
  }

  /** Receives rows in order. */
  @FunctionalInterface
  public interface RowSink {
    /**
     * @param values one for each column; valid during the call
     */
    void row(long row, double[] values) throws IOException;
  }

  /**
   * Reads the header of a matrix of a model, whose numbers must be finite.
   *
   * @throws WeftException {@code SHAPE_MISMATCH} for another array than a matrix in C order, or as
   *     {@link NpyFile#read}
   */
  public static NpyRows open(FileAccess files, String uri) {
    return find(files, uri)
        .filter(found -> found.header.shape().length == 2)
        .map(found -> new NpyRows(files, uri, found.header, found.rows, found.columns, true))
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.SHAPE_MISMATCH,
                    uri + ": expected a matrix in C order, found another array; write it as such"));
  }

  /** A matrix or a vector, which is a column, of any numbers. Empty for another array. */
  public static Optional<NpyRows> find(FileAccess files, String uri) {
    SourceFile file = SourceFile.find(files, uri, false);
    try (InputStream in = file.open(0)) {
      NpyHeader header = NpyHeader.read(in, uri);
      long[] shape = header.shape();
      if (shape.length < 1
          || shape.length > 2
          || header.fortran() && shape.length == 2 && Math.min(shape[0], shape[1]) > 1) {
        return Optional.empty();
      }
      NpyFile.requireLength(header, uri, file.length());
      int columns = shape.length == 1 ? 1 : Math.toIntExact(shape[1]);
      return Optional.of(new NpyRows(files, uri, header, shape[0], columns, false));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The same numbers in one column. */
  public NpyRows asColumn() {
    return new NpyRows(files, uri, header, rows * columns, 1, finite);
  }

  public long rows() {
    return rows;
  }

  public int columns() {
    return columns;
  }

  /** Rows from {@code from} on. */
  public DenseMatrix read(long from, int count) {
    DenseMatrix read = DenseMatrix.zeros(count, columns());
    forEach(from, from + count, (row, values) -> read.setRow(row - from, values, 0));
    return read;
  }

  /**
   * Reads rows {@code [from, to)} in order; memory is one row and a buffer.
   *
   * @throws WeftException {@code NONFINITE_VALUE} for a matrix of a model
   */
  public void forEach(long from, long to, RowSink sink) {
    Path path = files.path(uri);
    long rowBytes = (long) columns * header.itemBytes();
    try (FSDataInputStream in = files.fileSystem(path).open(path)) {
      in.seek(header.bytes() + from * rowBytes);
      NpyFile.ElementsIn elements = new NpyFile.ElementsIn(in, uri, header, (to - from) * columns);
      double[] values = new double[columns];
      for (long row = from; row < to; row++) {
        elements.read(values);
        if (finite) {
          NpyFile.requireFinite(uri, values);
        }
        sink.row(row, values);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }
}
