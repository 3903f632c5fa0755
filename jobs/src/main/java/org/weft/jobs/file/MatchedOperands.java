package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelClasses;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.document.TabSeparated;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.TensorShape;

/**
 * The modes of operands that a statement compares, where they have labels in their files: the same
 * label becomes the same coordinate. The first of the modes keeps its coordinates; labels that it
 * lacks come after its own, in the order of the others. A result that is added to is the first.
 */
public final class MatchedOperands {
  private static final long[] SAME = {};

  /** A mode of an operand. */
  private record Place(String operand, String file, int number) {
    boolean mayHaveLabels() {
      return FileMode.mayHaveLabels(file);
    }
  }

  /** A mode with its labels, if it has any. */
  private record Mode(Place place, @Nullable Labels labels) {
    String operand() {
      return place.operand();
    }

    int number() {
      return place.number();
    }
  }

  private final Map<String, long[][]> places = new HashMap<>();
  private final Map<String, Map<Integer, Labels>> common = new HashMap<>();
  private final Map<String, Labels> byIndex = new HashMap<>();

  private MatchedOperands() {}

  /**
   * Those of a statement.
   *
   * @param inputs files by operand
   * @param accesses by operand, the index labels of its modes wherever the statement has it
   * @param result name of the result
   * @throws WeftException {@code SHAPE_MISMATCH} if modes with other labels are compared with one
   *     without labels
   */
  public static MatchedOperands of(
      FileAccess files,
      Map<String, String> inputs,
      Map<String, List<List<String>>> accesses,
      String result) {
    List<String> names = new ArrayList<>(accesses.keySet());
    if (names.remove(result)) {
      names.add(0, result);
    }
    LabelClasses classes = new LabelClasses(accesses);
    Map<Set<String>, List<Place>> compared = new LinkedHashMap<>();
    for (String name : names) {
      List<String> indices = accesses.getOrDefault(name, List.of(List.of())).get(0);
      for (int mode = 0; mode < indices.size(); mode++) {
        compared
            .computeIfAbsent(classes.of(indices.get(mode)), c -> new ArrayList<>())
            .add(new Place(name, inputs.getOrDefault(name, ""), mode));
      }
    }
    Map<String, Map<Integer, Labels>> read = new HashMap<>();
    MatchedOperands matched = new MatchedOperands();
    compared.forEach(
        (indices, places) -> {
          if (places.stream().filter(Place::mayHaveLabels).count() > 1) {
            matched.match(
                indices,
                places.stream()
                    .map(
                        place ->
                            new Mode(
                                place,
                                read.computeIfAbsent(
                                        place.file(), file -> FileMode.labels(files, file))
                                    .get(place.number())))
                    .toList());
          }
        });
    return matched;
  }

  private void match(Set<String> indices, List<Mode> modes) {
    List<Mode> labelled = modes.stream().filter(mode -> mode.labels() != null).toList();
    if (labelled.isEmpty()) {
      return;
    }
    Mode first = labelled.get(0);
    Labels known = labels(first);
    if (labelled.stream().allMatch(mode -> labels(mode).sameAs(known))) {
      indices.forEach(index -> byIndex.put(index, known));
      return;
    }
    modes.stream()
        .filter(mode -> mode.labels() == null)
        .findFirst()
        .ifPresent(
            mode -> {
              throw mismatch(
                  mode,
                  "expected labels, as the modes that it is compared with have labels that differ,"
                      + " found none; write a .weft with labels");
            });
    Map<String, Long> numbers = new LinkedHashMap<>();
    for (Mode mode : labelled) {
      place(mode, numbers);
    }
    Labels all = Labels.of(numbers.keySet());
    indices.forEach(index -> byIndex.put(index, all));
    labelled.forEach(
        mode ->
            common.computeIfAbsent(mode.operand(), o -> new HashMap<>()).put(mode.number(), all));
  }

  private void place(Mode mode, Map<String, Long> numbers) {
    Labels labels = labels(mode);
    long[] to = new long[labels.size()];
    boolean[] taken = new boolean[numbers.size() + to.length];
    for (int at = 0; at < to.length; at++) {
      String label = labels.label(at);
      Long known = numbers.putIfAbsent(label, (long) numbers.size());
      to[at] = known == null ? numbers.size() - 1 : known;
      if (taken[(int) to[at]]) {
        throw mismatch(
            mode, "expected each label once, found '" + TabSeparated.cell(label) + "' twice");
      }
      taken[(int) to[at]] = true;
    }
    long[][] all = places.computeIfAbsent(mode.operand(), o -> new long[0][]);
    if (all.length <= mode.number()) {
      int before = all.length;
      all = Arrays.copyOf(all, mode.number() + 1);
      Arrays.fill(all, before, all.length, SAME);
      places.put(mode.operand(), all);
    }
    all[mode.number()] = to;
  }

  private static Labels labels(Mode mode) {
    Labels labels = mode.labels();
    if (labels == null) {
      throw new IllegalStateException(mode + " has no labels");
    }
    return labels;
  }

  private static WeftException mismatch(Mode mode, String what) {
    return new WeftException(
        ErrorCode.SHAPE_MISMATCH,
        String.format(
            Locale.ROOT,
            "--input %s=%s, mode %d: %s",
            mode.operand(),
            mode.place().file(),
            mode.number(),
            what));
  }

  /**
   * How an operand's entries get to the coordinates of all; empty if they are there.
   *
   * @param shape of the operand
   * @throws WeftException {@code SHAPE_MISMATCH} if a mode has coordinates without a label
   */
  public Optional<MatchedLabels.Moves> moves(String operand, TensorShape shape) {
    long[][] to = places.get(operand);
    if (to == null) {
      return Optional.empty();
    }
    long[][] all = Arrays.copyOf(to, shape.order());
    Arrays.fill(all, to.length, all.length, SAME);
    for (int mode = 0; mode < to.length; mode++) {
      if (to[mode].length > 0 && to[mode].length < shape.size(mode)) {
        throw mismatch(
            new Mode(new Place(operand, "", mode), null),
            "expected a label for each of its "
                + shape.size(mode)
                + " coordinates, found "
                + to[mode].length);
      }
    }
    return Optional.of(new MatchedLabels.Moves(all));
  }

  /** The shape of an operand at the coordinates of all. */
  public TensorShape shape(String operand, TensorShape shape) {
    TensorShape grown = shape;
    for (Map.Entry<Integer, Labels> mode : common.getOrDefault(operand, Map.of()).entrySet()) {
      grown = grown.with(mode.getKey(), mode.getValue().size());
    }
    return grown;
  }

  /** The labels of the coordinates of an index, if they have any. */
  Optional<Labels> labels(String index) {
    return Optional.ofNullable(byIndex.get(index));
  }
}
