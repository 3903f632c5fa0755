package org.weft.spark.ingest;

import java.util.List;
import org.weft.tensor.CooBlock;

/** Rows of labels that are too rare. */
final class RareKeys {
  private RareKeys() {}

  /**
   * Drops rows until every key that is left has the rows that its mode asks for.
   *
   * @param rows whose coordinates are numbers of {@code keys}
   * @return passes over the rows; 0 if no mode asks for any
   */
  static int drop(List<CooBlock> rows, List<ModeSpec> modes, List<ModeKeys> keys) {
    if (modes.stream().allMatch(mode -> mode.minCount() <= 1)) {
      return 0;
    }
    int rounds = 0;
    boolean fewer = true;
    while (fewer && rows.stream().anyMatch(block -> block.size() > 0)) {
      fewer = drop(rows, modes, counts(rows, keys));
      rounds++;
    }
    return rounds;
  }

  private static long[][] counts(List<CooBlock> rows, List<ModeKeys> keys) {
    long[][] counts = new long[keys.size()][];
    for (int mode = 0; mode < counts.length; mode++) {
      counts[mode] = new long[keys.get(mode).size()];
      for (CooBlock block : rows) {
        int[] numbers = block.intColumn(mode);
        for (int row = 0; row < block.size(); row++) {
          counts[mode][numbers[row]]++;
        }
      }
    }
    return counts;
  }

  private static boolean drop(List<CooBlock> rows, List<ModeSpec> modes, long[][] counts) {
    boolean fewer = false;
    for (int b = 0; b < rows.size(); b++) {
      CooBlock block = rows.get(b);
      int[] kept = new int[block.size()];
      int count = 0;
      for (int row = 0; row < kept.length; row++) {
        boolean keep = true;
        for (int mode = 0; mode < counts.length && keep; mode++) {
          long least = modes.get(mode).minCount();
          keep = counts[mode][block.intColumn(mode)[row]] >= least;
        }
        if (keep) {
          kept[count++] = row;
        }
      }
      if (count < kept.length) {
        rows.set(b, block.select(java.util.Arrays.copyOf(kept, count)));
        fewer = true;
      }
    }
    return fewer;
  }
}
