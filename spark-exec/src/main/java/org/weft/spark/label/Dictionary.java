package org.weft.spark.label;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.weft.spark.output.TaskAttempt;
import org.weft.spark.wire.Wire;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;

/**
 * The labels of a mode, distributed: the distinct keys in order, numbered from 0, or, of a tensor
 * that is added to, those that it lacks, numbered after its own. A partition's first number is the
 * count of the keys in the partitions before it; the driver learns these counts and nothing else.
 * Close it to free what executors hold.
 */
public final class Dictionary implements AutoCloseable {
  /** Bytes of a row of a table with a short key, a number and a count. */
  private static final int USUAL_ROW = 48;

  private static final StorageLevel HELD = StorageLevel.MEMORY_AND_DISK();

  private final int mode;
  private final List<Dataset<Row>> held;
  private final @Nullable StoredLabels present;
  private final JavaRDD<Row> fresh;
  private final JavaRDD<Row> numbered;
  private final long size;
  private final long bytes;

  /**
   * @param held what executors hold
   * @param present the labels that are there, if any
   * @param fresh the others, in order: key, number, entries
   * @param numbered all that occur
   * @param bytes about what {@code numbered} takes in memory, or more
   */
  private Dictionary(
      int mode,
      List<Dataset<Row>> held,
      @Nullable StoredLabels present,
      JavaRDD<Row> fresh,
      JavaRDD<Row> numbered,
      long size,
      long bytes) {
    this.mode = mode;
    this.held = held;
    this.present = present;
    this.fresh = fresh;
    this.numbered = numbered;
    this.size = size;
    this.bytes = bytes;
  }

  /** The keys of {@code mode} that occur in {@code entries}, with the entries of each. */
  public static Dictionary of(Dataset<Row> entries, int mode) {
    Dataset<Row> sorted = keys(entries, mode).sort(key(mode)).persist(HELD);
    Numbers numbers = Numbers.of(sorted.javaRDD(), 0);
    return new Dictionary(
        mode,
        List.of(sorted),
        null,
        numbers.rows(),
        numbers.rows(),
        numbers.end(),
        numbers.bytes());
  }

  /**
   * As above for entries that are added to {@code base}. Cost: its labels of the mode are read
   * twice and sent to tasks once.
   *
   * @throws org.weft.error.WeftException {@code MALFORMED_INPUT} if a label that occurs stands for
   *     two coordinates of {@code base}
   */
  public static Dictionary added(
      SparkSession spark, Dataset<Row> entries, int mode, KeyLabel label, Container base) {
    String key = key(mode);
    StoredLabels present = StoredLabels.of(spark, base, mode);
    UDF1<Object, String> text = label::label;
    Column labels = functions.udf(text, DataTypes.StringType).apply(functions.col(key));
    Dataset<Row> joined =
        present.join(keys(entries, mode).withColumn(StoredLabels.LABEL, labels)).persist(HELD);
    Dataset<Row> found = present.requireDistinct(joined);
    Column at = functions.col(StoredLabels.AT);
    JavaRDD<Row> known =
        found
            .where(at.isNotNull())
            .select(functions.col(key), at, functions.col("entries"))
            .javaRDD();
    Dataset<Row> sorted = found.where(at.isNull()).select(key, "entries").sort(key).persist(HELD);
    Numbers fresh = Numbers.of(sorted.javaRDD(), present.end());
    return new Dictionary(
        mode,
        List.of(joined, sorted),
        present,
        fresh.rows(),
        known.union(fresh.rows()),
        fresh.end(),
        fresh.bytes() + present.end() * USUAL_ROW);
  }

  private static String key(int mode) {
    return "k" + mode;
  }

  private static Dataset<Row> keys(Dataset<Row> entries, int mode) {
    return entries.groupBy(key(mode)).agg(functions.count(functions.lit(1)).as("entries"));
  }

  /**
   * Keys with consecutive numbers.
   *
   * @param end the number after the last
   * @param bytes about what rows of the keys take in memory
   */
  private record Numbers(JavaRDD<Row> rows, long end, long bytes) {
    /** Numbers {@code keys}, in their order, from {@code start} on. */
    static Numbers of(JavaRDD<Row> keys, long start) {
      Function2<Integer, Iterator<Row>, Iterator<long[]>> counting =
          (partition, rows) -> List.of(counted(partition, rows)).iterator();
      List<long[]> shares =
          keys.mapPartitionsWithIndex(counting, false).collect().stream()
              .sorted(Comparator.comparingLong(share -> share[0]))
              .toList();
      long[] first = new long[shares.size() + 1];
      first[0] = start;
      for (int p = 0; p < shares.size(); p++) {
        first[p + 1] = first[p] + shares.get(p)[1];
      }
      Function2<Integer, Iterator<Row>, Iterator<Row>> numbering =
          (partition, rows) -> new Numbered(rows, first[partition]);
      return new Numbers(
          keys.mapPartitionsWithIndex(numbering, false),
          first[shares.size()],
          shares.stream().mapToLong(share -> share[2]).sum());
    }
  }

  /** A partition, the number of its keys, and about the bytes of their rows. */
  private static long[] counted(int partition, Iterator<Row> rows) {
    long keys = 0;
    long bytes = 0;
    for (; rows.hasNext(); keys++) {
      bytes += USUAL_ROW + (rows.next().get(0) instanceof String text ? text.length() : 0);
    }
    return new long[] {partition, keys, bytes};
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

  /**
   * Every key beside its number: columns {@code name} and {@code coordinate}. A join sends it to
   * all executors if it fits Spark's limit for broadcasts.
   */
  public Dataset<Row> table(SparkSession spark, String name, DataType type) {
    return numbers(spark, name, type, "coordinate");
  }

  private Dataset<Row> numbers(SparkSession spark, String name, DataType type, String number) {
    StructType schema =
        new StructType()
            .add(name, type)
            .add(number, DataTypes.LongType)
            .add("entries", DataTypes.LongType);
    Dataset<Row> numbers = spark.createDataFrame(numbered, schema).drop("entries");
    // Spark does not know their size, and would shuffle all entries to find out that they are few.
    return bytes <= spark.sessionState().conf().autoBroadcastJoinThreshold()
        ? functions.broadcast(numbers)
        : numbers;
  }

  /** Number of labels, those of the tensor that is added to included. */
  public long size() {
    return size;
  }

  /**
   * {@code entries} with the number {@code iM} of the key instead of the key {@code kM}. A number
   * is null for a key that is not here: the entries were not the same when they were read again.
   * Keys that fit Spark's limit for broadcasts are sent to all executors; else the entries are
   * shuffled.
   */
  public Dataset<Row> encode(SparkSession spark, Dataset<Row> entries) {
    String key = key(mode);
    DataType type = entries.schema().apply(key).dataType();
    Dataset<Row> numbers = numbers(spark, key, type, "i" + mode);
    return entries.join(numbers, StoredLabels.seq(key), "left_outer").drop(key);
  }

  /** Writes the labels that are new, in order, by as many tasks as there are partitions. */
  public ContainerPiece write(ParallelContainer.Target target, KeyLabel label) {
    return shares(target, label)
        .map(shares -> missing(target).merge(merged(shares)))
        .orElseGet(() -> ContainerPiece.none(target.modeOrder().length));
  }

  private ContainerPiece missing(ParallelContainer.Target target) {
    return present == null
        ? ContainerPiece.none(target.modeOrder().length)
        : StoredLabels.writeMissing(present.container(), mode, target);
  }

  /** Empty if there is nothing new. */
  private Optional<JavaRDD<ContainerPiece>> shares(
      ParallelContainer.Target target, KeyLabel label) {
    if (present != null && size == present.end()) {
      return Optional.empty();
    }
    int at = mode;
    int share = present == null ? 0 : 1;
    Function2<Integer, Iterator<Row>, Iterator<ContainerPiece>> writing =
        (partition, rows) ->
            List.of(
                    PieceWriter.labels(
                        target, at, partition + share, TaskAttempt.suffix(), labels(rows, label)))
                .iterator();
    return Optional.of(Wire.partitioned(fresh).mapPartitionsWithIndex(writing, false));
  }

  /** Merged on executors, so that the driver holds few histograms at a time. */
  public static ContainerPiece merged(JavaRDD<ContainerPiece> pieces) {
    return Wire.reduce(pieces, ContainerPiece::merge);
  }

  private static Iterator<String> labels(Iterator<Row> rows, KeyLabel label) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public String next() {
        return label.label(rows.next().get(0));
      }
    };
  }

  /**
   * The first numbers of ranges with about {@code each} entries. To the driver come sums of at most
   * {@code 2^16} blocks of keys, and some more where partitions meet.
   */
  public long[] ranges(long each) {
    long width = EntryRanges.width(size);
    Function2<Integer, Iterator<Row>, Iterator<long[]>> summing =
        (partition, rows) -> blockSums(rows, width);
    List<long[]> sums =
        inOrder().mapPartitionsWithIndex(summing, false).collect().stream()
            .sorted(Comparator.comparingLong(sum -> sum[0]))
            .toList();
    return EntryRanges.firsts(sums, width, each);
  }

  /** Keys in the order of their numbers. */
  private JavaRDD<Row> inOrder() {
    return present == null
        ? numbered
        : numbered.sortBy(row -> row.getLong(1), true, numbered.getNumPartitions());
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
    held.forEach(Dataset::unpersist);
  }
}
