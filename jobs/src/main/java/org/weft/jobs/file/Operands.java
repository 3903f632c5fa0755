package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpzFile;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/** The dense operands of a job: read from NumPy files, or drawn from a seed. */
public final class Operands {
  private Operands() {}

  /** A matrix, rows x columns; a one-dimensional array is a column. */
  public static DenseMatrix read(FileAccess files, String uri) {
    if (!uri.toLowerCase(Locale.ROOT).endsWith(".npy")) {
      throw new WeftException(
          ErrorCode.INVALID_FORMAT, uri + ": expected a dense operand in a .npy file; convert it");
    }
    return NpyFile.read(files, uri);
  }

  /**
   * The factors of {@code folder}, {@code mode0.npy} onwards, or those of a {@code .npz} file,
   * {@code mode0} onwards; that of {@code mode} is not read, because MTTKRP of that mode does not
   * use it.
   */
  public static List<DenseMatrix> readFactors(
      FileAccess files, String folder, int order, int mode) {
    if (isArchive(folder)) {
      return archivedFactors(files, folder, order, mode);
    }
    List<DenseMatrix> factors = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      factors.add(m == mode ? DenseMatrix.zeros(0, 1) : read(files, factorName(folder, m)));
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
   * Checks the factors of {@link #readFactors}.
   *
   * @param mode whose factor is not there
   * @throws WeftException {@code SHAPE_MISMATCH}, with the file
   */
  public static void requireFactors(
      List<DenseMatrix> factors, String folder, TensorShape shape, int mode, int rank) {
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
      DenseMatrix matrix, String file, TensorShape shape, int mode, int columns) {
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

  private static List<DenseMatrix> archivedFactors(
      FileAccess files, String uri, int order, int mode) {
    Map<String, DenseMatrix> arrays = NpzFile.read(files, uri);
    List<DenseMatrix> factors = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      DenseMatrix factor = m == mode ? DenseMatrix.zeros(0, 1) : arrays.get("mode" + m);
      if (factor == null) {
        throw new WeftException(
            ErrorCode.INVALID_FORMAT,
            uri
                + ": expected an array 'mode"
                + m
                + "', found "
                + String.join(", ", arrays.keySet()));
      }
      factors.add(factor);
    }
    return factors;
  }

  /** Uniform factors in [0, 1): mode m from {@code seed + m}, the same for any partitioning. */
  public static List<DenseMatrix> randomFactors(TensorShape shape, int rank, long seed, int mode) {
    List<DenseMatrix> factors = new ArrayList<>();
    for (int m = 0; m < shape.order(); m++) {
      long rows = m == mode ? 0 : shape.size(m);
      factors.add(DenseMatrix.random(rows, rank, seed + m));
    }
    return factors;
  }
}
