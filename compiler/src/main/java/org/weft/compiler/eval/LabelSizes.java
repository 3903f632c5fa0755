package org.weft.compiler.eval;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/** The size of every label of a statement, on which all its tensors agree. */
public final class LabelSizes {
  private final Map<IndexVar, Long> sizes = new LinkedHashMap<>();
  private final Map<IndexVar, String> sources = new LinkedHashMap<>();
  private final Set<String> open = new HashSet<>();

  private LabelSizes() {}

  /**
   * Takes sizes from the operands' shapes and from {@code stated}.
   *
   * @throws WeftException {@code SHAPE_MISMATCH} naming both sources when two sizes of a label
   *     differ, or naming the label when the result has one without a size
   */
  static LabelSizes of(
      TensorAssignment algebra, Map<String, TensorShape> shapes, Map<String, Long> stated) {
    LabelSizes labels = new LabelSizes();
    for (TensorExpr.Access access : algebra.value().accesses()) {
      labels.add(access, shapes);
    }
    if (shapes.containsKey(algebra.target().tensor().name())) {
      labels.add(algebra.target(), shapes);
    }
    labels.add(stated);
    for (IndexVar variable : algebra.variables()) {
      if (!labels.sizes.containsKey(variable)) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "the label "
                + variable
                + " of "
                + algebra.target()
                + " has no size, because no operand has the label; give an operand with the label, or state"
                + " the size ("
                + variable
                + "=N: --size "
                + variable
                + "=N of a command)");
      }
    }
    return labels;
  }

  /** Sizes that are known by name. */
  public static LabelSizes of(Map<String, Long> byName) {
    LabelSizes labels = new LabelSizes();
    labels.add(byName);
    return labels;
  }

  private void add(Map<String, Long> stated) {
    requireSizes(stated);
    stated.forEach((name, size) -> add(new IndexVar(name), size, "the given size"));
  }

  /**
   * Refuses sizes that no mode can have.
   *
   * @throws WeftException {@code USAGE}
   */
  public static void requireSizes(Map<String, Long> stated) {
    stated.forEach(
        (name, size) -> {
          if (size < 0) {
            throw new WeftException(
                ErrorCode.USAGE,
                "expected a size of the label " + name + " of at least 0, found " + size);
          }
        });
  }

  private void add(TensorExpr.Access access, Map<String, TensorShape> shapes) {
    TensorShape shape = shapes.get(access.tensor().name());
    if (shape == null) {
      throw new IllegalArgumentException("no shape of " + access.tensor());
    }
    List<IndexVar> variables = access.variables();
    for (int mode = 0; mode < variables.size(); mode++) {
      String source = "mode " + mode + " of " + access.tensor() + " (" + shape + ")";
      add(variables.get(mode), shape.size(mode), source);
    }
  }

  private void add(IndexVar variable, long size, String source) {
    Long known = sizes.putIfAbsent(variable, size);
    String first = sources.putIfAbsent(variable, source);
    if (known != null && known != size) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "the label "
              + variable
              + " has size "
              + known
              + " in "
              + first
              + " but size "
              + size
              + " in "
              + source
              + "; operands that share a label must agree on its size");
    }
  }

  /** These sizes and those of {@code copies}, which are as large as the labels they stand for. */
  LabelSizes withCopies(Map<IndexVar, IndexVar> copies) {
    LabelSizes labels = new LabelSizes();
    labels.sizes.putAll(sizes);
    labels.sources.putAll(sources);
    labels.open.addAll(open);
    copies.forEach((copy, label) -> labels.add(copy, size(label), "a copy of " + label));
    return labels;
  }

  /** A new label of size 1. */
  IndexVar addUnit() {
    IndexVar unit = new IndexVar("one");
    for (int n = 2; sizes.containsKey(unit); n++) {
      unit = new IndexVar("one" + n);
    }
    add(unit, 1, "a label for a number");
    return unit;
  }

  /**
   * These sizes, of which those of {@code names} differ from one call of the kernels to another.
   */
  LabelSizes withOpen(Set<String> names) {
    LabelSizes labels = withCopies(Map.of());
    labels.open.addAll(names);
    return labels;
  }

  /** Whether kernels must take the size as an argument. */
  boolean isOpen(IndexVar variable) {
    return open.contains(variable.name());
  }

  long size(IndexVar variable) {
    Long size = sizes.get(variable);
    if (size == null) {
      throw new IllegalArgumentException(
          "no size of " + variable + "; known are " + new TreeSet<>(byName().keySet()));
    }
    return size;
  }

  /** The shape of a tensor accessed with {@code variables}. */
  TensorShape shape(List<IndexVar> variables) {
    return TensorShape.of(variables.stream().mapToLong(this::size).toArray());
  }

  Map<String, Long> byName() {
    Map<String, Long> named = new LinkedHashMap<>();
    sizes.forEach((variable, size) -> named.put(variable.name(), size));
    return named;
  }
}
