package org.weft.decomposition.rows;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Part of a {@link Step}: applied to a range of rows, where they lie. Matrices and sums have the
 * names that the step gives them.
 */
public sealed interface RowOperation extends Serializable
    permits RowOperation.Replace, RowOperation.Sum, RowOperation.Each, Hals, Admm {

  /** Names that it reads before it changes them. */
  List<String> reads();

  /** The name that it changes: of rows or of a sum. */
  List<String> writes();

  /**
   * Rows that a kernel of dense algebra makes; it may read what it replaces.
   *
   * @param symbol of the kernel
   * @param result the kernel's name of {@code rows}
   * @param operands from the kernel's names to those of the step
   */
  record Replace(String symbol, String result, String rows, Map<String, String> operands)
      implements RowOperation {
    public Replace {
      operands = new HashMap<>(operands);
    }

    @Override
    public List<String> reads() {
      return List.copyOf(operands.values());
    }

    @Override
    public List<String> writes() {
      return List.of(rows);
    }
  }

  /**
   * A sum over all rows that a kernel of dense algebra makes.
   *
   * @param result the kernel's name of the sum
   * @param shape of the sum
   * @param operands from the kernel's names to those of the step
   */
  record Sum(
      String symbol, String result, String name, List<Integer> shape, Map<String, String> operands)
      implements RowOperation {
    public Sum {
      shape = new ArrayList<>(shape);
      operands = new HashMap<>(operands);
    }

    @Override
    public List<String> reads() {
      return List.copyOf(operands.values());
    }

    @Override
    public List<String> writes() {
      return List.of();
    }
  }

  /**
   * A rule for each row.
   *
   * @param names of the rule's matrices
   * @param written of these names, from the first on: the others stay as they are
   * @param sum name of the rule's sums
   * @param sums their number, which may be 0
   */
  record Each(RowRule rule, List<String> names, int written, String sum, int sums)
      implements RowOperation {
    public Each {
      names = new ArrayList<>(names);
    }

    @Override
    public List<String> reads() {
      return names;
    }

    @Override
    public List<String> writes() {
      return names.subList(0, written);
    }
  }

  /** A rule that changes the first of these matrices and adds nothing up. */
  static RowOperation each(RowRule rule, String changed, String... read) {
    List<String> names = new ArrayList<>(List.of(changed));
    names.addAll(List.of(read));
    return new Each(rule, names, 1, "", 0);
  }
}
