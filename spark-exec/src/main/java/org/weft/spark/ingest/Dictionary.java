package org.weft.spark.ingest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.weft.spark.output.TaskAttempt;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import scala.Tuple2;

/**
 * The labels of a mode, distributed: the distinct keys in order, numbered from 0. A partition's
 * first number is the count of the keys in the partitions before it; the driver learns these counts
 * and nothing else. Close it to free what executors hold.
 */
final class Dictionary implements AutoCloseable {
  private static final int BLOCKS = 1 << 16;

  private final int mode;
  private final Dataset<Row> sorted;
  private final JavaRDD<Row> numbered;
  private final long size;

  private Dictionary(int mode, Dataset<Row> sorted, JavaRDD<Row> numbered, long size) {
    this.mode = mode;
    this.sorted = sorted;
    this.numbered = numbered;
    this.size = size;
  }

  /** The keys of {@code mode} that occur in {@code entries}, with the entries of each. */
  static Dictionary of(Dataset<Row> entries, int mode) {
    String key = "k" + mode;
    Dataset<Row> sorted =
        entries
            .groupBy(key)
            .agg(functions.count(functions.lit(1)).as("entries"))
            .sort(key)
            .persist(StorageLevel.MEMORY_AND_DISK());
    JavaRDD<Row> keys = sorted.javaRDD();
    Function2<Integer, Iterator<Row>, Iterator<Tuple2<Integer, Long>>> counting =
        (partition, rows) -> List.of(new Tuple2<>(partition, count(rows))).iterator();
    List<Tuple2<Integer, Long>> counts =
        keys.mapPartitionsWithIndex(counting, false).collect().stream()
            .sorted(Comparator.comparingInt(Tuple2::_1))
            .toList();
    long[] first = new long[counts.size() + 1];
    for (int p = 0; p < counts.size(); p++) {
      first[p + 1] = first[p] + counts.get(p)._2();
    }
    Function2<Integer, Iterator<Row>, Iterator<Row>> numbering =
        (partition, rows) -> new Numbered(rows, first[partition]);
    return new Dictionary(
        mode, sorted, keys.mapPartitionsWithIndex(numbering, false), first[counts.size()]);
  }

  private static long count(Iterator<Row> rows) {
    long count = 0;
    for (; rows.hasNext(); rows.next()) {
      count++;
    }
    return count;
  }

  /** Keys, their numbers and their entries. */
  private static final class Numbered implements Iterator<Row> {
    private final Iterator<Row> rows;
    private long next;

    Numbered(Iterator<Row> rows, long first) {
      this.rows = rows;
      this.next = first;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public Row next() {
      Row row = rows.next();
      return RowFactory.create(row.get(0), next++, row.get(1));
    }
  }

  /** Number of labels. */
  long size() {
    return size;
  }

  /** {@code entries} with the number {@code iM} of the key instead of the key {@code kM}. */
  Dataset<Row> encode(SparkSession spark, Dataset<Row> entries) {
    String key = "k" + mode;
    StructType schema =
        new StructType()
            .add(entries.schema().apply(key))
            .add("i" + mode, DataTypes.LongType)
            .add("entries", DataTypes.LongType);
    return entries.join(spark.createDataFrame(numbered, schema).drop("entries"), key).drop(key);
  }

  /** Writes the labels, in order, by as many tasks as there are partitions. */
  ContainerPiece write(ParallelContainer.Target target, Bucket bucket) {
    int at = mode;
    Function2<Integer, Iterator<Row>, Iterator<ContainerPiece>> writing =
        (partition, rows) ->
            List.of(
                    PieceWriter.labels(
                        target, at, partition, TaskAttempt.suffix(), labels(rows, bucket)))
                .iterator();
    return Ingest.merged(numbered.mapPartitionsWithIndex(writing, false));
  }

  private static Iterator<String> labels(Iterator<Row> rows, Bucket bucket) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public String next() {
        return bucket.label(rows.next().get(0));
      }
    };
  }

  /**
   * The first numbers of ranges with about {@code each} entries. To the driver come sums of at most
   * {@code 2^16} blocks of keys, and some more where partitions meet.
   */
  long[] ranges(long each) {
    long width = Math.max(1, (size + BLOCKS - 1) / BLOCKS);
    Function2<Integer, Iterator<Row>, Iterator<long[]>> summing =
        (partition, rows) -> blockSums(rows, width);
    List<long[]> sums =
        numbered.mapPartitionsWithIndex(summing, false).collect().stream()
            .sorted(Comparator.comparingLong(sum -> sum[0]))
            .toList();
    List<Long> firsts = new ArrayList<>(List.of(0L));
    long entries = 0;
    long block = -1;
    for (long[] sum : sums) {
      if (entries >= each && sum[0] != block) {
        firsts.add(sum[0] * width);
        entries = 0;
      }
      block = sum[0];
      entries += sum[1];
    }
    return firsts.stream().mapToLong(f -> f).toArray();
  }

  /** Block and entries, for the blocks that occur. */
  private static Iterator<long[]> blockSums(Iterator<Row> rows, long width) {
    List<long[]> sums = new ArrayList<>();
    while (rows.hasNext()) {
      Row row = rows.next();
      long block = row.getLong(1) / width;
      if (sums.isEmpty() || sums.get(sums.size() - 1)[0] != block) {
        sums.add(new long[] {block, 0});
      }
      sums.get(sums.size() - 1)[1] += row.getLong(2);
    }
    return sums.iterator();
  }

  @Override
  public void close() {
    sorted.unpersist();
  }
}
