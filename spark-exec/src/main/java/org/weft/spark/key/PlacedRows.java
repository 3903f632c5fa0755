package org.weft.spark.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import scala.Tuple2;

/**
 * Some rows and the coordinates of their keys.
 *
 * @param coordinates by mode and key of {@code rows}
 * @param origin where the rows are ({@link OrderedPairs#origin(int, int)})
 */
record PlacedRows(KeyedRows rows, long[][] coordinates, long origin) {
  /**
   * Joins rows with the coordinates that the ranges of their keys have sent back.
   *
   * @param table the source of the rows, for messages
   */
  static JavaRDD<PlacedRows> of(
      String table, JavaRDD<KeyedRows> rows, JavaRDD<Tuple2<long[], PlacedKeys>> answers) {
    Function2<Integer, Iterator<KeyedRows>, Iterator<Tuple2<Integer, KeyedRows>>> locating =
        (partition, all) -> new PartitionRows(partition, all);
    return rows.mapPartitionsWithIndex(locating, false)
        .zipPartitions(answers, (all, told) -> new AnswerJoin(table, all, told));
  }

  /** Refuses rows, or keys of rows, that came otherwise when they came again. */
  static void requireSame(String table, boolean same) {
    if (!same) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          table
              + ": after an executor was lost, the table was read again and gave other rows, or the"
              + " same rows in another order; write the table to files first, or run again");
    }
  }

  /** The rows with coordinates. */
  CooBlock moved() {
    return rows.rows().moved(coordinates);
  }

  /**
   * The rows with coordinates, by the range that they belong to.
   *
   * @param starts first coordinates of ranges of {@code mode}
   */
  List<Tuple2<long[], CooBlock>> split(int mode, long[] starts) {
    CooBlock moved = moved();
    int[] ranges = new int[moved.size()];
    int[] ends = new int[starts.length];
    for (int row = 0; row < ranges.length; row++) {
      ranges[row] = range(starts, moved.coordinate(mode, row));
      ends[ranges[row]]++;
    }
    int[][] chosen = new int[starts.length][];
    for (int range = 0; range < chosen.length; range++) {
      chosen[range] = new int[ends[range]];
      ends[range] = 0;
    }
    for (int row = 0; row < ranges.length; row++) {
      chosen[ranges[row]][ends[ranges[row]]++] = row;
    }
    List<Tuple2<long[], CooBlock>> split = new ArrayList<>();
    for (int range = 0; range < chosen.length; range++) {
      if (chosen[range].length > 0) {
        split.add(new Tuple2<>(OrderedPairs.key(range, origin, 0), moved.select(chosen[range])));
      }
    }
    return split;
  }

  private static int range(long[] starts, long coordinate) {
    int found = Arrays.binarySearch(starts, coordinate);
    return found >= 0 ? found : -found - 2;
  }

  /** Adds the number of the partition to rows: a task over zipped partitions does not learn it. */
  private static final class PartitionRows
      extends Flattened<KeyedRows, Tuple2<Integer, KeyedRows>> {
    private final int partition;

    PartitionRows(int partition, Iterator<KeyedRows> rows) {
      super(rows);
      this.partition = partition;
    }

    @Override
    void take(KeyedRows rows, List<Tuple2<Integer, KeyedRows>> into) {
      into.add(new Tuple2<>(partition, rows));
    }
  }

  /** Joins rows with the answers for their keys. Answers arrive in the order of the rows. */
  private static final class AnswerJoin extends Flattened<Tuple2<Integer, KeyedRows>, PlacedRows> {
    private final Iterator<Tuple2<long[], PlacedKeys>> answers;
    private final String table;
    private @Nullable Tuple2<long[], PlacedKeys> waiting;
    private int at;

    AnswerJoin(
        String table,
        Iterator<Tuple2<Integer, KeyedRows>> rows,
        Iterator<Tuple2<long[], PlacedKeys>> answers) {
      super(rows);
      this.table = table;
      this.answers = answers;
      advance();
      requireSame(table, rows.hasNext() || waiting == null);
    }

    private void advance() {
      waiting = answers.hasNext() ? answers.next() : null;
    }

    @Override
    void take(Tuple2<Integer, KeyedRows> located, List<PlacedRows> into) {
      KeyedRows rows = located._2();
      long origin = OrderedPairs.origin(located._1(), at++);
      long fingerprint = rows.fingerprint();
      long[][] coordinates = PlacedKeys.none(rows);
      boolean told = rows.rows().size() == 0;
      while (waiting != null && OrderedPairs.origin(waiting._1()) == origin) {
        told = OrderedPairs.fingerprint(waiting._1()) == fingerprint;
        if (!told) {
          break;
        }
        waiting._2().into(coordinates);
        advance();
      }
      requireSame(table, told && (source.hasNext() || waiting == null));
      into.add(new PlacedRows(rows, coordinates, origin));
    }
  }
}
