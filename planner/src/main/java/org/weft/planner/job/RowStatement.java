package org.weft.planner.job;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A product of the sparse tensor T with rows of dense factors whose result is one dense row for
 * each slice of a mode: MTTKRP {@code M(i,r) = T(i,j,k) * F1(j,r) * F2(k,r)}, TTMc {@code
 * M(i,r1,r2) = T(i,j,k) * F1(j,r1) * F2(k,r2)}, normal equations {@code M(i,r,s) = T(i,j,k) *
 * F1(j,r) * F2(k,r) * F1(j,s) * F2(k,s)}. A row may have other modes of the tensor, as those of a
 * {@link ModeGroup}: {@code P(i,j,r) = T(i,j,k) * F2(k,r)}. Labels that a row has not are summed.
 * In the place of T an expression of the entry may stand, {@link Entry}.
 *
 * @param name of its kernel, with the mode: a C identifier, unique among the statements of a mode
 * @param mode whose slices have the rows
 * @param columns the modes of a row, in order: labels and sizes
 * @param terms the factors, each read along the columns' label; a factor may be read twice
 * @param entry what the factors are multiplied by at each stored entry
 */
public record RowStatement(
    String name, int mode, Map<String, Integer> columns, List<Term> terms, Entry entry)
    implements JobStatement {
  private static final String[] VARIABLES = {"i", "j", "k", "l", "m", "n", "o", "p"};

  /** {@code F_mode(i_mode, label)}. */
  public record Term(int mode, String label) implements Serializable {}

  /**
   * A number for each stored entry, and none elsewhere: an expression of the language in {@code x},
   * the entry, and {@code m}, the value there of the CP model of all factors, {@code sum_q F0(i,q)
   * * F1(j,q) * F2(k,q)}. The model's value is computed once for an entry, in the loop over
   * entries: {@code x / max(m, 1e-10)} of CP-APR, {@code 1} for the entries' pattern.
   *
   * @param value the expression
   * @param rank columns of the factors if {@code m} is in it, otherwise 0
   */
  public record Entry(String value, int rank) implements Serializable {
    /** The entry itself. */
    static final Entry ITSELF = new Entry("x", 0);

    private static final Pattern NAMES = Pattern.compile("\\b[xm]\\b");

    public boolean isItself() {
      return equals(ITSELF);
    }

    public boolean readsModel() {
      return rank > 0;
    }

    /** The expression with an access for x and a sum for m. */
    public String of(String x, String m) {
      String names = NAMES.matcher(value).replaceAll(name -> name.group().equals("x") ? x : m);
      return "((" + names + ") @(+,first) " + x + ")";
    }
  }

  public RowStatement(String name, int mode, Map<String, Integer> columns, List<Term> terms) {
    this(name, mode, columns, terms, Entry.ITSELF);
  }

  public RowStatement {
    JobStatement.requireMode(name, mode);
    columns.values().forEach(size -> JobStatement.requireRank(name, size));
    requireRow(name, columns);
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

  /**
   * {@code M(i)}: a number for each entry, summed over the mode's slice.
   *
   * @param rank columns of the factors
   */
  public static RowStatement sums(String name, int mode, int rank, String value) {
    return new RowStatement(name, mode, Map.of(), List.of(), new Entry(value, rank));
  }

  /** The same with another number for each entry. */
  public RowStatement with(String newName, Entry other) {
    return new RowStatement(newName, mode, columns, terms, other);
  }

  /**
   * {@code M(i,r,s)}: R x R sums, over the slice's entries whatever their values, of the outer
   * products of the rows that MTTKRP multiplies.
   */
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
    return new RowStatement("normal", mode, columns, terms, new Entry("1", 0));
  }

  /** The label of a mode of the tensor; r is that of the rank. */
  public static String variable(int mode) {
    return mode < VARIABLES.length ? VARIABLES[mode] : "i" + mode;
  }

  /** The modes of the tensor that a row has, ascending: those whose labels are columns' labels. */
  public List<Integer> rowModes(int order) {
    return IntStream.range(0, order).filter(m -> columns.containsKey(variable(m))).boxed().toList();
  }

  private static void requireRow(String name, Map<String, Integer> columns) {
    double numbers =
        columns.values().stream().mapToDouble(Integer::doubleValue).reduce(1, (a, b) -> a * b);
    if (numbers > Integer.MAX_VALUE) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "%s: expected at most %,d numbers for a slice, found %,.0f; give a lower rank",
              name,
              Integer.MAX_VALUE,
              numbers));
    }
  }

  @Override
  public long cells() {
    return columns.values().stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
  }

  /** Whether the factor of a mode is read. */
  public boolean reads(int operandMode) {
    return entry.readsModel() || terms.stream().anyMatch(term -> term.mode() == operandMode);
  }

  /** Columns of the factor of a mode. */
  public int columnsOf(int operandMode) {
    return entry.readsModel() ? entry.rank() : columnsOfTerm(operandMode);
  }

  private int columnsOfTerm(int operandMode) {
    return terms.stream()
        .filter(term -> term.mode() == operandMode)
        .mapToInt(term -> columns.getOrDefault(term.label(), 0))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public String toString() {
    String row =
        columns.isEmpty()
            ? ""
            : ", rank "
                + columns.values().stream().map(String::valueOf).collect(Collectors.joining(" x "));
    return name + " of mode " + mode + row;
  }
}
