package org.weft.planner.distributed;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/** How the entries of an operand get to the parts of a statement that need them. */
public sealed interface Route extends Serializable {
  /** Which entries a part gets, as the plan prints it. */
  @Override
  String toString();

  /**
   * Entries go to the parts whose ranges have the coordinates.
   *
   * @param modes of the operand that have the label of each axis of the grid. Entries where these
   *     modes differ in range are needed nowhere. Along an axis without modes, entries go to every
   *     range.
   */
  record ByRanges(List<List<Integer>> modes) implements Route {
    public ByRanges {
      modes = modes.stream().map(List::copyOf).toList();
    }

    /** Whether the operand has none of the labels. */
    public boolean isEverywhere() {
      return modes.stream().allMatch(List::isEmpty);
    }

    @Override
    public String toString() {
      return isEverywhere()
          ? "to every part"
          : modes.stream()
              .filter(of -> !of.isEmpty())
              .map(of -> of.get(0).toString())
              .collect(Collectors.joining(" and ", "by ranges of mode ", ""));
    }
  }

  /**
   * Slices of a mode go to the parts that ask for them. A part asks for the coordinates of its
   * entries of another operand. The operand is cut into ranges along the mode while parts ask.
   *
   * @param mode of the operand
   * @param via the operand that asks, which lies by ranges of the statement's label
   * @param viaMode its mode with the same label
   * @param size of the label
   */
  record ByNeed(int mode, String via, int viaMode, long size) implements Route {
    @Override
    public String toString() {
      return "slices of mode " + mode + " that mode " + viaMode + " of " + via + " needs";
    }
  }
}
