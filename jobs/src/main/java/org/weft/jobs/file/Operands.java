package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.decomposition.rows.RandomRows;
import org.weft.decomposition.rows.RowSource;
import org.weft.engine.FileRows;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpyRows;
import org.weft.storage.npy.NpzFile;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/** The dense operands of a job: rows of NumPy files, or drawn from a seed. */
public final class Operands {
  private static final RowSource NONE = new RandomRows(0, 0, 1);

  private Operands() {}

  /**
   * A matrix, rows x columns; a one-dimensional array is a column. Whoever needs rows reads them,
   * unless the array is in Fortran order, which is read at once.
   */
  public static RowSource open(FileAccess files, String uri) {
    if (!uri.toLowerCase(Locale.ROOT).endsWith(".npy")) {
      throw new WeftException(
          ErrorCode.INVALID_FORMAT, uri + ": expected a dense operand in a .npy file; convert it");
    }
    return NpyRows.find(files, uri)
        .<RowSource>map(FileRows::of)
        .orElseGet(() -> RowSource.of(NpyFile.read(files, uri)));
  }

  /** A vector: an array of one mode, or a matrix of one column or one row. */
  public static RowSource openVector(FileAccess files, String uri) {
    RowSource found = open(files, uri);
    if (found.columns() != 1 && found.rows() != 1) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected a vector, found a matrix of %d x %d; use weft ttm for matrices",
              uri,
              found.rows(),
              found.columns()));
    }
    return found instanceof FileRows rows ? FileRows.of(rows.file().asColumn()) : found;
  }

  /**
   * The factors of {@code folder}, {@code mode0.npy} onwards, or those of a {@code .npz} file,
   * {@code mode0} onwards; that of {@code mode} is not read, because MTTKRP of that mode does not
   * use it.
   */
  public static List<RowSource> openFactors(FileAccess files, String folder, int order, int mode) {
    if (isArchive(folder)) {
      return archivedFactors(files, folder, order, mode);
    }
    List<RowSource> factors = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      factors.add(m == mode ? NONE : open(files, factorName(folder, m)));
    }
    return factors;
  }

  /** The file of a factor in {@code folder}, or what messages call it in a {@code .npz} file. */
  private static String factorName(String folder, int mode) {
    String file = "mode" + mode + ".npy";
    return isArchive(folder)
        ? folder + "(" + file + ")"
        : folder.endsWith("/") ? folder + file : folder + "/" + file;
  }

  private static boolean isArchive(String uri) {
    return uri.toLowerCase(Locale.ROOT).endsWith(".npz");
  }

  /**
   * Checks the factors of {@link #openFactors}.
   *
   * @param mode whose factor is not there
   * @throws WeftException {@code SHAPE_MISMATCH}, with the file
   */
  public static void requireFactors(
      List<RowSource> factors, String folder, TensorShape shape, int mode, int rank) {
    for (int m = 0; m < factors.size(); m++) {
      if (m != mode) {
        requireShape(factors.get(m), factorName(folder, m), shape, m, rank);
      }
    }
  }

  /**
   * Checks a matrix against the mode that it belongs to.
   *
   * @throws WeftException {@code SHAPE_MISMATCH}, with the file
   */
  public static void requireShape(
      RowSource matrix, String file, TensorShape shape, int mode, int columns) {
    if (columns == 1 && matrix.columns() == 1 && matrix.rows() != shape.size(mode)) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected %s, the size of mode %d, found %d",
              file,
              Counts.plain(shape.size(mode), "number"),
              mode,
              matrix.rows()));
    }
    if (matrix.rows() != shape.size(mode) || matrix.columns() != columns) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          String.format(
              Locale.ROOT,
              "%s: expected %d x %d, as mode %d has size %d, found %d x %d",
              file,
              shape.size(mode),
              columns,
              mode,
              shape.size(mode),
              matrix.rows(),
              matrix.columns()));
    }
  }

  private static List<RowSource> archivedFactors(
      FileAccess files, String uri, int order, int mode) {
    Map<String, DenseMatrix> arrays = NpzFile.read(files, uri);
    List<RowSource> factors = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      if (m == mode) {
        factors.add(NONE);
        continue;
      }
      DenseMatrix factor = arrays.get("mode" + m);
      if (factor == null) {
        throw new WeftException(
            ErrorCode.INVALID_FORMAT,
            uri
                + ": expected an array 'mode"
                + m
                + "', found "
                + String.join(", ", arrays.keySet()));
      }
      factors.add(RowSource.of(factor));
    }
    return factors;
  }

  /** A uniform factor in [0, 1), from {@code seed + mode}: the same for any partitioning. */
  public static RowSource random(TensorShape shape, int mode, int rank, long seed) {
    return new RandomRows(seed + mode, shape.size(mode), rank);
  }
}
