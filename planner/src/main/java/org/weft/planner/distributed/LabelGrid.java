package org.weft.planner.distributed;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The parts of a statement: a grid with one axis for each label that the statement is divided
 * along. A part has one range of every axis; the ranges of the last axis come one after another. A
 * grid without axes is one part.
 */
public record LabelGrid(List<Axis> axes) implements Serializable {
  private static final long serialVersionUID = 1L;

  public LabelGrid {
    axes = List.copyOf(axes);
  }

  /** A label with its ranges. */
  public record Axis(String label, Ranges ranges) implements Serializable {}

  /** The grid of one part. */
  public static LabelGrid undivided() {
    return new LabelGrid(List.of());
  }

  /** The grid along one label. */
  public static LabelGrid along(String label, Ranges ranges) {
    return new LabelGrid(List.of(new Axis(label, ranges)));
  }

  /** The labels of the axes. */
  public List<String> labels() {
    return axes.stream().map(Axis::label).toList();
  }

  public int parts() {
    return axes.stream().mapToInt(axis -> axis.ranges().parts()).reduce(1, Math::multiplyExact);
  }

  /** The number of the range of {@code axis} that {@code part} has. */
  private int range(int axis, int part) {
    return part / stride(axis) % axes.get(axis).ranges().parts();
  }

  /** Parts from one range of {@code axis} to the next. */
  public int stride(int axis) {
    return new LabelGrid(axes.subList(axis + 1, axes.size())).parts();
  }

  /** The modes that have the label of each axis. */
  public List<List<Integer>> modes(List<String> labels) {
    return axes.stream()
        .map(
            axis ->
                IntStream.range(0, labels.size())
                    .filter(mode -> labels.get(mode).equals(axis.label()))
                    .boxed()
                    .toList())
        .toList();
  }

  /** Parts that an entry goes to, whose operand has {@code modes} with the label of each axis. */
  public int copies(List<List<Integer>> modes) {
    return IntStream.range(0, axes.size())
        .filter(axis -> modes.get(axis).isEmpty())
        .map(axis -> axes.get(axis).ranges().parts())
        .reduce(1, Math::multiplyExact);
  }

  /**
   * What to add to the part that has the first range of every axis without modes, to get the parts
   * that have the others: {@link #copies} numbers, the first of which is 0.
   */
  public int[] copyOffsets(List<List<Integer>> modes) {
    int[] offsets = {0};
    for (int axis = 0; axis < axes.size(); axis++) {
      if (modes.get(axis).isEmpty()) {
        int stride = stride(axis);
        int ranges = axes.get(axis).ranges().parts();
        offsets =
            IntStream.of(offsets)
                .flatMap(from -> IntStream.range(0, ranges).map(range -> from + range * stride))
                .toArray();
      }
    }
    return offsets;
  }

  /** Sizes of all labels in {@code part}, which has ranges of some of them. */
  public Map<String, Long> sizes(int part, Map<String, Long> whole) {
    Map<String, Long> sizes = new HashMap<>(whole);
    for (int axis = 0; axis < axes.size(); axis++) {
      sizes.put(axes.get(axis).label(), axes.get(axis).ranges().length(range(axis, part)));
    }
    return sizes;
  }

  /**
   * The first coordinate that {@code part} has of every mode.
   *
   * @param modes that have the label of each axis
   * @param order number of modes
   */
  public long[] starts(int part, List<List<Integer>> modes, int order) {
    long[] starts = new long[order];
    for (int axis = 0; axis < axes.size(); axis++) {
      for (int mode : modes.get(axis)) {
        starts[mode] = axes.get(axis).ranges().from(range(axis, part));
      }
    }
    return starts;
  }

  /** The labels with the number of ranges of each, as {@code i, j in 4 x 2}. */
  String described() {
    String names = String.join(", ", labels());
    return axes.size() < 2
        ? names
        : axes.stream()
            .map(axis -> Integer.toString(axis.ranges().parts()))
            .collect(Collectors.joining(" x ", names + " in ", ""));
  }

  /** As {@code by ranges of i}, or {@code by ranges of i, j in 4 x 2}. */
  @Override
  public String toString() {
    return axes.isEmpty() ? "undivided" : "by ranges of " + described();
  }
}
