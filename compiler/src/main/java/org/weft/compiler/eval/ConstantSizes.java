package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.tensor.TensorFormat;

/**
 * Which sizes a kernel has compiled in: those of labels that run along short dense rows, such as
 * the columns of the factors of an SpMM. Their loops are straight-line vector code then, and sums
 * over a fiber stay in registers. Kernels that do little take the sizes as arguments, so that one
 * serves all shapes.
 */
final class ConstantSizes {
  /** Longer rows do not fit the registers; loops over them are no worse. */
  private static final long LONGEST_ROW = 64;

  /** Multiplications that take less time than a compilation by far. */
  private static final double LEAST_WORK = 1 << 20;

  private ConstantSizes() {}

  /**
   * The statement with sizes that suit its operands.
   *
   * @param entries stored entries of the operands, by name
   */
  static TensorAssignment of(
      TensorAssignment assignment, LabelSizes labels, Map<String, Double> entries) {
    List<TensorExpr.Access> accesses = new ArrayList<>(assignment.value().accesses());
    double most =
        accesses.stream()
            .filter(access -> !access.tensor().format().isDense())
            .mapToDouble(access -> entries.getOrDefault(access.tensor().name(), 0.0))
            .max()
            .orElse(0);
    accesses.add(assignment.target());
    Map<IndexVar, Long> sizes = new HashMap<>(assignment.constantSizes());
    for (IndexVar variable : assignment.variables()) {
      long size = labels.size(variable);
      boolean isShort =
          size > 1 && size <= LONGEST_ROW && most * size >= LEAST_WORK && !labels.isOpen(variable);
      if (isShort && accesses.stream().allMatch(access -> runsAlong(access, variable))) {
        sizes.put(variable, size);
      }
    }
    return assignment.withConstantSizes(sizes);
  }

  /** Whether the access does not have the variable, or its neighbours are next to each other. */
  private static boolean runsAlong(TensorExpr.Access access, IndexVar variable) {
    if (!access.variables().contains(variable)) {
      return true;
    }
    TensorFormat format = access.tensor().format();
    int last = format.order() - 1;
    return format.isOrdinary()
        && format.level(last).format().symbol().equals("D")
        && access.variables().indexOf(variable) == format.modeOf(last);
  }
}
