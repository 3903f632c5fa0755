package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;

/**
 * The cheapest order in which to multiply the factors of a product in pairs, among those whose
 * intermediate results fit into memory: dynamic programming over subsets up to {@value #MOST_EXACT}
 * factors, and beyond the pair whose result is smallest beside its operands, again and again (the
 * greedy order of opt_einsum). The cost of a pair is the expected number of multiplications, plus
 * the writing and reading of its result, which counts more when that is sparse.
 *
 * <p>If the cheapest tree does not fit, every subset keeps all trees of which none is both cheaper
 * and of a lower peak than another, up to {@value #MOST_KEPT}: the cheapest tree that fits is then
 * exact.
 */
public final class ContractionTree {
  /** The number of subsets grows as 2^n, that of their divisions as 3^n. */
  public static final int MOST_EXACT = 13;

  /** Trees of one subset. */
  private static final int MOST_KEPT = 16;

  /** Labels and factors are bits. */
  private static final int MOST_BITS = 62;

  private static final double DENSE_CELL = 1;
  private static final double SPARSE_ENTRY = 8;

  private static final double DENSE_BYTES = 8;
  private static final double SPARSE_BYTES = 24;

  /**
   * The product of a subset of the factors.
   *
   * @param factor its number, if it is one factor
   * @param left one of the two that are multiplied; null for a factor
   * @param right the other one
   * @param factors bits of the subset
   * @param mask bits of the labels
   * @param labels variables that the result keeps
   * @param values expected number of its entries; of its cells, when it is dense
   * @param cost of everything up to here
   * @param bytes of the result; 0 for a factor and for the last product, which are there anyway
   * @param peak bytes of intermediate results at once while this is computed
   */
  public record Node(
      int factor,
      @Nullable Node left,
      @Nullable Node right,
      long factors,
      long mask,
      Set<IndexVar> labels,
      double values,
      boolean dense,
      double cost,
      double bytes,
      double peak) {

    boolean isFactor() {
      return left == null;
    }

    /** Whether it is a product of several factors that was there. */
    public boolean isThere() {
      return left == null && Long.bitCount(factors) > 1;
    }
  }

  private final List<TensorExpr.Access> factors;
  private final Estimates estimates;
  private final boolean mayDensify;
  private final double mostBytes;
  private final List<IndexVar> labels = new ArrayList<>();
  private final double[] sizes;
  private final long[] masks;
  private final long result;
  private final Set<Long> there;

  /** Factors that are counted along each label, as bits. */
  private final List<Long> users = new ArrayList<>();

  private final List<Map<Long, Double>> agreements = new ArrayList<>();
  private final long counted;

  /**
   * @param result the variables that are not summed
   * @param mayDensify whether intermediate results may be dense where some cell may have no value:
   *     the final result does not show which cells have one
   * @param mostBytes of intermediate results at once
   */
  public ContractionTree(
      List<TensorExpr.Access> factors,
      Set<IndexVar> result,
      Estimates estimates,
      boolean mayDensify,
      double mostBytes) {
    this(factors, result, estimates, mayDensify, mostBytes, Set.of());
  }

  /**
   * As above.
   *
   * @param there subsets of several factors, as bits, whose products are there already and cost
   *     only their reading; only products of up to {@value #MOST_EXACT} factors use them
   */
  public ContractionTree(
      List<TensorExpr.Access> factors,
      Set<IndexVar> result,
      Estimates estimates,
      boolean mayDensify,
      double mostBytes,
      Set<Long> there) {
    this.there = there;
    this.mayDensify = mayDensify;
    this.factors = factors;
    this.estimates = estimates;
    this.mostBytes = mostBytes;
    Map<IndexVar, Integer> numbers = new LinkedHashMap<>();
    factors.forEach(
        factor -> factor.variables().forEach(label -> numbers.putIfAbsent(label, numbers.size())));
    labels.addAll(numbers.keySet());
    sizes = labels.stream().mapToDouble(label -> estimates.cells(List.of(label))).toArray();
    masks = factors.stream().mapToLong(factor -> mask(factor.variables(), numbers)).toArray();
    this.result = mask(result, numbers);
    this.counted = countUsers();
  }

  /** Labels along which the entries of two factors and more are counted. */
  private long countUsers() {
    long several = 0;
    for (int label = 0; label < labels.size(); label++) {
      long counting = 0;
      for (int factor = 0; factor < factors.size(); factor++) {
        boolean known = estimates.mode(factors.get(factor), labels.get(label)).isPresent();
        counting |= known ? 1L << factor : 0;
      }
      users.add(counting);
      agreements.add(new HashMap<>());
      several |= Long.bitCount(counting) > 1 ? 1L << label : 0;
    }
    return several;
  }

  private static long mask(Iterable<IndexVar> labels, Map<IndexVar, Integer> numbers) {
    long mask = 0;
    for (IndexVar label : labels) {
      Integer number = numbers.get(label);
      mask |= number == null ? 0 : 1L << number;
    }
    return mask;
  }

  /**
   * Whether there are neither too few factors nor too many labels for an order to be looked for.
   */
  static boolean mayOrder(List<TensorExpr.Access> factors) {
    Set<IndexVar> labels = new LinkedHashSet<>();
    factors.forEach(factor -> labels.addAll(factor.variables()));
    return factors.size() > 2 && factors.size() <= MOST_BITS && labels.size() <= MOST_BITS;
  }

  /** The best tree over all factors; empty if none keeps within the memory. */
  public Optional<Node> best() {
    if (factors.size() <= MOST_EXACT) {
      return exact();
    }
    return Stream.of(greedy(), written())
        .flatMap(Optional::stream)
        .min(Comparator.comparingDouble(Node::cost));
  }

  private Optional<Node> exact() {
    Node cheapest = exact(1, Double.POSITIVE_INFINITY).get(0);
    return cheapest.peak() <= mostBytes
        ? Optional.of(cheapest)
        : exact(MOST_KEPT, mostBytes).stream().findFirst();
  }

  /** Trees over all factors, the cheapest first. */
  private List<Node> exact(int kept, double most) {
    int all = (1 << factors.size()) - 1;
    List<List<Node>> nodes = new ArrayList<>();
    nodes.add(List.of());
    for (int subset = 1; subset <= all; subset++) {
      nodes.add(
          Integer.bitCount(subset) == 1
              ? List.of(leaf(Integer.numberOfTrailingZeros(subset)))
              : there.contains((long) subset)
                  ? List.of(present(subset, subset == all))
                  : best(subset, nodes, subset == all, kept, most));
    }
    return nodes.get(all);
  }

  /** A product that is there. As the whole it is read once for every value. */
  private Node present(int subset, boolean whole) {
    Outline made = outline(subset, false);
    double cost = whole ? made.writing() : 0;
    return new Node(
        -1,
        null,
        null,
        subset,
        made.mask(),
        made.labels(),
        made.values(),
        made.dense(),
        cost,
        0,
        0);
  }

  /** The product of all factors as a tensor that is kept. */
  public Node whole() {
    Outline made = outline((1L << factors.size()) - 1, false);
    return new Node(
        -1,
        null,
        null,
        made.factors(),
        made.mask(),
        made.labels(),
        made.values(),
        made.dense(),
        made.writing(),
        made.bytes(),
        made.bytes());
  }

  private Optional<Node> greedy() {
    List<Node> open = new ArrayList<>();
    for (int factor = 0; factor < factors.size(); factor++) {
      open.add(leaf(factor));
    }
    while (open.size() > 1) {
      Node chosen = null;
      double least = 0;
      for (int first = 0; first < open.size(); first++) {
        for (int second = first + 1; second < open.size(); second++) {
          Node a = open.get(first);
          Node b = open.get(second);
          Outline made = outline(a.factors() | b.factors(), open.size() == 2);
          double score = made.values() - a.values() - b.values();
          if (chosen == null || score < least) {
            chosen = pair(a, b, made);
            least = score;
          }
        }
      }
      Node next = chosen;
      if (next == null || next.peak() > mostBytes) {
        return Optional.empty();
      }
      open.removeIf(node -> (node.factors() & next.factors()) != 0);
      open.add(next);
    }
    return Optional.of(open.get(0));
  }

  /** From the left to the right. */
  private Optional<Node> written() {
    Node made = leaf(0);
    for (int factor = 1; factor < factors.size(); factor++) {
      Node next = leaf(factor);
      boolean last = factor == factors.size() - 1;
      made = pair(next, made, outline(made.factors() | next.factors(), last));
    }
    return made.peak() > mostBytes ? Optional.empty() : Optional.of(made);
  }

  private Node leaf(int factor) {
    TensorExpr.Access access = factors.get(factor);
    Set<IndexVar> own = new LinkedHashSet<>(access.variables());
    double cells = cells(masks[factor]);
    double values = cells * estimates.density(access, own);
    boolean dense = values >= cells;
    return new Node(factor, null, null, 1L << factor, masks[factor], own, values, dense, 0, 0, 0);
  }

  /**
   * What the product of a subset is, however it is made.
   *
   * @param writing its cost
   */
  private record Outline(
      long factors,
      long mask,
      Set<IndexVar> labels,
      double values,
      boolean dense,
      double writing,
      double bytes) {}

  private Outline outline(long subset, boolean last) {
    List<TensorExpr.Access> inside = inside(subset);
    long outside = result;
    long all = 0;
    for (int factor = 0; factor < masks.length; factor++) {
      if ((subset >> factor & 1) == 1) {
        all |= masks[factor];
      } else {
        outside |= masks[factor];
      }
    }
    Set<IndexVar> kept = labels(all & outside);
    double entries = estimates.reduced(estimates.tuples(inside, labels(all)), kept, inside);
    double cells = cells(all & outside);
    boolean full =
        inside.stream().allMatch(access -> access.tensor().format().isDense())
            && (cells(all) > 0 || cells == 0); // a sum over no cells has a value nowhere
    boolean dense = full || mayDensify && entries * 3 >= cells;
    double values = dense ? cells : entries;
    double writing = last ? 0 : values * (dense ? DENSE_CELL : SPARSE_ENTRY);
    double bytes = last ? 0 : values * (dense ? DENSE_BYTES : SPARSE_BYTES);
    return new Outline(subset, all & outside, kept, values, dense, writing, bytes);
  }

  /** Trees over a subset, the cheapest first, each of a lower peak than those before it. */
  private List<Node> best(int subset, List<List<Node>> nodes, boolean last, int kept, double most) {
    Outline made = outline(subset, last);
    List<Node> front = new ArrayList<>();
    for (int left = (subset - 1) & subset; left > 0; left = (left - 1) & subset) {
      int right = subset ^ left;
      if (left < right) {
        continue;
      }
      for (Node a : nodes.get(left)) {
        for (Node b : nodes.get(right)) {
          double cost = a.cost() + b.cost() + multiplications(a, b) + made.writing();
          double peak = peak(a, b, made.bytes());
          if (peak <= most && improves(front, cost, peak, kept)) {
            enter(front, pair(a, b, made), kept);
          }
        }
      }
    }
    return front;
  }

  private static boolean improves(List<Node> front, double cost, double peak, int kept) {
    return kept == 1
        ? front.isEmpty() || cost < front.get(0).cost()
        : front.stream().noneMatch(known -> known.cost() <= cost && known.peak() <= peak);
  }

  private static void enter(List<Node> front, Node made, int kept) {
    if (kept == 1) {
      front.clear();
    }
    front.removeIf(known -> known.cost() >= made.cost() && known.peak() >= made.peak());
    int at = 0;
    while (at < front.size() && front.get(at).cost() < made.cost()) {
      at++;
    }
    front.add(at, made);
    if (front.size() > kept) {
      front.remove(kept / 2);
    }
  }

  private Node pair(Node a, Node b, Outline made) {
    double cost = a.cost() + b.cost() + multiplications(a, b) + made.writing();
    return new Node(
        -1,
        b,
        a,
        made.factors(),
        made.mask(),
        made.labels(),
        made.values(),
        made.dense(),
        cost,
        made.bytes(),
        peak(a, b, made.bytes()));
  }

  private static double peak(Node a, Node b, double bytes) {
    Node first = isFirst(a, b) ? a : b;
    Node second = isFirst(a, b) ? b : a;
    double computing = Math.max(first.peak(), first.bytes() + second.peak());
    return Math.max(computing, a.bytes() + b.bytes() + bytes);
  }

  /** Whether {@code a} is computed before {@code b}: it gives back more memory than {@code b}. */
  static boolean isFirst(Node a, Node b) {
    return a.peak() - a.bytes() >= b.peak() - b.bytes();
  }

  private double multiplications(Node a, Node b) {
    double cells = cells(a.mask() | b.mask());
    double even = cells * share(a) * share(b);
    for (long rest = counted & a.mask() & b.mask(); rest != 0; rest &= rest - 1) {
      int label = Long.numberOfTrailingZeros(rest);
      double apart = agreement(label, a.factors()) * agreement(label, b.factors());
      even *= apart == 0 ? 0 : agreement(label, a.factors() | b.factors()) / apart;
    }
    return Math.min(even, cells * Math.min(share(a), share(b)));
  }

  /**
   * Multiplications of {@code node} and below that are products of dense tensors with enough work
   * and labels on both sides: these run over packed panels.
   */
  double packed(Node node) {
    Node left = node.left();
    Node right = node.right();
    if (left == null || right == null) {
      return 0;
    }
    double below = packed(left) + packed(right);
    double work = multiplications(left, right);
    boolean packs =
        left.dense()
            && right.dense()
            && work >= PanelChoice.LEAST_WORK
            && cells(left.mask() & ~right.mask() & node.mask()) >= PanelChoice.LEAST_SIDE
            && cells(right.mask() & ~left.mask() & node.mask()) >= PanelChoice.LEAST_SIDE
            && cells(left.mask() & right.mask() & ~node.mask()) >= PanelChoice.LEAST_SIDE;
    return below + (packs ? work : 0);
  }

  /** As that of {@link Estimates}, for the factors of a subset. */
  private double agreement(int label, long subset) {
    long counting = subset & users.get(label);
    if (Long.bitCount(counting) < 2) {
      return 1;
    }
    return agreements
        .get(label)
        .computeIfAbsent(counting, some -> estimates.agreement(inside(some), labels.get(label)));
  }

  private List<TensorExpr.Access> inside(long subset) {
    List<TensorExpr.Access> inside = new ArrayList<>();
    for (long rest = subset; rest != 0; rest &= rest - 1) {
      inside.add(factors.get(Long.numberOfTrailingZeros(rest)));
    }
    return inside;
  }

  private double share(Node node) {
    double cells = cells(node.mask());
    return cells == 0 ? 0 : node.values() / cells;
  }

  private double cells(long mask) {
    double cells = 1;
    for (long rest = mask; rest != 0; rest &= rest - 1) {
      cells *= sizes[Long.numberOfTrailingZeros(rest)];
    }
    return cells;
  }

  private Set<IndexVar> labels(long mask) {
    Set<IndexVar> chosen = new LinkedHashSet<>();
    for (long rest = mask; rest != 0; rest &= rest - 1) {
      chosen.add(labels.get(Long.numberOfTrailingZeros(rest)));
    }
    return chosen;
  }

  /** {@code ((A * B) * C)}. */
  String text(Node node) {
    Node left = node.left();
    Node right = node.right();
    return left == null || right == null
        ? factors.get(node.factor()).tensor().name()
        : "(" + text(left) + " * " + text(right) + ")";
  }
}
