package org.weft.spark.key;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;
import org.jspecify.annotations.Nullable;
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
public final class Numbering implements AutoCloseable {
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
  private @Nullable JavaRDD<PlacedRows> placed;

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
    JavaPairRDD<long[], KeyShare> shares = SentKeys.of(rows, spaces, bounds, base);
    List<KeySpace> numberedSpaces = new ArrayList<>(spaces);
    Function2<Integer, Iterator<Tuple2<long[], KeyShare>>, Iterator<KeyRange>> numbering =
        (range, all) -> List.of(range(numberedSpaces, bounds.space(range), base, all)).iterator();
    JavaRDD<KeyRange> numbered =
        OrderedPairs.sent(shares, bounds.partitions()).mapPartitionsWithIndex(numbering, false);
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

  /** The ranges that were counted. */
  private JavaRDD<KeyRange> ranges() {
    long[] expected = fingerprints;
    String table = source;
    Function2<Integer, Iterator<KeyRange>, Iterator<KeyRange>> checking =
        (r, own) -> {
          KeyRange range = own.next();
          PlacedRows.requireSame(table, range.fingerprint() == expected[r]);
          return List.of(range).iterator();
        };
    return ranges.values().mapPartitionsWithIndex(checking, false);
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
                                      OrderedPairs.key(
                                          OrderedPairs.partition(origin), origin, fingerprint),
                                      keys)));
                  return all.iterator();
                },
                false);
    return OrderedPairs.sent(JavaPairRDD.fromJavaRDD(answers), rows.getNumPartitions());
  }

  private JavaRDD<PlacedRows> placed() {
    JavaRDD<PlacedRows> known = placed;
    if (known == null) {
      known = PlacedRows.of(source, rows, answers());
      placed = known; // whose shuffle is written once for all tables
    }
    return known;
  }

  /** The rows without those whose keys are too rare. */
  public JavaRDD<KeyedRows> withoutRare() {
    return placed().map(all -> all.rows().only(all.coordinates()));
  }

  /** The rows of some partitions with coordinates. */
  public JavaRDD<CooBlock> entries(int from, int to) {
    return PartitionsBetween.of(placed(), from, to).map(PlacedRows::moved);
  }

  /** A key and its coordinate. */
  public record NumberedKey(byte[] key, long coordinate) {}

  /** The keys of {@code space} whose labels are new, in order, by as many tasks as ranges. */
  public JavaRDD<NumberedKey> keys(int space) {
    long[] first = firsts;
    int from = bounds.first(space);
    Function2<Integer, Iterator<KeyRange>, Iterator<NumberedKey>> numbered =
        (range, own) -> new NumberedKeys(own.next().freshKeys().iterator(), first[range]);
    return PartitionsBetween.of(
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
        placed().flatMap(all -> all.split(mode, starts).iterator());
    return OrderedPairs.sent(JavaPairRDD.fromJavaRDD(blocks), starts.length);
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
