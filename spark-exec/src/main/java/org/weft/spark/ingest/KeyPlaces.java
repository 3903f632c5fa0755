package org.weft.spark.ingest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.spark.key.ByteDictionary;
import org.weft.spark.key.HeapLimit;
import org.weft.spark.label.StoredLabels;
import org.weft.storage.Labels;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.tensor.CooBlock;

/**
 * The coordinates of the keys of a mode: their ranks, or, where entries are added to a tensor,
 * those that it has for their labels. New labels then follow its own.
 */
final class KeyPlaces {
  private final ModeKeys keys;
  private final @Nullable Container base;
  private final int[] places;

  /** Numbers of the keys whose labels are new, in order. */
  private final int[] fresh;

  private final long first;

  private KeyPlaces(
      ModeKeys keys, @Nullable Container base, int[] places, int[] fresh, long first) {
    this.keys = keys;
    this.base = base;
    this.places = places;
    this.fresh = fresh;
    this.first = first;
    for (int at = 0; at < fresh.length; at++) {
      places[fresh[at]] = (int) first + at;
    }
  }

  /**
   * Of the keys that {@code rows} have.
   *
   * @param base the tensor that is added to, or null
   * @throws org.weft.error.WeftException {@code MALFORMED_INPUT} if a label that occurs stands for
   *     two coordinates of {@code base}
   */
  static KeyPlaces of(
      List<CooBlock> rows, int mode, ModeKeys keys, @Nullable Container base, HeapLimit limit) {
    limit.take(24L * keys.size());
    int[] places = new int[keys.size()];
    Arrays.fill(places, -1);
    boolean[] used = new boolean[keys.size()];
    for (CooBlock block : rows) {
      int[] numbers = block.intColumn(mode);
      for (int row = 0; row < block.size(); row++) {
        used[numbers[row]] = true;
      }
    }
    long first = base == null ? 0 : StoredLabels.end(base, mode);
    if (base != null) {
      limit.take(40 * first);
      find(keys, used, base, mode, first, places);
    }
    int[] fresh = IntStream.range(0, used.length).filter(n -> used[n] && places[n] < 0).toArray();
    if (first + fresh.length > Integer.MAX_VALUE) {
      throw new HeapLimit.Reached();
    }
    return new KeyPlaces(keys, base, places, keys.sorted(fresh), first);
  }

  /** Sets the places of keys whose labels {@code base} has. */
  private static void find(
      ModeKeys keys, boolean[] used, Container base, int mode, long end, int[] places) {
    base.labels().requireExtensible(mode);
    Labels known = base.labels().original(mode);
    ByteDictionary wanted = new ByteDictionary();
    int[] numbers = IntStream.range(0, used.length).filter(n -> used[n]).toArray();
    for (int number : numbers) {
      byte[] label = keys.label(number);
      wanted.number(label, 0, label.length);
    }
    for (long coordinate = 0; coordinate < end; coordinate++) {
      byte[] label = known.utf8(coordinate);
      int at = wanted.find(label, 0, label.length);
      if (at >= 0) {
        if (places[numbers[at]] >= 0) {
          throw StoredLabels.ambiguous(base, mode, new String(label, StandardCharsets.UTF_8));
        }
        places[numbers[at]] = (int) coordinate;
      }
    }
  }

  /** Coordinates by the numbers of the keys. */
  int[] places() {
    return places;
  }

  /** Number of labels, those of the tensor that is added to included. */
  long size() {
    return first + fresh.length;
  }

  /** The label of a coordinate, for messages. */
  String label(long coordinate) {
    int number = 0;
    while (places[number] != coordinate) {
      number++;
    }
    return new String(keys.label(number), StandardCharsets.UTF_8);
  }

  /** Writes the labels that are new. */
  ContainerPiece write(ParallelContainer.Target target, int mode) {
    ContainerPiece pieces = ContainerPiece.none(target.modeOrder().length);
    if (base != null && fresh.length == 0) {
      return pieces;
    }
    if (base != null) {
      pieces.merge(StoredLabels.writeMissing(base, mode, target));
    }
    Iterator<String> labels =
        IntStream.of(fresh)
            .mapToObj(number -> new String(keys.label(number), StandardCharsets.UTF_8))
            .iterator();
    return pieces.merge(PieceWriter.labels(target, mode, base == null ? 0 : 1, "", labels));
  }
}
