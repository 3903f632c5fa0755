package org.weft.planner.job;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Neighbouring modes whose MTTKRPs one pass over the entries serves: a node of a dimension tree
 * (Phan, Tichavsky and Cichocki 2013; Kaya and Ucar 2018). The pass makes the products P with the
 * factors of all other modes, and P stays while the factors of the group are updated in turn. For
 * modes 0 and 1 of a tensor of order 4:
 *
 * <pre>
 * P(i,j,r)  = T(i,j,k,l) * F2(k,r) * F3(l,r)       a pass over the entries
 * M0(i,r)   = P(i,j,r) * F1(j,r)                   for the new F0
 * M1(j,r)   = P(i,j,r) * F0(i,r)                   for the new F1
 * </pre>
 *
 * <p>P is dense, with a row for each slice of the root, the largest mode of the group. A group of
 * one mode has its MTTKRP and no products.
 *
 * @param modes ascending
 * @param root one of them
 */
public record ModeGroup(List<Integer> modes, int root) implements Serializable {
  public ModeGroup {
    modes = new ArrayList<>(modes);
  }

  /** The modes {@code [from, to)} of a tensor. */
  public static ModeGroup of(TensorShape shape, int from, int to) {
    int root = from;
    for (int mode = from; mode < to; mode++) {
      root = shape.size(mode) > shape.size(root) ? mode : root;
    }
    return new ModeGroup(IntStream.range(from, to).boxed().toList(), root);
  }

  /** Whether there are products. */
  public boolean shares() {
    return modes.size() > 1;
  }

  /** The modes that a row of the products has, in its order. */
  public List<Integer> others() {
    return modes.stream().filter(mode -> mode != root).toList();
  }

  /** Cells of the modes of a row; infinite for more than a number can count. */
  public double rowCells(TensorShape shape) {
    return others().stream().mapToDouble(shape::size).reduce(1, (a, b) -> a * b);
  }

  /** Numbers of P. */
  public double numbers(TensorShape shape, int rank) {
    return shape.size(root) * rowCells(shape) * rank;
  }

  /** The statement of the pass: an MTTKRP, or the products. */
  public RowStatement statement(TensorShape shape, int rank) {
    RowStatement mttkrp = RowStatement.mttkrp(shape.order(), root, rank);
    if (!shares()) {
      return mttkrp;
    }
    Map<String, Integer> columns = new LinkedHashMap<>();
    others().forEach(m -> columns.put(RowStatement.variable(m), Math.toIntExact(shape.size(m))));
    columns.putAll(mttkrp.columns());
    List<RowStatement.Term> terms =
        mttkrp.terms().stream().filter(term -> !modes.contains(term.mode())).toList();
    return new RowStatement("products", root, columns, terms);
  }

  /** Name of the kernel that makes a mode's MTTKRP of the products. */
  public String symbol(int mode) {
    return "mttkrp_of_products_m" + mode;
  }

  /** Name of a mode's factor in the kernels; that of the products is P and of the result M. */
  public String factor(int mode) {
    return "F" + mode;
  }

  /**
   * The kernels that make the MTTKRPs of the products. The rows of P, of the root's factor and of
   * its MTTKRP have the type. The other matrices are small and of type double.
   */
  public List<KernelRequest> kernels(TensorShape shape, int rank, ValueType type) {
    return shares()
        ? modes.stream().map(mode -> kernel(mode, shape, rank, type)).toList()
        : List.of();
  }

  private KernelRequest kernel(int mode, TensorShape shape, int rank, ValueType type) {
    List<Integer> row = new ArrayList<>(List.of(root));
    row.addAll(others());
    String labels = row.stream().map(RowStatement::variable).collect(Collectors.joining(","));
    StringBuilder product = new StringBuilder("P(" + labels + ",r)");
    Map<String, TensorFormat> formats = new LinkedHashMap<>();
    Map<String, Long> sizes = new LinkedHashMap<>(Map.of("r", (long) rank));
    formats.put("P", TensorFormat.dense(row.size() + 1, type));
    formats.put("M", matrix(mode, type));
    for (int other : modes) {
      if (other != mode) {
        product.append(" * ").append(factor(other));
        product.append("(").append(RowStatement.variable(other)).append(",r)");
        formats.put(factor(other), matrix(other, type));
      }
      if (other != root) {
        sizes.put(RowStatement.variable(other), shape.size(other));
      }
    }
    // Rows of the result are disjoint between threads.
    row.remove((Integer) mode);
    row.add(0, mode);
    String order = row.stream().map(RowStatement::variable).collect(Collectors.joining(","));
    String first = RowStatement.variable(mode);
    return new KernelRequest(
        symbol(mode),
        "M(" + first + ",r) = " + product,
        formats,
        sizes,
        Schedule.parse("order(" + order + ",r) parallel(" + first + ")"));
  }

  private TensorFormat matrix(int mode, ValueType type) {
    return TensorFormat.dense(2, mode == root ? type : ValueType.DOUBLE);
  }

  @Override
  public String toString() {
    return modes.stream().map(String::valueOf).collect(Collectors.joining("+"));
  }
}
