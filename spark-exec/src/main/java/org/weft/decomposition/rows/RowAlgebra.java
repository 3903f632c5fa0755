package org.weft.decomposition.rows;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * The dense algebra of tall matrices A and M (I x R) that have a row for each slice of a mode. For
 * each operation there is a kernel, which a {@link org.weft.planner.job.Job} compiles, and a {@link
 * RowOperation}, which runs the kernel as part of a {@link Step}. Small matrices, such as Gram
 * matrices (R x R), are of type double, and sums over rows are in double precision.
 *
 * @param result type of the rows of A
 * @param from type of the rows of M
 * @param rank R, the number of columns of A and M, for which the kernels are specialised; 0 if it
 *     is not known when they are compiled
 */
public record RowAlgebra(ValueType result, ValueType from, int rank) {
  private static final TensorFormat MATRIX = TensorFormat.dense(2, ValueType.DOUBLE);
  private static final TensorFormat VECTOR = TensorFormat.dense(1, ValueType.DOUBLE);

  /** The algebra of matrices A and M of one type with {@code rank} columns. */
  public static RowAlgebra of(int rank, ValueType type) {
    return new RowAlgebra(type, type, rank);
  }

  /** The kernel of a product with a small matrix P: {@code A(i,r) = M(i,s) * P(s,r)}. */
  public KernelRequest product() {
    return request(
        "product",
        "A(i,r) = M(i,s) * P(s,r)",
        Map.of("A", rows(result), "M", rows(from), "P", MATRIX),
        "order(i,s,r) parallel(i)");
  }

  /** The kernel of the Gram matrix: {@code G(r,s) = A(i,r) * A(i,s)}. */
  public KernelRequest gram() {
    return request(
        "gram",
        "G(r,s) = A(i,r) * A(i,s)",
        Map.of("G", MATRIX, "A", rows(result)),
        "order(i,r,s) parallel(i)");
  }

  /** The kernel of the products of columns: {@code C(r,s) = A(i,r) * M(i,s)}. */
  public KernelRequest cross() {
    return request(
        "cross",
        "C(r,s) = A(i,r) * M(i,s)",
        Map.of("C", MATRIX, "A", rows(result), "M", rows(from)),
        "order(i,r,s) parallel(i)");
  }

  /** The kernel of the inner products of equal columns: {@code d(r) = M(i,r) * A(i,r)}. */
  public KernelRequest inner() {
    return request(
        "inner",
        "d(r) = M(i,r) * A(i,r)",
        Map.of("d", VECTOR, "M", rows(from), "A", rows(result)),
        "order(i,r) parallel(i)");
  }

  /** The kernel of a copy, which may change the type: {@code A(i,r) = M(i,r)}. */
  public KernelRequest copy() {
    return request(
        "copy",
        "A(i,r) = M(i,r)",
        Map.of("A", rows(result), "M", rows(from)),
        "order(i,r) parallel(i)");
  }

  /** The kernels of {@link Hals}, for A and M of the type of A. */
  public List<KernelRequest> hals() {
    Map<String, TensorFormat> both = Map.of("A", rows(result), "T", MATRIX, "v", VECTOR);
    Map<String, TensorFormat> sum = Map.of("T", MATRIX, "v", VECTOR, "w", VECTOR);
    Map<String, TensorFormat> vectors = Map.of("a", VECTOR, "u", VECTOR, "w", VECTOR);
    return List.of(
        request("columns", "T(r,i) = A(i,r) * v(r)", both, "order(i,r)"),
        request("sum", "w(i) = T(s,i) * v(s)", sum, "order(s,i)"),
        request("bounded", "a(i) = max(max(0, 1e-16 * u(i)), u(i) - w(i))", vectors, "sequential"),
        request("rows", "A(i,r) = T(r,i)", Map.of("A", rows(result), "T", MATRIX), "order(i,r)"));
  }

  /**
   * Updates the nonnegative matrix named {@code a} by its MTTKRP named {@code m}, once ({@link
   * Hals}).
   *
   * @param weights factor of each column of a before the update
   * @param others factor of each column of m
   * @param v the matrix of the normal equations: R x R, row-major
   */
  public RowOperation hals(String a, String m, double[] weights, double[] others, double[] v) {
    Hals.Symbols symbols =
        new Hals.Symbols(symbol("columns"), symbol("sum"), symbol("bounded"), symbol("rows"));
    return Hals.of(symbols, a, m, weights, others, v);
  }

  /** The kernels of {@link Admm}. */
  public List<KernelRequest> admm() {
    String nearest = "a(k) = max(0, b(k) - u(k) - c(k))";
    String negative = " - max(0, u(k) - b(k) - c(k))";
    Map<String, TensorFormat> near = vectors("a", "b", "c", "u");
    Map<String, TensorFormat> products = Map.of("B", MATRIX, "P", MATRIX, "X", MATRIX);
    Map<String, TensorFormat> two = Map.of("X", MATRIX, "Y", MATRIX, "p", VECTOR);
    Map<String, TensorFormat> one = Map.of("X", MATRIX, "p", VECTOR);
    return List.of(
        request("right", "x(k) = m(k) + a(k) + u(k)", vectors("a", "m", "u", "x"), "sequential"),
        request("solve", "B(r,i) = P(s,r) * X(s,i)", products, "order(r,s,i)"),
        request("above", nearest, near, "sequential"),
        request("shrink", nearest + negative, near, "sequential"),
        request("dual", "v(k) = u(k) + a(k) - b(k)", vectors("a", "b", "u", "v"), "sequential"),
        request("apart", "p(i) = (X(r,i) - Y(r,i)) * (X(r,i) - Y(r,i))", two, "order(r,i)"),
        request("squares", "p(i) = X(r,i) * X(r,i)", one, "order(r,i)"));
  }

  /** The kernels of {@link Admm} for rows on the simplex, beside those for all. */
  public List<KernelRequest> simplex() {
    Map<String, TensorFormat> rows = Map.of("B", MATRIX, "U", MATRIX, "t", VECTOR);
    Map<String, TensorFormat> sums = new HashMap<>(rows);
    Map<String, TensorFormat> counts = new HashMap<>(rows);
    Map<String, TensorFormat> results = new HashMap<>(rows);
    sums.put("s", VECTOR);
    counts.put("n", VECTOR);
    results.put("X", MATRIX);
    String above = "max(0, B(r,i) - U(r,i) - t(i))";
    return List.of(
        request("start", "t(i) = (sum(r, B(r,i) - U(r,i)) - 1) / " + rank, rows, "order(r,i)"),
        request("sum", "s(i) = sum(r, " + above + ")", sums, "order(r,i)"),
        request("count", "n(i) = sum(r, min(1, 1e300 * " + above + "))", counts, "order(r,i)"),
        request(
            "rise",
            "v(i) = max(t(i), t(i) + (s(i) - 1) / max(1, n(i)))",
            vectors("n", "s", "t", "v"),
            "sequential"),
        request("less", "X(r,i) = " + above, results, "order(r,i)"));
  }

  private static Map<String, TensorFormat> vectors(String... names) {
    return Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> VECTOR));
  }

  /**
   * Updates the constrained matrix named {@code a} and its dual named {@code u} by the MTTKRP named
   * {@code m} ({@link Admm}).
   *
   * @param weights factor of each column of a and of u before the update
   * @param others factor of each column of m
   * @param v the matrix of the normal equations: R x R
   * @param divisors of the columns of a and of u after the update
   * @param charge of absolute values, where they are charged
   */
  public RowOperation admm(
      FactorConstraint constraint,
      String a,
      String u,
      String m,
      double[] weights,
      double[] others,
      DMatrixRMaj v,
      double[] divisors,
      double charge) {
    double trace = CommonOps_DDRM.trace(v);
    double rho = trace > 0 ? trace / v.numRows : 1;
    DMatrixRMaj shifted = v.copy();
    for (int r = 0; r < v.numRows; r++) {
      shifted.add(r, r, rho);
    }
    Admm.Symbols symbols =
        new Admm.Symbols(
            symbol("right"),
            symbol("solve"),
            symbol("above"),
            symbol("shrink"),
            symbol("dual"),
            symbol("apart"),
            symbol("squares"),
            new Admm.Simplex(
                symbol("start"), symbol("sum"), symbol("count"), symbol("rise"), symbol("less")));
    return new Admm(
        symbols,
        constraint,
        a,
        u,
        m,
        weights,
        Arrays.stream(others).map(other -> other / rho).toArray(),
        times(new NormalEquations(v).inverse(), rho),
        times(new NormalEquations(shifted).inverse(), rho),
        divisors,
        constraint.isSet() ? 0 : charge / rho);
  }

  private static double[] times(DMatrixRMaj matrix, double factor) {
    return Arrays.stream(matrix.data).map(number -> number * factor).toArray();
  }

  /** Replaces the rows named {@code a} by the product {@code m p}. */
  public RowOperation product(String a, String m, String p) {
    return new RowOperation.Replace(product().symbol(), "A", a, Map.of("M", m, "P", p));
  }

  /** Returns the Gram matrix {@code g = a^T a}, columns x columns, as a sum named {@code g}. */
  public RowOperation gram(String g, String a, int columns) {
    return new RowOperation.Sum(gram().symbol(), "G", g, List.of(columns, columns), Map.of("A", a));
  }

  /**
   * Returns {@code c = a^T m}, columns x others, as a sum named {@code c}.
   *
   * @param columns the number of columns of a
   * @param others the number of columns of m
   */
  public RowOperation cross(String c, String a, int columns, String m, int others) {
    return new RowOperation.Sum(
        cross().symbol(), "C", c, List.of(columns, others), Map.of("A", a, "M", m));
  }

  /** Returns {@code d(r) = sum_i m(i,r) a(i,r)} as a sum named {@code d} of {@code columns}. */
  public RowOperation inner(String d, String m, String a, int columns) {
    return new RowOperation.Sum(inner().symbol(), "d", d, List.of(columns), Map.of("M", m, "A", a));
  }

  /** Replaces the rows named {@code a} by those named {@code m}. */
  public RowOperation copy(String a, String m) {
    return new RowOperation.Replace(copy().symbol(), "A", a, Map.of("M", m));
  }

  private KernelRequest request(
      String name, String expression, Map<String, TensorFormat> formats, String schedule) {
    Map<String, Long> sizes = new TreeMap<>();
    for (String label : rank > 0 ? new String[] {"r", "s"} : new String[0]) {
      if (expression.matches(".*[(,]" + label + "[,)].*")) {
        sizes.put(label, (long) rank);
      }
    }
    return new KernelRequest(symbol(name), expression, formats, sizes, Schedule.parse(schedule));
  }

  private String symbol(String name) {
    return String.format(
        Locale.ROOT, "rows_%s_%s_%s_%d", name, result.keyword(), from.keyword(), rank);
  }

  private static TensorFormat rows(ValueType type) {
    return TensorFormat.dense(2, type);
  }
}
