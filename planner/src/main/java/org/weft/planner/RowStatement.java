package org.weft.planner;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A product of the sparse tensor T with rows of dense factors whose result is one dense row for
 * each slice of a mode: MTTKRP {@code M(i,r) = T(i,j,k) * F1(j,r) * F2(k,r)}, TTMc {@code
 * M(i,r1,r2) = T(i,j,k) * F1(j,r1) * F2(k,r2)}, normal equations {@code M(i,r,s) = T(i,j,k) *
 * F1(j,r) * F2(k,r) * F1(j,s) * F2(k,s)}. Labels that a row has not, and the other modes, are
 * summed.
 *
 * @param name of its kernel, with the mode: a C identifier, unique among the statements of a mode
 * @param mode whose slices have the rows
 * @param columns the modes of a row, in order: labels and sizes
 * @param terms the factors, each read along the columns' label; a factor may be read twice
 */
public record RowStatement(String name, int mode, Map<String, Integer> columns, List<Term> terms)
    implements Serializable {

  /** {@code F_mode(i_mode, label)}. */
  public record Term(int mode, String label) implements Serializable {}

  public RowStatement {
    columns = new LinkedHashMap<>(columns); // what serialises as it is
    terms = new ArrayList<>(terms);
  }

  /** {@code M(i,r)}: products of rows of all other factors, summed over the mode's slice. */
  public static RowStatement mttkrp(int order, int mode, int rank) {
    List<Term> terms = new ArrayList<>();
    for (int m = 0; m < order; m++) {
      if (m != mode) {
        terms.add(new Term(m, "r"));
      }
    }
    return new RowStatement("mttkrp", mode, Map.of("r", rank), terms);
  }

  /**
   * Tensor times a chain of matrices: {@code M(i,..)} with a mode of size {@code ranks[m]} for each
   * other mode m, in order.
   */
  public static RowStatement ttmc(int mode, int... ranks) {
    Map<String, Integer> columns = new LinkedHashMap<>();
    List<Term> terms = new ArrayList<>();
    for (int m = 0; m < ranks.length; m++) {
      if (m != mode) {
        columns.put("r" + m, ranks[m]);
        terms.add(new Term(m, "r" + m));
      }
    }
    return new RowStatement("ttmc", mode, columns, terms);
  }

  /** {@code M(i,r,s)}: R x R sums of the outer products of the rows that MTTKRP multiplies. */
  public static RowStatement normal(int order, int mode, int rank) {
    Map<String, Integer> columns = new LinkedHashMap<>();
    List<Term> terms = new ArrayList<>();
    for (String label : List.of("r", "s")) {
      columns.put(label, rank);
      for (int m = 0; m < order; m++) {
        if (m != mode) {
          terms.add(new Term(m, label));
        }
      }
    }
    return new RowStatement("normal", mode, columns, terms);
  }

  /** Columns of the factor of {@code mode}. */
  int columnsOf(int operandMode) {
    return terms.stream()
        .filter(term -> term.mode() == operandMode)
        .mapToInt(term -> columns.getOrDefault(term.label(), 0))
        .findFirst()
        .orElseThrow();
  }
}
