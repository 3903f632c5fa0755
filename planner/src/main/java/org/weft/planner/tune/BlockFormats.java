package org.weft.planner.tune;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Formats of dense blocks for matrices whose entries come in blocks, as those of finite elements
 * with several unknowns a node do: {@code BCSR(3,3)} stores one coordinate for nine values. What a
 * block lacks is stored as zeros, so it has to be nearly full to save bytes.
 */
public final class BlockFormats {
  private static final int[] SIZES = {2, 3, 4, 6};

  /** A multiple of all sizes. */
  private static final int WINDOW = 12;

  /** 2^64 over the golden ratio: multiples have well-spread high bits. */
  private static final long SCATTER = 0x9E3779B97F4A7C15L;

  /** Entries of the sample, about. */
  private static final long SAMPLE = 1 << 16;

  /** Share of the bytes of CSR that is worth another format. */
  private static final double WORTH = 0.9;

  private BlockFormats() {}

  /**
   * Formats that take clearly fewer bytes than CSR, and how many blocks they store; for all but
   * matrices none. Looks at windows of {@value #WINDOW} rows and columns with about 65,536 entries
   * in all, wherever they are: a long row is sampled, too. Cost: a walk over the entries.
   */
  public static Map<TensorFormat, Long> of(TensorStorage matrix) {
    if (matrix.shape().order() != 2 || matrix.storedEntries() == 0) {
      return Map.of();
    }
    long every = Math.max(1, matrix.storedEntries() / SAMPLE);
    List<Set<Long>> blocks = new ArrayList<>();
    for (int size : SIZES) {
      blocks.add(new HashSet<>());
    }
    long[] entries = {0};
    long columns = matrix.shape().size(1);
    matrix.forEachEntry(
        (coordinates, value) -> {
          long window = coordinates[0] / WINDOW * columns + coordinates[1] / WINDOW;
          if ((window * SCATTER >>> 32) % every == 0) {
            entries[0]++;
            for (int s = 0; s < SIZES.length; s++) {
              blocks.get(s).add(coordinates[0] / SIZES[s] * columns + coordinates[1] / SIZES[s]);
            }
          }
        });
    if (entries[0] == 0) {
      return Map.of();
    }
    TensorFormat csr = format("CSR", matrix);
    int value = matrix.format().valueType().bytes();
    double most = WORTH * entries[0] * (value + csr.level(1).crdWidth().bytes());
    Map<TensorFormat, Long> formats = new LinkedHashMap<>();
    for (int s = 0; s < SIZES.length; s++) {
      TensorFormat format = format("BCSR(" + SIZES[s] + "," + SIZES[s] + ")", matrix);
      int coordinate = format.level(1).crdWidth().bytes();
      double bytes = blocks.get(s).size() * (coordinate + (double) SIZES[s] * SIZES[s] * value);
      if (bytes < most) {
        formats.put(format, blocks.get(s).size() * matrix.storedEntries() / entries[0]);
      }
    }
    return formats;
  }

  private static TensorFormat format(String name, TensorStorage matrix) {
    return TensorFormat.parse(
        name, matrix.shape(), matrix.storedEntries(), matrix.format().valueType());
  }
}
