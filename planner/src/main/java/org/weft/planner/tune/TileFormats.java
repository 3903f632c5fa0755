package org.weft.planner.tune;

import java.util.List;
import java.util.Locale;
import org.weft.planner.machine.MachineParameters;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Formats of tiles for matrices whose columns choose rows of a dense operand, as those of an SpMM
 * do: in {@code {D:0/1024, D:1/1024, D:0%1024, CU:1%1024}} the entries of 1,024 columns come
 * together, so that as many rows of the operand stay in the second-level cache. Tasks share blocks
 * of rows. A row of the result is read and written once for each tile, which has to hold several
 * entries of a row to be worth it.
 */
public final class TileFormats {
  /** Smaller tiles leave little of the rows. */
  private static final long FEWEST_COLUMNS = 256;

  private static final int FEWEST_TILES = 3;

  /** Expected entries of a row in a tile: with fewer, rows of the result cost what tiles save. */
  private static final double FEWEST_ENTRIES = 4;

  private TileFormats() {}

  /**
   * Formats that keep up to half of a core's cache for rows of the operand; none where all rows
   * fit, for matrices with few entries a tile, and for all but matrices.
   *
   * @param rowBytes of the dense operand, for one column of the matrix
   */
  public static List<TensorFormat> of(
      TensorStorage matrix, double rowBytes, MachineParameters machine) {
    if (matrix.shape().order() != 2 || matrix.format().isDense() || rowBytes <= 0) {
      return List.of();
    }
    if (matrix.shape().size(1) * rowBytes <= machine.cacheBytes()) {
      return List.of();
    }
    long tile = Long.highestOneBit((long) (machine.cacheBytes() / 2 / rowBytes));
    double rows = matrix.shape().size(0);
    double tiles = Math.ceil(matrix.shape().size(1) / (double) Math.max(1, tile));
    if (tile < FEWEST_COLUMNS
        || tiles < FEWEST_TILES
        || matrix.storedEntries() < FEWEST_ENTRIES * rows * tiles) {
      return List.of();
    }
    String text = String.format(Locale.ROOT, "{D:0/%1$d, D:1/%1$d, D:0%%%1$d, CU:1%%%1$d}", tile);
    TensorFormat format = TensorFormat.parse(text, 2, matrix.format().valueType());
    return List.of(format.narrowedFor(matrix.shape(), matrix.storedEntries()));
  }
}
