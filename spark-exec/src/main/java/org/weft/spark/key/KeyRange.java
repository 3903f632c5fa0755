package org.weft.spark.key;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.tensor.CooBlock;

/**
 * The different keys of one range of a space, numbered: keys whose labels are new by their rank in
 * the range, those of labels that the tensor has by its coordinates.
 */
public final class KeyRange {
  /** Bytes of a row of a table with a short key and a number. */
  private static final long USUAL_ROW = 48;

  private static final long RARE = Long.MIN_VALUE;

  private final int space;
  private final ByteDictionary keys;

  /** By key: a coordinate; below 0: -1 - the rank of a new one; or {@link #RARE}. */
  private final long[] places;

  /** By key. */
  private final long[] rows;

  /** New keys, in order. */
  private final int[] fresh;

  private final List<Share> shares;

  /**
   * What arrived from some rows.
   *
   * @param origin where the rows are
   * @param fingerprint of the rows
   * @param mode of the rows whose keys they are
   * @param numbers of the keys among those of the rows
   * @param keys their numbers here
   */
  private record Share(long origin, long fingerprint, int mode, int[] numbers, int[] keys) {}

  private KeyRange(
      int space, ByteDictionary keys, long[] places, long[] rows, int[] fresh, List<Share> shares) {
    this.space = space;
    this.keys = keys;
    this.places = places;
    this.rows = rows;
    this.fresh = fresh;
    this.shares = shares;
  }

  /** Collects the shares of a range: first those of rows, then labels of a tensor. */
  public static final class Builder {
    private final int space;
    private final KeySpace of;
    private final Function<String, RuntimeException> ambiguous;
    private final ByteDictionary keys = new ByteDictionary();
    private final List<Share> shares = new ArrayList<>();
    private long[] rows = new long[64];
    private long[] known = new long[0];

    /** Labels of the keys, by their numbers, if they are others than the keys. */
    private ByteDictionary labels = keys;

    /**
     * @param space number of {@code of}
     * @param ambiguous the error of a label that occurs, and stands for two coordinates
     */
    public Builder(int space, KeySpace of, Function<String, RuntimeException> ambiguous) {
      this.space = space;
      this.of = of;
      this.ambiguous = ambiguous;
    }

    /**
     * Adds keys of rows, or labels.
     *
     * @param origin where the rows are
     * @param fingerprint of the rows
     */
    public void add(long origin, long fingerprint, KeyShare share) {
      if (share.isLabels()) {
        find(share);
        return;
      }
      int[] own = keys.addAll(share.keys());
      if (keys.size() > rows.length) {
        rows = Arrays.copyOf(rows, 2 * keys.size());
      }
      for (int at = 0; at < own.length; at++) {
        rows[own[at]] += share.rows()[at];
      }
      int[] numbers = Arrays.stream(share.at()).mapToInt(Math::toIntExact).toArray();
      shares.add(new Share(origin, fingerprint, share.mode(), numbers, own));
    }

    private void find(KeyShare stored) {
      if (known.length < keys.size()) {
        known = new long[keys.size()];
        Arrays.fill(known, -1);
        labels = labels();
      }
      for (int at = 0; at < stored.at().length; at++) {
        byte[] label = stored.keys().get(at);
        int key = labels.find(label, 0, label.length);
        if (key >= 0) {
          if (known[key] >= 0) {
            throw ambiguous.apply(new String(label, StandardCharsets.UTF_8));
          }
          known[key] = stored.at()[at];
        }
      }
    }

    private ByteDictionary labels() {
      if (of.labels().areKeys()) {
        return keys;
      }
      ByteDictionary all = new ByteDictionary();
      for (int key = 0; key < keys.size(); key++) {
        byte[] label = of.labels().utf8(keys.get(key));
        all.number(label, 0, label.length);
      }
      return all;
    }

    /** Numbers the keys. */
    public KeyRange build() {
      long[] places = new long[keys.size()];
      for (int key = 0; key < places.length; key++) {
        boolean there = key < known.length && known[key] >= 0;
        places[key] = rows[key] < of.least() ? RARE : there ? known[key] : -1;
      }
      int[] fresh =
          keys.sorted(IntStream.range(0, places.length).filter(k -> places[k] == -1).toArray());
      for (int rank = 0; rank < fresh.length; rank++) {
        places[fresh[rank]] = -1 - rank;
      }
      return new KeyRange(space, keys, places, Arrays.copyOf(rows, places.length), fresh, shares);
    }
  }

  /** The number of the space whose keys these are. */
  public int space() {
    return space;
  }

  /** Labels that are new. */
  public int fresh() {
    return fresh.length;
  }

  /** About the bytes of a table of the keys whose labels are new. */
  public long bytes() {
    return fresh.length * USUAL_ROW + IntStream.of(fresh).mapToLong(keys::length).sum();
  }

  /** A number that other new keys, or another order of them, are unlikely to have. */
  public long fingerprint() {
    long hash = fresh.length;
    for (int key : fresh) {
      hash = KeyedRows.mixed(hash, keys.hash(key));
    }
    return hash;
  }

  /** Keys that are too rare. */
  public long dropped() {
    return Arrays.stream(places).filter(place -> place == RARE).count();
  }

  private long place(int key, long first) {
    long place = places[key];
    return place == RARE ? PlacedKeys.DROPPED : place < 0 ? first - 1 - place : place;
  }

  /** Takes what a share of rows is told. */
  public interface Answered {
    /** Of the rows that are at {@code origin}. */
    void accept(long origin, long fingerprint, PlacedKeys keys);
  }

  /**
   * Tells each share its coordinates.
   *
   * @param first coordinate of the new keys
   */
  public void answer(long first, Answered taker) {
    for (Share share : shares) {
      long[] own = IntStream.of(share.keys()).mapToLong(key -> place(key, first)).toArray();
      taker.accept(
          share.origin(), share.fingerprint(), new PlacedKeys(share.mode(), share.numbers(), own));
    }
  }

  /** The keys whose labels are new, in order. */
  public Stream<byte[]> freshKeys() {
    return IntStream.of(fresh).mapToObj(keys::get);
  }

  /** The label of a coordinate, for messages; null if it is none of this range. */
  public @Nullable String label(KeyLabels labels, long first, long coordinate) {
    for (int key = 0; key < places.length; key++) {
      if (place(key, first) == coordinate) {
        return labels.text(keys.get(key));
      }
    }
    return null;
  }

  /**
   * The rows of blocks of {@code width} coordinates: entries of a tensor of one mode, that of
   * blocks.
   *
   * @param first coordinate of the new keys
   */
  public CooBlock sums(long first, long width) {
    Map<Long, Long> sums = new TreeMap<>();
    for (int key = 0; key < places.length; key++) {
      if (places[key] != RARE) {
        sums.merge(place(key, first) / width, rows[key], Long::sum);
      }
    }
    CooBlock.Builder blocks = new CooBlock.Builder(1, Math.max(1, sums.size()), true);
    sums.forEach((block, count) -> blocks.addLong(new long[] {block}, count));
    return blocks.build();
  }

  /** Writes all of it. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(space);
    keys.writeTo(out);
    NumberArrays.write(out, places);
    NumberArrays.write(out, rows);
    NumberArrays.write(out, fresh);
    out.writeInt(shares.size());
    for (Share share : shares) {
      out.writeLong(share.origin());
      out.writeLong(share.fingerprint());
      out.writeInt(share.mode());
      NumberArrays.write(out, share.numbers());
      NumberArrays.write(out, share.keys());
    }
  }

  /** Reads what {@link #writeTo} wrote. */
  public static KeyRange readFrom(DataInput in) throws IOException {
    int space = in.readInt();
    ByteDictionary keys = ByteDictionary.readFrom(in);
    long[] places = NumberArrays.readLongs(in);
    long[] rows = NumberArrays.readLongs(in);
    int[] fresh = NumberArrays.readInts(in);
    List<Share> shares = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      long origin = in.readLong();
      long fingerprint = in.readLong();
      int mode = in.readInt();
      int[] numbers = NumberArrays.readInts(in);
      shares.add(new Share(origin, fingerprint, mode, numbers, NumberArrays.readInts(in)));
    }
    return new KeyRange(space, keys, places, rows, fresh, shares);
  }
}
