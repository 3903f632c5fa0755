package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;

/**
 * The cheapest order in which to multiply the factors of a product in pairs: dynamic programming
 * over subsets. The cost of a pair is the expected number of multiplications, plus the writing and
 * reading of its result, which counts more when that is sparse.
 */
final class ContractionTree {
  /** The number of subsets grows as 2^n, that of their divisions as 3^n. */
  static final int MOST_FACTORS = 10;

  private static final double DENSE_CELL = 1;
  private static final double SPARSE_ENTRY = 8;

  /** Most values of an intermediate result: 16 GB of doubles. */
  private static final double MOST_VALUES = 2e9;

  /**
   * The product of a subset of the factors.
   *
   * @param labels variables that the result keeps
   * @param values expected number of its entries; of its cells, when it is dense
   * @param cost of everything up to here
   */
  record Node(
      int factor,
      @Nullable Node left,
      @Nullable Node right,
      Set<IndexVar> labels,
      double values,
      boolean dense,
      double cost) {

    boolean isFactor() {
      return left == null;
    }
  }

  private final List<TensorExpr.Access> factors;
  private final Set<IndexVar> result;
  private final Estimates estimates;
  private final boolean mayDensify;

  /**
   * @param result the variables that are not summed
   * @param mayDensify whether intermediate results may be dense where some cell may have no value:
   *     the final result does not show which cells have one
   */
  ContractionTree(
      List<TensorExpr.Access> factors,
      Set<IndexVar> result,
      Estimates estimates,
      boolean mayDensify) {
    this.mayDensify = mayDensify;
    this.factors = factors;
    this.result = result;
    this.estimates = estimates;
  }

  /** The best tree over all factors. */
  Node best() {
    int all = (1 << factors.size()) - 1;
    Node[] nodes = new Node[all + 1];
    for (int subset = 1; subset <= all; subset++) {
      nodes[subset] =
          Integer.bitCount(subset) == 1
              ? leaf(Integer.numberOfTrailingZeros(subset))
              : best(subset, nodes, subset == all);
    }
    return nodes[all];
  }

  private Node leaf(int factor) {
    TensorExpr.Access access = factors.get(factor);
    Set<IndexVar> labels = new LinkedHashSet<>(access.variables());
    double cells = estimates.cells(labels);
    double values = cells * estimates.density(access, labels);
    return new Node(factor, null, null, labels, values, values >= cells, 0);
  }

  private Node best(int subset, Node[] nodes, boolean last) {
    List<TensorExpr.Access> inside = new ArrayList<>();
    Set<IndexVar> outside = new LinkedHashSet<>(result);
    Set<IndexVar> all = new LinkedHashSet<>();
    for (int factor = 0; factor < factors.size(); factor++) {
      TensorExpr.Access access = factors.get(factor);
      if ((subset >> factor & 1) == 1) {
        inside.add(access);
        all.addAll(access.variables());
      } else {
        outside.addAll(access.variables());
      }
    }
    Set<IndexVar> kept = new LinkedHashSet<>(all);
    kept.retainAll(outside);
    double entries = estimates.reduced(estimates.tuples(inside, all), kept);
    double cells = estimates.cells(kept);
    boolean full = inside.stream().allMatch(access -> access.tensor().format().isDense());
    boolean dense = full || mayDensify && entries * 3 >= cells;
    double values = dense ? cells : entries;
    double writing =
        last ? 0 : values > MOST_VALUES ? 1e300 : values * (dense ? DENSE_CELL : SPARSE_ENTRY);
    Node best = null;
    for (int left = (subset - 1) & subset; left > 0; left = (left - 1) & subset) {
      int right = subset ^ left;
      if (left < right) {
        continue;
      }
      Node a = nodes[left];
      Node b = nodes[right];
      double cost = a.cost() + b.cost() + multiplications(a, b) + writing;
      if (best == null || cost < best.cost()) {
        best = new Node(-1, b, a, kept, values, dense, cost);
      }
    }
    if (best == null) {
      throw new IllegalStateException("no division of " + Integer.toBinaryString(subset));
    }
    return best;
  }

  private double multiplications(Node a, Node b) {
    Set<IndexVar> all = new LinkedHashSet<>(a.labels());
    all.addAll(b.labels());
    return estimates.cells(all) * share(a) * share(b);
  }

  private double share(Node node) {
    double cells = estimates.cells(node.labels());
    return cells == 0 ? 0 : node.values() / cells;
  }

  /** {@code ((A * B) * C)}. */
  String text(Node node) {
    Node left = node.left();
    Node right = node.right();
    return left == null || right == null
        ? factors.get(node.factor()).tensor().name()
        : "(" + text(left) + " * " + text(right) + ")";
  }

  static String labels(Node node) {
    return node.labels().stream().map(IndexVar::name).collect(Collectors.joining(","));
  }
}
