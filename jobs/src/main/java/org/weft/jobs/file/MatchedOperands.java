package org.weft.jobs.file;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelClasses;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.TensorShape;

/**
 * The modes of operands that a statement compares, where they have labels in their files: the same
 * label becomes the same coordinate. The first of the modes keeps its coordinates; labels that it
 * lacks come after its own, in the order of the others. A result that is added to is the first.
 */
public final class MatchedOperands {
  /** A mode of an operand. */
  private record Place(String operand, String file, int number) {
    boolean mayHaveLabels() {
      return FileMode.mayHaveLabels(file);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "--input %s=%s, mode %d", operand, file, number);
    }
  }

  private final Map<String, Map<Integer, CommonLabels.Numbered>> numbered = new HashMap<>();
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
                places,
                place ->
                    read.computeIfAbsent(place.file(), file -> FileMode.labels(files, file))
                        .get(place.number()));
          }
        });
    return matched;
  }

  private void match(
      Set<String> indices, List<Place> places, Function<Place, @Nullable Labels> labels) {
    List<CommonLabels.Mode> modes = new ArrayList<>();
    for (Place place : places) {
      modes.add(new CommonLabels.Mode(place.toString(), labels.apply(place)));
    }
    CommonLabels.of(modes)
        .ifPresent(
            common -> {
              indices.forEach(index -> byIndex.put(index, common.all()));
              for (int at = 0; at < common.numbered().size(); at++) {
                Place place = places.get(at);
                numbered
                    .computeIfAbsent(place.operand(), o -> new HashMap<>())
                    .put(place.number(), common.numbered().get(at));
              }
            });
  }

  /**
   * How an operand's entries get to the coordinates of all; empty if they are there.
   *
   * @param shape of the operand
   * @throws WeftException {@code SHAPE_MISMATCH} if a mode has coordinates without a label
   */
  public Optional<MatchedLabels.Moves> moves(String operand, TensorShape shape) {
    Map<Integer, CommonLabels.Numbered> modes = numbered.get(operand);
    return modes == null ? Optional.empty() : Optional.of(CommonLabels.moves(modes, shape));
  }

  /** The shape of an operand at the coordinates of all. */
  public TensorShape shape(String operand, TensorShape shape) {
    return CommonLabels.shape(numbered.getOrDefault(operand, Map.of()), shape);
  }

  /** The labels of the coordinates of an index, if they have any. */
  Optional<Labels> labels(String index) {
    return Optional.ofNullable(byIndex.get(index));
  }
}
