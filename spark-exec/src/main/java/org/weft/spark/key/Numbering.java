package org.weft.spark.key;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.rdd.PartitionPruningRDD;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
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
import scala.runtime.AbstractFunction1;

/**
 * The coordinates of the keys of rows that executors hold: their ranks, or, where entries are added
 * to a tensor, those that it has for their labels. Each different key of a {@link KeyedRows} goes
 * once to the task that has its range, and its coordinate comes back; the driver learns how many
 * keys each range has. Close it to free what executors hold.
 */
public final class Numbering implements AutoCloseable {
  /** Of shares of labels: after those of all rows. */
  private static final long LABELS = Long.MAX_VALUE;

  private static final int SHARE_LABELS = 1 << 16;

  private final String source;
  private final List<KeySpace> spaces;
  private final JavaRDD<KeyedRows> rows;
  private final KeyBounds bounds;
  private final @Nullable Container base;
  private final Wire.Kept<KeyRange> ranges;

  /** By range, the coordinate of its first new key. */
  private final long[] firsts;

  /** By range, the fingerprint of its keys. */
  private final long[] fingerprints;

  private final long[] sizes;
  private final long[] bytes;
  private final long dropped;
  private @Nullable JavaRDD<Placed> placed;

  private Numbering(
      String source,
      List<KeySpace> spaces,
      JavaRDD<KeyedRows> rows,
      KeyBounds bounds,
      @Nullable Container base,
      Wire.Kept<KeyRange> ranges) {
    this.source = source;
    this.spaces = spaces;
    this.rows = rows;
    this.bounds = bounds;
    this.base = base;
    this.ranges = ranges;
    List<long[]> counts = Wire.collect(ranges.values(), Numbering::counts);
    this.firsts = new long[bounds.partitions()];
    this.sizes = new long[spaces.size()];
    this.bytes = new long[spaces.size()];
    for (int space = 0; space < sizes.length; space++) {
      sizes[space] = base == null ? 0 : StoredLabels.end(base, spaces.get(space).mode());
      for (int r = bounds.first(space); r < bounds.first(space) + bounds.ranges(space); r++) {
        firsts[r] = sizes[space];
        sizes[space] += counts.get(r)[0];
        bytes[space] += counts.get(r)[2];
      }
    }
    this.fingerprints = counts.stream().mapToLong(count -> count[3]).toArray();
    this.dropped = counts.stream().mapToLong(count -> count[1]).sum();
  }

  private static Iterator<long[]> counts(Iterator<KeyRange> ranges) {
    KeyRange range = ranges.next();
    return List.of(new long[] {range.fresh(), range.dropped(), range.bytes(), range.fingerprint()})
        .iterator();
  }

  /**
   * Numbers the keys of {@code rows}.
   *
   * @param source of the rows, for messages
   * @param base the tensor that is added to, or null
   * @throws org.weft.error.WeftException {@code MALFORMED_INPUT} if a label that occurs stands for
   *     two coordinates of {@code base}
   */
  public static Numbering of(
      String source,
      List<KeySpace> spaces,
      JavaRDD<KeyedRows> rows,
      KeyBounds bounds,
      @Nullable Container base) {
    JavaPairRDD<long[], KeyShare> shares =
        JavaPairRDD.fromJavaRDD(
            rows.mapPartitionsWithIndex(
                (partition, parts) -> new Shares(partition, parts, bounds), false));
    if (base != null) {
      JavaSparkContext context = JavaSparkContext.fromSparkContext(rows.context());
      for (int s = 0; s < spaces.size(); s++) {
        int space = s;
        KeyLabels kind = spaces.get(space).labels();
        shares =
            // Behind the rows, whose partitions keep their numbers.
            shares.union(
                JavaPairRDD.fromJavaRDD(
                    StoredLabels.each(context, base, spaces.get(space).mode())
                        .mapPartitions(labels -> new Labels(labels, bounds, space, kind))));
      }
    }
    List<KeySpace> numberedSpaces = new ArrayList<>(spaces);
    Function2<Integer, Iterator<Tuple2<long[], KeyShare>>, Iterator<KeyRange>> numbering =
        (range, all) -> List.of(range(numberedSpaces, bounds.space(range), base, all)).iterator();
    JavaRDD<KeyRange> numbered =
        sent(shares, bounds.partitions()).mapPartitionsWithIndex(numbering, false);
    Wire.Kept<KeyRange> kept = Wire.keep(numbered, "labels of " + source);
    try {
      return new Numbering(source, numberedSpaces, rows, bounds, base, kept);
    } catch (Exception e) { // also those of Spark, which are not declared
      kept.release(false);
      throw e;
    }
  }

  private static KeyRange range(
      List<KeySpace> spaces,
      int space,
      @Nullable Container base,
      Iterator<Tuple2<long[], KeyShare>> all) {
    KeySpace of = spaces.get(space);
    KeyRange.Builder range =
        new KeyRange.Builder(
            space,
            of,
            label -> StoredLabels.ambiguous(Objects.requireNonNull(base), of.mode(), label));
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
    private final int space;
    private final KeyLabels kind;

    Labels(Iterator<StoredLabels.Stored> labels, KeyBounds bounds, int space, KeyLabels kind) {
      super(labels);
      this.bounds = bounds;
      this.space = space;
      this.kind = kind;
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
          space,
          kind,
          (range, share) -> into.add(new Tuple2<>(new long[] {range, LABELS, 0}, share)));
    }
  }

  /** The ranges that were counted. */
  private JavaRDD<KeyRange> ranges() {
    long[] expected = fingerprints;
    String table = source;
    Function2<Integer, Iterator<KeyRange>, Iterator<KeyRange>> checking =
        (r, own) -> {
          KeyRange range = own.next();
          requireSame(table, range.fingerprint() == expected[r]);
          return List.of(range).iterator();
        };
    return ranges.values().mapPartitionsWithIndex(checking, false);
  }

  private static void requireSame(String table, boolean same) {
    if (!same) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          table
              + ": the rows came in another order, or were others, when they were read again after"
              + " an executor was lost; write the table to files first, or run again");
    }
  }

  /** Keys that are too rare. */
  public long dropped() {
    return dropped;
  }

  /** Labels of each space, those of the tensor that is added to included. */
  public long[] sizes() {
    return sizes.clone();
  }

  /** About the bytes that a table of the keys of {@code space} takes in memory. */
  public long bytes(int space) {
    return bytes[space];
  }

  /** The coordinates on their way back to the rows. */
  private JavaRDD<Tuple2<long[], PlacedKeys>> answers() {
    long[] first = firsts;
    JavaRDD<Tuple2<long[], PlacedKeys>> answers =
        ranges()
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

  /** Rows beside their partition, which a task that has some of the partitions is not told. */
  private static final class Located extends Flattened<KeyedRows, Tuple2<Integer, KeyedRows>> {
    private final int partition;

    Located(int partition, Iterator<KeyedRows> rows) {
      super(rows);
      this.partition = partition;
    }

    @Override
    void take(KeyedRows rows, List<Tuple2<Integer, KeyedRows>> into) {
      into.add(new Tuple2<>(partition, rows));
    }
  }

  /** Some rows, the coordinates of their keys by mode, and where the rows are. */
  private record Placed(KeyedRows rows, long[][] coordinates, long origin) {}

  /** Rows beside the answers for them, which arrive in the order of the rows. */
  private static final class Met extends Flattened<Tuple2<Integer, KeyedRows>, Placed> {
    private final Iterator<Tuple2<long[], PlacedKeys>> answers;
    private final String table;
    private @Nullable Tuple2<long[], PlacedKeys> waiting;
    private int at;

    Met(
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
    void take(Tuple2<Integer, KeyedRows> located, List<Placed> into) {
      KeyedRows rows = located._2();
      long origin = origin(located._1(), at++);
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
      requireSame(table, told && (source.hasNext() || waiting == null));
      into.add(new Placed(rows, coordinates, origin));
    }
  }

  private JavaRDD<Placed> placed() {
    JavaRDD<Placed> known = placed;
    if (known == null) {
      known = place();
      placed = known; // whose shuffle is written once for all tables
    }
    return known;
  }

  private JavaRDD<Placed> place() {
    String table = source;
    Function2<Integer, Iterator<KeyedRows>, Iterator<Tuple2<Integer, KeyedRows>>> locating =
        (partition, all) -> new Located(partition, all);
    return rows.mapPartitionsWithIndex(locating, false)
        .zipPartitions(answers(), (all, told) -> new Met(table, all, told));
  }

  /** The rows without those whose keys are too rare. */
  public JavaRDD<KeyedRows> withoutRare() {
    return placed().map(all -> all.rows().only(all.coordinates()));
  }

  /** The rows of some partitions with coordinates. */
  public JavaRDD<CooBlock> entries(int from, int to) {
    return some(placed(), from, to).map(all -> all.rows().rows().moved(all.coordinates()));
  }

  private static <T> JavaRDD<T> some(JavaRDD<T> all, int from, int to) {
    return PartitionPruningRDD.create(all.rdd(), new Between(from, to)).toJavaRDD();
  }

  private static final class Between extends AbstractFunction1<Object, Object>
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int from;
    private final int to;

    Between(int from, int to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public Object apply(Object partition) {
      return from <= (Integer) partition && (Integer) partition < to;
    }
  }

  /** A key and its coordinate. */
  public record NumberedKey(byte[] key, long coordinate) {}

  /** The keys of {@code space} whose labels are new, in order, by as many tasks as ranges. */
  public JavaRDD<NumberedKey> keys(int space) {
    long[] first = firsts;
    int from = bounds.first(space);
    Function2<Integer, Iterator<KeyRange>, Iterator<NumberedKey>> numbered =
        (range, own) -> new NumberedKeys(own.next().freshKeys().iterator(), first[range]);
    return some(
        ranges().mapPartitionsWithIndex(numbered, false), from, from + bounds.ranges(space));
  }

  private static final class NumberedKeys implements Iterator<NumberedKey> {
    private final Iterator<byte[]> keys;
    private long next;

    NumberedKeys(Iterator<byte[]> keys, long first) {
      this.keys = keys;
      this.next = first;
    }

    @Override
    public boolean hasNext() {
      return keys.hasNext();
    }

    @Override
    public NumberedKey next() {
      return new NumberedKey(keys.next(), next++);
    }
  }

  /**
   * The first coordinates of ranges of {@code space} with about {@code each} rows. To the driver
   * come sums of at most {@code 2^16} blocks of keys for each range of keys.
   */
  public long[] ranges(int space, long each) {
    long width = EntryRanges.width(sizes[space]);
    long[] first = firsts;
    Function2<Integer, Iterator<KeyRange>, Iterator<CooBlock>> summing =
        (r, own) -> {
          KeyRange range = own.next();
          return range.space() == space
              ? List.of(range.sums(first[r], width)).iterator()
              : Collections.emptyIterator();
        };
    Map<Long, Long> sums = new TreeMap<>();
    List<CooBlock> summed =
        Wire.collect(ranges().mapPartitionsWithIndex(summing, false), all -> all);
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
  public JavaRDD<Tuple2<long[], CooBlock>> inRanges(int mode, long[] starts) {
    JavaRDD<Tuple2<long[], CooBlock>> blocks =
        placed()
            .flatMap(
                all -> {
                  CooBlock moved = all.rows().rows().moved(all.coordinates());
                  return split(moved, all.origin(), mode, starts).iterator();
                });
    return sent(JavaPairRDD.fromJavaRDD(blocks), starts.length);
  }

  /** The range of {@code firsts} that a coordinate lies in. */
  private static int range(long[] firsts, long coordinate) {
    int found = Arrays.binarySearch(firsts, coordinate);
    return found >= 0 ? found : -found - 2;
  }

  private static List<Tuple2<long[], CooBlock>> split(
      CooBlock rows, long origin, int mode, long[] starts) {
    int[] ranges = new int[rows.size()];
    int[] ends = new int[starts.length];
    for (int row = 0; row < ranges.length; row++) {
      ranges[row] = range(starts, rows.coordinate(mode, row));
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
  public ContainerPiece write(ParallelContainer.Target target) {
    int order = target.modeOrder().length;
    ContainerPiece pieces = ContainerPiece.none(order);
    boolean[] writes = new boolean[sizes.length];
    for (int space = 0; space < sizes.length; space++) {
      int mode = spaces.get(space).mode();
      writes[space] = base == null || sizes[space] > StoredLabels.end(base, mode);
      if (base != null && writes[space]) {
        pieces.merge(StoredLabels.writeMissing(base, mode, target));
      }
    }
    List<KeySpace> written = spaces;
    KeyBounds all = bounds;
    int before = base == null ? 0 : 1;
    Function2<Integer, Iterator<KeyRange>, Iterator<ContainerPiece>> writing =
        (r, own) -> {
          KeyRange range = own.next();
          KeySpace of = written.get(range.space());
          int share = r - all.first(range.space()) + before;
          return List.of(
                  writes[range.space()]
                      ? PieceWriter.labels(
                          target,
                          of.mode(),
                          share,
                          TaskAttempt.suffix(),
                          range.freshKeys().map(of.labels()::text).iterator())
                      : ContainerPiece.none(order))
              .iterator();
        };
    return pieces.merge(
        Wire.reduce(ranges().mapPartitionsWithIndex(writing, false), ContainerPiece::merge));
  }

  /** The label of a coordinate, for messages. */
  public String label(int space, long coordinate) {
    KeyLabels labels = spaces.get(space).labels();
    long[] first = firsts;
    Function2<Integer, Iterator<KeyRange>, Iterator<String>> finding =
        (r, own) -> {
          KeyRange range = own.next();
          String label = range.space() == space ? range.label(labels, first[r], coordinate) : null;
          return label == null ? Collections.emptyIterator() : List.of(label).iterator();
        };
    return ranges().mapPartitionsWithIndex(finding, false).collect().get(0);
  }

  @Override
  public void close() {
    ranges.release(false);
  }
}
