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

/** A matrix of finite numbers in a NumPy file of C order. Ranges of rows are read where needed. */
public final class NpyRows implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final String uri;
  private final NpyHeader header;
  private final long rows;
  private final int columns;

  private NpyRows(FileAccess files, String uri, NpyHeader header, long rows, int columns) {
    this.files = files;
    this.uri = uri;
    this.header = header;
    this.rows = rows;
    this.columns = columns;
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
   * Reads the header.
   *
   * @throws WeftException {@code SHAPE_MISMATCH} for another array than a matrix in C order, or as
   *     {@link NpyFile#read}
   */
  public static NpyRows open(FileAccess files, String uri) {
    return find(files, uri)
        .filter(found -> found.header.shape().length == 2)
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.SHAPE_MISMATCH,
                    uri + ": expected a matrix in C order, found another array; write it as such"));
  }

  /** As {@link #open}; a vector is a column. Empty for another array than these. */
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
      return Optional.of(new NpyRows(files, uri, header, shape[0], columns));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The same numbers in one column. */
  public NpyRows asColumn() {
    return new NpyRows(files, uri, header, rows * columns, 1);
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
   * @throws WeftException {@code NONFINITE_VALUE}
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
        NpyFile.requireFinite(uri, values);
        sink.row(row, values);
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }
}
