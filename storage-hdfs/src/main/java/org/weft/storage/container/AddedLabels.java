package org.weft.storage.container;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * From the coordinates of entries that are added to a container to those that their labels have
 * there. A label that the container does not have yet gets the next coordinate of its mode, so that
 * the order of a mode is the order in which its labels came. Memory: the added labels, and the
 * container's of one mode.
 */
final class AddedLabels {
  private final String uri;
  private final Map<Integer, int[]> places = new HashMap<>();
  private final Map<Integer, Labels> fresh = new HashMap<>();
  private final Map<Integer, String> names = new HashMap<>();
  private TensorShape shape;

  private AddedLabels(Container base) {
    this.uri = base.uri();
    this.shape = base.shape();
  }

  /**
   * For entries whose coordinates are the container's own.
   *
   * @param given labels of the container's coordinates, which may go on after those that it has
   * @throws WeftException {@code MALFORMED_INPUT} if they are not those that it has
   */
  static AddedLabels ofCoordinates(Container base, Map<Integer, Labels> given) {
    AddedLabels made = new AddedLabels(base);
    for (int mode : base.labels().modes()) {
      Labels all = given.get(mode);
      if (all != null) {
        made.extend(base, mode, all);
      }
    }
    return made;
  }

  private void extend(Container base, int mode, Labels all) {
    Labels known = base.labels().original(mode);
    for (int c = 0; c < known.size(); c++) {
      if (!all.label(c).equals(known.label(c))) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            uri
                + ": expected labels of mode "
                + base.modeNames().get(mode)
                + " that begin with those it has, found '"
                + all.label(c)
                + "' for coordinate "
                + c
                + ", which is '"
                + known.label(c)
                + "'; labels of a tensor do not change");
      }
    }
    if (all.size() > known.size()) {
      base.labels().requireExtensible(mode);
      fresh.put(mode, all.range(known.size(), all.size() - known.size()));
    }
  }

  /**
   * Compares the labels of both.
   *
   * @param added by mode, of the entries that are added
   * @throws WeftException {@code USAGE} if other modes have labels than in the container, {@code
   *     MALFORMED_INPUT} if a label stands for two coordinates
   */
  static AddedLabels of(Container base, Map<Integer, Labels> added) {
    requireSameModes(base, added.keySet());
    AddedLabels made = new AddedLabels(base);
    new TreeMap<>(added).forEach((mode, labels) -> made.add(base, mode, labels));
    return made;
  }

  private static void requireSameModes(Container base, Set<Integer> added) {
    for (int mode = 0; mode < base.shape().order(); mode++) {
      String name = base.modeNames().get(mode);
      boolean has = base.labels().modes().contains(mode);
      if (has && !added.contains(mode)) {
        throw new WeftException(
            ErrorCode.USAGE,
            base.uri()
                + ": expected labels for mode "
                + name
                + ", whose coordinates are known by labels, found entries without; add labels"
                + " (weft ingest), or say that their coordinates are the tensor's"
                + " (--by-coordinates)");
      }
      if (!has && added.contains(mode)) {
        throw new WeftException(
            ErrorCode.USAGE,
            base.uri()
                + ": expected entries without labels for mode "
                + name
                + ", which has none, found labels; make a new tensor of both, or say that their"
                + " coordinates are the tensor's (--by-coordinates)");
      }
    }
  }

  private void add(Container base, int mode, Labels added) {
    String name = base.modeNames().get(mode);
    base.labels().requireExtensible(mode);
    Labels known = base.labels().original(mode);
    Map<String, Integer> wanted = new HashMap<>();
    for (int c = 0; c < added.size(); c++) {
      Integer before = wanted.put(added.label(c), c);
      if (before != null) {
        throw ambiguous("the entries that are added", name, added.label(c), before, c);
      }
    }
    int[] places = new int[added.size()];
    Arrays.fill(places, -1);
    long present = Math.max(known.size(), base.shape().size(mode));
    if (present + added.size() >= Integer.MAX_VALUE) {
      throw new WeftException(
          ErrorCode.WIDTH_OVERFLOW,
          uri + ": expected less than 2^31 labels of mode " + name + ", found more");
    }
    for (int c = 0; c < present; c++) {
      Integer at = wanted.get(known.label(c));
      if (at != null) {
        if (places[at] >= 0) {
          throw ambiguous("the tensor", name, known.label(c), places[at], c);
        }
        places[at] = c;
      }
    }
    Labels.Builder more = new Labels.Builder();
    for (int c = known.size(); c < present; c++) {
      more.add(Labels.number(c));
    }
    int next = (int) present;
    for (int c = 0; c < places.length; c++) {
      if (places[c] < 0) {
        places[c] = next++;
        more.add(added.utf8(c));
      }
    }
    this.places.put(mode, places);
    this.fresh.put(mode, next == present ? new Labels.Builder().build() : more.build());
    this.names.put(mode, name);
    this.shape = shape.with(mode, next);
  }

  private WeftException ambiguous(String where, String mode, String label, int one, int other) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri
            + ": expected different labels in mode "
            + mode
            + " of "
            + where
            + ", found '"
            + label
            + "' for coordinates "
            + one
            + " and "
            + other
            + "; make them different before adding entries by labels");
  }

  /** {@code options} with the shape that the entries then have. */
  WriteOptions covering(WriteOptions options) {
    TensorShape given = options.shape().orElse(null);
    if (given == null || places.isEmpty()) {
      return options;
    }
    for (int mode : places.keySet()) {
      given = given.with(mode, shape.size(mode));
    }
    return options.withShape(given);
  }

  /** The entries under the container's original coordinates, as they stand. */
  CooBlock apply(CooBlock block) {
    return places.isEmpty() ? block : Blocks.relabelled(block, places, this::place);
  }

  private int place(int mode, int[] table, long coordinate) {
    if (coordinate >= table.length) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          uri
              + ": expected a label for every coordinate of mode "
              + names.get(mode)
              + " that is added, found "
              + Counts.plain(table.length, "label")
              + " and coordinate "
              + coordinate);
    }
    return table[(int) coordinate];
  }

  /** The labels that follow those of the container; null if entries are added by coordinates. */
  @Nullable Labels fresh(int mode) {
    return fresh.get(mode);
  }
}
