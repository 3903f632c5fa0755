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
          ErrorCode.INVALID_FORMAT,
          uri + ": expected a dense operand in a .npy file (float64 or float32); convert it");
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
    if (folder.toLowerCase(Locale.ROOT).endsWith(".npz")) {
      return archivedFactors(files, folder, order, mode);
    }
    List<DenseMatrix> factors = new ArrayList<>();
    String base = folder.endsWith("/") ? folder : folder + "/";
    for (int m = 0; m < order; m++) {
      factors.add(m == mode ? DenseMatrix.zeros(0, 1) : read(files, base + "mode" + m + ".npy"));
    }
    return factors;
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
