package org.weft.planner.distributed;

import java.io.Serializable;
import java.util.List;

/** How the entries of an operand get to the parts of a statement that need them. */
public sealed interface Route extends Serializable {
  /** Which entries a part gets, as the plan prints it. */
  @Override
  String toString();

  /**
   * To the part whose range has the coordinate.
   *
   * @param modes of the operand, all of which have the label: entries where they differ in range
   *     are needed nowhere
   */
  record ByRanges(List<Integer> modes) implements Route {
    public ByRanges {
      modes = List.copyOf(modes);
    }

    @Override
    public String toString() {
      return "by ranges of mode " + modes.get(0);
    }
  }

  /** All entries to every part. */
  record Everywhere() implements Route {
    @Override
    public String toString() {
      return "to every part";
    }
  }

  /**
   * Slices of a mode to the parts that ask for them: those whose entries of another operand have
   * their coordinates. The operand lies along that mode by ranges while it is asked.
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
