package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.document.TabSeparated;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * The labels of modes that are compared: the same label becomes the same coordinate. The first mode
 * with labels keeps its coordinates; labels that it lacks come after its own, in the order of the
 * others.
 *
 * @param all by coordinate
 * @param numbered for each mode how it gets there; empty if all have these labels already
 */
record CommonLabels(Labels all, List<Numbered> numbered) {
  private static final long[] SAME = {};

  /**
   * A mode.
   *
   * @param place as messages name it
   * @param labels if it has any
   */
  record Mode(String place, @Nullable Labels labels) {}

  /**
   * How a mode gets to the common coordinates.
   *
   * @param to the new coordinate of each old one
   * @param all the labels of the new ones
   */
  @SuppressWarnings("ArrayRecordComponent") // compared with nothing
  record Numbered(String place, long[] to, Labels all) {
    private long[] to(long size) {
      if (to.length < size) {
        throw mismatch(
            place,
            "expected a label for each of its "
                + Counts.plain(size, "coordinate")
                + ", found "
                + to.length);
      }
      return IntStream.range(0, to.length).allMatch(at -> to[at] == at) ? SAME : to;
    }
  }

  /**
   * Those of {@code modes}, of which at least one is there.
   *
   * @return empty if no mode has labels
   * @throws WeftException {@code SHAPE_MISMATCH} if modes with other labels are compared with one
   *     without labels
   */
  static Optional<CommonLabels> of(List<Mode> modes) {
    List<Labels> known = new ArrayList<>();
    for (Mode mode : modes) {
      Labels labels = mode.labels();
      if (labels != null) {
        known.add(labels);
      }
    }
    if (known.isEmpty()) {
      return Optional.empty();
    }
    Labels first = known.get(0);
    if (known.stream().allMatch(labels -> labels.sameAs(first))) {
      return Optional.of(new CommonLabels(first, List.of()));
    }
    Map<String, Long> numbers = new LinkedHashMap<>();
    List<long[]> places = new ArrayList<>();
    for (Mode mode : modes) {
      places.add(places(mode, numbers));
    }
    Labels all = Labels.of(numbers.keySet());
    return Optional.of(
        new CommonLabels(
            all,
            IntStream.range(0, modes.size())
                .mapToObj(at -> new Numbered(modes.get(at).place(), places.get(at), all))
                .toList()));
  }

  private static long[] places(Mode mode, Map<String, Long> numbers) {
    Labels labels = mode.labels();
    if (labels == null) {
      throw mismatch(
          mode.place(),
          "expected labels, as the modes that it is compared with have labels that differ, found"
              + " none; write a .weft with labels");
    }
    long[] to = new long[labels.size()];
    boolean[] taken = new boolean[numbers.size() + to.length];
    for (int at = 0; at < to.length; at++) {
      String label = labels.label(at);
      Long known = numbers.putIfAbsent(label, (long) numbers.size());
      to[at] = known == null ? numbers.size() - 1 : known;
      if (taken[(int) to[at]]) {
        throw mismatch(
            mode.place(),
            "expected each label once, found '" + TabSeparated.cell(label) + "' twice");
      }
      taken[(int) to[at]] = true;
    }
    return to;
  }

  /**
   * How entries of a tensor get to the common coordinates of its modes.
   *
   * @param modes those that have such coordinates, by number
   * @throws WeftException {@code SHAPE_MISMATCH} if one has coordinates without a label
   */
  static MatchedLabels.Moves moves(Map<Integer, Numbered> modes, TensorShape shape) {
    long[][] places = new long[shape.order()][];
    Arrays.fill(places, SAME);
    modes.forEach((mode, numbered) -> places[mode] = numbered.to(shape.size(mode)));
    return new MatchedLabels.Moves(places);
  }

  /** The shape of the tensor at these coordinates. */
  static TensorShape shape(Map<Integer, Numbered> modes, TensorShape shape) {
    TensorShape grown = shape;
    for (Map.Entry<Integer, Numbered> mode : modes.entrySet()) {
      grown = grown.with(mode.getKey(), mode.getValue().all().size());
    }
    return grown;
  }

  private static WeftException mismatch(String place, String what) {
    return new WeftException(
        ErrorCode.SHAPE_MISMATCH, String.format(Locale.ROOT, "%s: %s", place, what));
  }
}
