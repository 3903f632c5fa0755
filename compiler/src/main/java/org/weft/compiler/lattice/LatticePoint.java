package org.weft.compiler.lattice;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A lattice point: the operands that are present together.
 *
 * @param operands every operand present at the point
 * @param iterated the operands that the point's loop walks; the others are located
 * @param universe whether the loop visits every coordinate of the variable
 */
public record LatticePoint(
    Set<LatticeOperand> operands, Set<LatticeOperand> iterated, boolean universe) {
  public LatticePoint {
    operands = Set.copyOf(operands);
    iterated = Set.copyOf(iterated);
  }

  /** Whether this point's case arises in {@code above}'s loop: its operands are all there. */
  public boolean isBelowOrEqual(LatticePoint above) {
    return above.operands.containsAll(operands) && (!universe || above.universe);
  }

  /** {@code {B, C}}, the universe as {@code U}, located operands as {@code @D}. */
  @Override
  public String toString() {
    Set<String> names =
        operands.stream()
            .map(o -> iterated.contains(o) ? o.name() : "@" + o.name())
            .collect(Collectors.toCollection(TreeSet::new));
    if (universe) {
      names.add("U");
    }
    return names.stream().collect(Collectors.joining(", ", "{", "}"));
  }
}
