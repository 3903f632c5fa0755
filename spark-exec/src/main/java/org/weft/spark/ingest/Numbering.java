package org.weft.spark.ingest;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.Partitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.ingest.cell.Bucket;
import org.weft.spark.ingest.key.KeyBounds;
import org.weft.spark.ingest.key.KeyRange;
import org.weft.spark.ingest.key.KeyShare;
import org.weft.spark.ingest.key.KeyedRows;
import org.weft.spark.ingest.key.PlacedKeys;
import org.weft.spark.label.Dictionary;
import org.weft.spark.label.EntryRanges;
import org.weft.spark.label.StoredLabels;
import org.weft.spark.output.TaskAttempt;
import org.weft.spark.wire.Wire;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.tensor.CooBlock;
import scala.Tuple2;

/**
 * The coordinates of the keys of rows that executors hold: their ranks, or, where entries are added
 * to a tensor, those that it has for their labels. Each different key of a {@link KeyedRows} goes
 * once to the task that has its range, and its coordinate comes back; the driver learns how many
 * keys each range has. Close it to free what executors hold.
 */
final class Numbering implements AutoCloseable {
  /** Of shares of labels: after those of all rows. */
  private static final long LABELS = Long.MAX_VALUE;

  private static final int SHARE_LABELS = 1 << 16;

  private final IngestJob job;
  private final JavaRDD<KeyedRows> rows;
  private final KeyBounds bounds;
  private final @Nullable Container base;
  private final Wire.Kept<KeyRange> ranges;

  /** By range, the coordinate of its first new key. */
  private final long[] firsts;

  private final long[] sizes;
  private final long dropped;

  private Numbering(
      IngestJob job,
      JavaRDD<KeyedRows> rows,
      KeyBounds bounds,
      @Nullable Container base,
      Wire.Kept<KeyRange> ranges) {
    this.job = job;
    this.rows = rows;
    this.bounds = bounds;
    this.base = base;
    this.ranges = ranges;
    List<long[]> counts = Wire.collect(ranges.values(), Numbering::counts);
    this.firsts = new long[bounds.partitions()];
    this.sizes = new long[job.modes().size()];
    for (int mode = 0; mode < sizes.length; mode++) {
      sizes[mode] = base == null ? 0 : StoredLabels.end(base, mode);
      for (int r = bounds.first(mode); r < bounds.first(mode) + bounds.ranges(mode); r++) {
        firsts[r] = sizes[mode];
        sizes[mode] += counts.get(r)[0];
      }
    }
    this.dropped = counts.stream().mapToLong(count -> count[1]).sum();
  }

  private static Iterator<long[]> counts(Iterator<KeyRange> ranges) {
    KeyRange range = ranges.next();
    return List.of(new long[] {range.fresh(), range.dropped()}).iterator();
  }

  /**
   * Numbers the keys of {@code rows}.
   *
   * @param base the tensor that is added to, or null
   * @throws org.weft.error.WeftException {@code MALFORMED_INPUT} if a label that occurs stands for
   *     two coordinates of {@code base}
   */
  static Numbering of(
      IngestJob job, JavaRDD<KeyedRows> rows, KeyBounds bounds, @Nullable Container base) {
    JavaPairRDD<long[], KeyShare> shares =
        JavaPairRDD.fromJavaRDD(
            rows.mapPartitionsWithIndex(
                (partition, parts) -> new Shares(partition, parts, bounds), false));
    if (base != null) {
      JavaSparkContext context = JavaSparkContext.fromSparkContext(rows.context());
      for (int m = 0; m < job.modes().size(); m++) {
        int mode = m;
        Bucket bucket = job.modes().get(mode).bucket();
        shares =
            // Behind the rows, whose partitions keep their numbers.
            shares.union(
                JavaPairRDD.fromJavaRDD(
                    StoredLabels.each(context, base, mode)
                        .mapPartitions(labels -> new Labels(labels, bounds, mode, bucket))));
      }
    }
    Function2<Integer, Iterator<Tuple2<long[], KeyShare>>, Iterator<KeyRange>> numbering =
        (range, all) -> List.of(range(job, bounds.mode(range), base, all)).iterator();
    JavaRDD<KeyRange> numbered =
        sent(shares, bounds.partitions()).mapPartitionsWithIndex(numbering, false);
    Wire.Kept<KeyRange> kept = Wire.keep(numbered, "labels of " + job.source());
    try {
      return new Numbering(job, rows, bounds, base, kept);
    } catch (Exception e) { // also those of Spark, which are not declared
      kept.release(false);
      throw e;
    }
  }

  private static KeyRange range(
      IngestJob job, int mode, @Nullable Container base, Iterator<Tuple2<long[], KeyShare>> all) {
    ModeSpec spec = job.modes().get(mode);
    KeyRange.Builder range =
        new KeyRange.Builder(
            mode,
            spec.bucket(),
            spec.minCount(),
            label -> StoredLabels.ambiguous(Objects.requireNonNull(base), mode, label));
    while (all.hasNext()) {
      Tuple2<long[], KeyShare> share = all.next();
      range.add(share._1()[1], share._1()[2], share._2());
    }
    return range.build();
  }

  /**
   * Pairs whose keys are a partition, a number by which they arrive there in order, and a number
   * that travels with them.
   */
  private static <V> JavaRDD<Tuple2<long[], V>> sent(JavaPairRDD<long[], V> pairs, int partitions) {
    return Wire.shuffle(pairs, new ByNumber(partitions), new Order()).map(pair -> pair);
  }

  private static final class Order implements Comparator<long[]>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public int compare(long[] one, long[] other) {
      return Long.compare(one[1], other[1]);
    }
  }

  private static final class ByNumber extends Partitioner {
    private static final long serialVersionUID = 1L;

    private final int partitions;

    ByNumber(int partitions) {
      this.partitions = partitions;
    }

    @Override
    public int numPartitions() {
      return partitions;
    }

    @Override
    public int getPartition(Object key) {
      return (int) ((long[]) key)[0];
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ByNumber by && by.partitions == partitions;
    }

    @Override
    public int hashCode() {
      return partitions;
    }
  }

  /** Where some rows are: their partition and their place in it. */
  private static long origin(int partition, int at) {
    return (long) partition << Integer.SIZE | at;
  }

  /** The keys of rows on their way to their ranges. */
  private static final class Shares extends Flattened<KeyedRows, Tuple2<long[], KeyShare>> {
    private final int partition;
    private final KeyBounds bounds;
    private int at;

    Shares(int partition, Iterator<KeyedRows> rows, KeyBounds bounds) {
      super(rows);
      this.partition = partition;
      this.bounds = bounds;
    }

    @Override
    void take(KeyedRows rows, List<Tuple2<long[], KeyShare>> into) {
      long origin = origin(partition, at++);
      long fingerprint = rows.fingerprint();
      KeyShare.each(
          rows,
          bounds,
          (range, share) -> into.add(new Tuple2<>(new long[] {range, origin, fingerprint}, share)));
    }
  }

  /** Labels of a tensor on their way to the ranges where they may occur. */
  private static final class Labels
      extends Flattened<StoredLabels.Stored, Tuple2<long[], KeyShare>> {
    private final KeyBounds bounds;
    private final int mode;
    private final Bucket bucket;

    Labels(Iterator<StoredLabels.Stored> labels, KeyBounds bounds, int mode, Bucket bucket) {
      super(labels);
      this.bounds = bounds;
      this.mode = mode;
      this.bucket = bucket;
    }

    @Override
    void take(StoredLabels.Stored first, List<Tuple2<long[], KeyShare>> into) {
      List<StoredLabels.Stored> labels = new ArrayList<>(List.of(first));
      while (labels.size() < SHARE_LABELS && source.hasNext()) {
        labels.add(source.next());
      }
      KeyShare.ofLabels(
          labels,
          bounds,
          mode,
          bucket,
          (range, share) -> into.add(new Tuple2<>(new long[] {range, LABELS, 0}, share)));
    }
  }

  /** Keys that are too rare. */
  long dropped() {
    return dropped;
  }

  /** Labels of each mode, those of the tensor that is added to included. */
  long[] sizes() {
    return sizes.clone();
  }

  /** The coordinates on their way back to the rows. */
  private JavaRDD<Tuple2<long[], PlacedKeys>> answers() {
    long[] first = firsts;
    JavaRDD<Tuple2<long[], PlacedKeys>> answers =
        ranges
            .values()
            .mapPartitionsWithIndex(
                (range, own) -> {
                  List<Tuple2<long[], PlacedKeys>> all = new ArrayList<>();
                  own.next()
                      .answer(
                          first[range],
                          (origin, fingerprint, keys) ->
                              all.add(
                                  new Tuple2<>(
                                      new long[] {origin >>> Integer.SIZE, origin, fingerprint},
                                      keys)));
                  return all.iterator();
                },
                false);
    return sent(JavaPairRDD.fromJavaRDD(answers), rows.getNumPartitions());
  }

  /** Some rows, the coordinates of their keys by mode, and where the rows are. */
  private record Placed(KeyedRows rows, long[][] coordinates, long origin) {}

  /** Rows beside the answers for them, which arrive in the order of the rows. */
  private static final class Met extends Flattened<KeyedRows, Placed> {
    private final Iterator<Tuple2<long[], PlacedKeys>> answers;
    private final String table;
    private @Nullable Tuple2<long[], PlacedKeys> waiting;
    private int at;

    Met(String table, Iterator<KeyedRows> rows, Iterator<Tuple2<long[], PlacedKeys>> answers) {
      super(rows);
      this.table = table;
      this.answers = answers;
      advance();
      requireSame(rows.hasNext() || waiting == null);
    }

    private void requireSame(boolean same) {
      if (!same) {
        throw new WeftException(
            ErrorCode.CORRUPT_INPUT,
            table
                + ": the rows came in another order, or were others, when they were read again after"
                + " an executor was lost; write the table to files first, or run again");
      }
    }

    private void advance() {
      waiting = answers.hasNext() ? answers.next() : null;
    }

    @Override
    void take(KeyedRows rows, List<Placed> into) {
      long origin = origin(TaskContext.getPartitionId(), at++);
      long fingerprint = rows.fingerprint();
      long[][] coordinates = PlacedKeys.none(rows);
      boolean told = rows.rows().size() == 0;
      while (waiting != null && waiting._1()[1] == origin) {
        told = waiting._1()[2] == fingerprint;
        if (!told) {
          break;
        }
        waiting._2().into(coordinates);
        advance();
      }
      requireSame(told && (source.hasNext() || waiting == null));
      into.add(new Placed(rows, coordinates, origin));
    }
  }

  private JavaRDD<Placed> placed() {
    String table = job.source();
    return rows.zipPartitions(answers(), (all, told) -> new Met(table, all, told));
  }

  /** The rows without those whose keys are too rare. */
  JavaRDD<KeyedRows> withoutRare() {
    return placed().map(all -> all.rows().only(all.coordinates()));
  }

  /**
   * The first coordinates of ranges of {@code mode} with about {@code each} rows. To the driver
   * come sums of at most {@code 2^16} blocks of keys for each range of keys.
   */
  long[] ranges(int mode, long each) {
    long width = EntryRanges.width(sizes[mode]);
    long[] first = firsts;
    Function2<Integer, Iterator<KeyRange>, Iterator<CooBlock>> summing =
        (r, own) -> {
          KeyRange range = own.next();
          return range.mode() == mode
              ? List.of(range.sums(first[r], width)).iterator()
              : Collections.emptyIterator();
        };
    Map<Long, Long> sums = new TreeMap<>();
    List<CooBlock> summed =
        Wire.collect(ranges.values().mapPartitionsWithIndex(summing, false), all -> all);
    for (CooBlock blocks : summed) {
      for (int at = 0; at < blocks.size(); at++) {
        sums.merge(blocks.coordinate(0, at), blocks.longValue(at), Long::sum);
      }
    }
    List<long[]> inOrder = new ArrayList<>();
    sums.forEach((block, count) -> inOrder.add(new long[] {block, count}));
    return EntryRanges.firsts(inOrder, width, each);
  }

  /**
   * The rows with coordinates, in the order of the table for each range.
   *
   * @param starts first coordinates of ranges of {@code mode}
   */
  JavaRDD<Tuple2<long[], CooBlock>> inRanges(int mode, long[] starts) {
    JavaRDD<Tuple2<long[], CooBlock>> blocks =
        placed()
            .flatMap(
                all -> {
                  CooBlock moved = all.rows().rows().moved(all.coordinates());
                  return split(moved, all.origin(), mode, starts).iterator();
                });
    return sent(JavaPairRDD.fromJavaRDD(blocks), starts.length);
  }

  private static List<Tuple2<long[], CooBlock>> split(
      CooBlock rows, long origin, int mode, long[] starts) {
    int[] ranges = new int[rows.size()];
    int[] ends = new int[starts.length];
    for (int row = 0; row < ranges.length; row++) {
      ranges[row] = EntryTask.range(starts, rows.coordinate(mode, row));
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
        split.add(new Tuple2<>(new long[] {range, origin}, rows.select(chosen[range])));
      }
    }
    return split;
  }

  /** Writes the labels that are new, in order, by as many tasks as there are ranges. */
  ContainerPiece write(ParallelContainer.Target target) {
    int order = sizes.length;
    ContainerPiece pieces = ContainerPiece.none(order);
    boolean[] writes = new boolean[order];
    for (int mode = 0; mode < order; mode++) {
      writes[mode] = base == null || sizes[mode] > StoredLabels.end(base, mode);
      if (base != null && writes[mode]) {
        pieces.merge(StoredLabels.writeMissing(base, mode, target));
      }
    }
    List<ModeSpec> modes = new ArrayList<>(job.modes());
    KeyBounds all = bounds;
    int before = base == null ? 0 : 1;
    Function2<Integer, Iterator<KeyRange>, Iterator<ContainerPiece>> writing =
        (r, own) -> {
          KeyRange range = own.next();
          int mode = range.mode();
          int share = r - all.first(mode) + before;
          return List.of(
                  writes[mode]
                      ? PieceWriter.labels(
                          target,
                          mode,
                          share,
                          TaskAttempt.suffix(),
                          range.labels(modes.get(mode).bucket()))
                      : ContainerPiece.none(order))
              .iterator();
        };
    return pieces.merge(Dictionary.merged(ranges.values().mapPartitionsWithIndex(writing, false)));
  }

  /** The label of a coordinate, for messages. */
  String label(int mode, long coordinate) {
    Bucket bucket = job.modes().get(mode).bucket();
    long[] first = firsts;
    Function2<Integer, Iterator<KeyRange>, Iterator<String>> finding =
        (r, own) -> {
          KeyRange range = own.next();
          String label = range.mode() == mode ? range.label(bucket, first[r], coordinate) : null;
          return label == null ? Collections.emptyIterator() : List.of(label).iterator();
        };
    return ranges.values().mapPartitionsWithIndex(finding, false).collect().get(0);
  }

  @Override
  public void close() {
    ranges.release(false);
  }
}
