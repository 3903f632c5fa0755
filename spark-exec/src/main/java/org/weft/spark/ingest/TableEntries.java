package org.weft.spark.ingest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.spark.key.KeySort;
import org.weft.spark.label.EntryRanges;
import org.weft.tensor.CooBlock;

/** Entries in order: those of the rows that {@link KeySort} has put together. */
final class TableEntries {
  private static final int BLOCK = 1 << 16;

  private final KeySort rows;
  private final int order;

  /** The first row of every entry. */
  private final int[] places;

  private final double[] values;
  private final int count;

  /** The first entry without a value that the job allows; -1: all have one. */
  private final int wrong;

  private final boolean none;

  private TableEntries(
      KeySort rows, int order, int[] places, double[] values, int count, int wrong, boolean none) {
    this.rows = rows;
    this.order = order;
    this.places = places;
    this.values = values;
    this.count = count;
    this.wrong = wrong;
    this.none = none;
  }

  static TableEntries of(KeySort rows, IngestJob job) {
    int[] places = new int[rows.rows()];
    double[] values = new double[rows.rows()];
    Aggregation aggregation = new Aggregation(job);
    int count = 0;
    int wrong = -1;
    boolean none = false;
    for (int row = 0; row < rows.rows(); ) {
      places[count] = row;
      aggregation.clear();
      do {
        aggregation.add(rows.value(row++));
      } while (row < rows.rows() && rows.repeats(row));
      double value = aggregation.result();
      values[count] = value;
      if (wrong < 0 && aggregation.isWrong(value)) {
        wrong = count;
        none = aggregation.isNone();
      }
      count++;
    }
    return new TableEntries(rows, job.modes().size(), places, values, count, wrong, none);
  }

  int count() {
    return count;
  }

  /** The label of a coordinate. */
  interface LabelOf {
    String label(int mode, long coordinate);
  }

  /**
   * Checks that every entry has a value.
   *
   * @throws org.weft.error.WeftException {@code NONFINITE_VALUE}
   */
  void requireValues(IngestJob job, LabelOf labels) {
    if (wrong >= 0) {
      String names =
          IntStream.range(0, order)
              .mapToObj(mode -> labels.label(mode, rows.coordinate(places[wrong], mode)))
              .collect(Collectors.joining(", "));
      throw IngestOutput.noValue(job, names, none ? "none" : Double.toString(values[wrong]));
    }
  }

  /** The first entries of ranges of coordinates of {@code root}, the outermost mode. */
  int[] ranges(int root, long size) {
    long width = EntryRanges.width(size);
    List<long[]> sums = new ArrayList<>();
    List<Integer> firsts = new ArrayList<>();
    for (int entry = 0; entry < count; entry++) {
      long block = rows.coordinate(places[entry], root) / width;
      if (sums.isEmpty() || sums.get(sums.size() - 1)[0] != block) {
        sums.add(new long[] {block, 0});
        firsts.add(entry);
      }
      sums.get(sums.size() - 1)[1]++;
    }
    long[] coordinates = EntryRanges.firsts(sums, width, EntryRanges.each(count));
    int[] begins = new int[coordinates.length];
    for (int range = 1; range < begins.length; range++) {
      long block = coordinates[range] / width;
      int at = 0;
      while (sums.get(at)[0] != block) {
        at++;
      }
      begins[range] = firsts.get(at);
    }
    return begins;
  }

  /** The entries {@code [from, to)} in blocks. */
  Iterable<CooBlock> blocks(int from, int to) {
    return () ->
        new Iterator<>() {
          private int at = from;

          @Override
          public boolean hasNext() {
            return at < to;
          }

          @Override
          public CooBlock next() {
            if (at >= to) {
              throw new NoSuchElementException();
            }
            int begin = at;
            at = Math.min(to, begin + BLOCK);
            return block(begin, at);
          }
        };
  }

  private CooBlock block(int from, int to) {
    int[][] columns = new int[order][to - from];
    for (int mode = 0; mode < order; mode++) {
      for (int entry = from; entry < to; entry++) {
        columns[mode][entry - from] = (int) rows.coordinate(places[entry], mode);
      }
    }
    return CooBlock.ofColumns(columns, Arrays.copyOfRange(values, from, to), to - from);
  }
}
