package org.weft.compiler.eval;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.tensor.TensorShape;

/**
 * Which labels of a statement have the same coordinates: a mode of a tensor has one size and one
 * order of coordinates, whatever labels the statement gives it. In {@code A(i,j) * A(j,k)} all
 * three labels are of one class.
 */
public final class LabelClasses {
  private final Map<String, List<List<String>>> accesses;
  private final Map<String, Set<String>> classes = new LinkedHashMap<>();

  /**
   * @param accesses by tensor, the labels of its modes wherever the statement has it
   */
  public LabelClasses(Map<String, List<List<String>>> accesses) {
    this.accesses = new LinkedHashMap<>(accesses);
    this.accesses.values().forEach(this::join);
  }

  private void join(List<List<String>> all) {
    List<String> first = all.get(0);
    for (List<String> access : all) {
      for (int mode = 0; mode < access.size(); mode++) {
        Set<String> one = classes.computeIfAbsent(first.get(mode), LabelClasses::alone);
        Set<String> other = classes.computeIfAbsent(access.get(mode), LabelClasses::alone);
        if (one != other) {
          one.addAll(other);
          other.forEach(label -> classes.put(label, one));
        }
      }
    }
  }

  private static Set<String> alone(String label) {
    return new LinkedHashSet<>(Set.of(label));
  }

  /** The labels that have the coordinates of {@code label}, itself among them. */
  public Set<String> of(String label) {
    return classes.getOrDefault(label, Set.of(label));
  }

  /** All classes, each once. */
  public Collection<Set<String>> all() {
    return new LinkedHashSet<>(classes.values());
  }

  /**
   * The size of every label: a stated one as it is, else the largest that is stated or declared for
   * its class. Where there is none, it is the largest that coordinates of the class need.
   *
   * @param shapes of tensors
   * @param declared the tensors whose shape is given; others may grow
   * @param stated sizes by label
   */
  public Map<String, Long> sizes(
      Map<String, TensorShape> shapes, Set<String> declared, Map<String, Long> stated) {
    Map<String, Long> needed = new HashMap<>();
    Map<String, Long> given = new HashMap<>(stated);
    shapes.forEach(
        (name, shape) -> {
          for (List<String> access : accesses.getOrDefault(name, List.of())) {
            for (int mode = 0; mode < access.size(); mode++) {
              Map<String, Long> known = declared.contains(name) ? given : needed;
              known.merge(access.get(mode), shape.size(mode), Math::max);
            }
          }
        });
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (Set<String> shared : all()) {
      Map<String, Long> known = shared.stream().anyMatch(given::containsKey) ? given : needed;
      shared.stream()
          .filter(known::containsKey)
          .map(known::get)
          .max(Long::compare)
          .ifPresent(size -> shared.forEach(label -> sizes.put(label, size)));
    }
    sizes.putAll(stated);
    return sizes;
  }

  /** {@code shape} of a tensor whose modes grow with their labels. */
  public TensorShape grown(String name, TensorShape shape, Map<String, Long> sizes) {
    TensorShape grown = shape;
    List<String> labels = accesses.getOrDefault(name, List.of(List.of())).get(0);
    for (int mode = 0; mode < labels.size(); mode++) {
      long size = sizes.getOrDefault(labels.get(mode), 0L);
      grown = grown.with(mode, Math.max(shape.size(mode), size));
    }
    return grown;
  }
}
