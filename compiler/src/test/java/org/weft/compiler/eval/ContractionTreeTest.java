package org.weft.compiler.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class ContractionTreeTest {
  private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

  private final Map<String, Long> sizes = new LinkedHashMap<>();
  private final List<TensorExpr.Access> factors = new ArrayList<>();
  private Set<IndexVar> result = new LinkedHashSet<>();

  private void factor(String labels) {
    List<IndexVar> variables =
        labels.chars().mapToObj(c -> new IndexVar(Character.toString(c))).toList();
    TensorVar tensor =
        new TensorVar(
            "T" + factors.size(),
            TensorFormat.dense(labels.length(), ValueType.DOUBLE),
            TensorVar.Kind.OPERAND);
    SourceSpan nowhere = new SourceSpan(SourceText.expression(""), 0, 0);
    factors.add(new TensorExpr.Access(factors.size(), tensor, variables, nowhere));
  }

  /** {@code result-first-second-..} with sizes in the order of the alphabet. */
  private void product(String text, long... extents) {
    String[] tensors = text.split("-");
    tensors[0].chars().forEach(c -> result.add(new IndexVar(Character.toString(c))));
    for (int at = 1; at < tensors.length; at++) {
      factor(tensors[at]);
    }
    List<String> labels =
        String.join("", tensors).chars().distinct().sorted().mapToObj(Character::toString).toList();
    for (int at = 0; at < labels.size(); at++) {
      sizes.put(labels.get(at), extents[at % extents.length]);
    }
  }

  private ContractionTree tree(double mostBytes) {
    Estimates estimates = new Estimates(LabelSizes.of(sizes), new HashMap<>());
    return new ContractionTree(factors, result, estimates, true, mostBytes);
  }

  /** The expressions of COMET's table of several operands that profit from another order. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({"ia-cdmn-inad-mc, (T0 * T2)", "iacd-mnej-ei-am-bn, ''", "abij-mnef-am-fn-ebij, ''"})
  void ordersAreNeverDearerThanTheWrittenOne(String text, String pair) {
    product(text, 24, 20, 18, 22);
    ContractionTree tree = tree(NO_LIMIT);
    ContractionTree.Node best = tree.best().orElseThrow();
    assertThat(tree.text(best)).contains(pair);
    assertThat(best.cost()).isLessThanOrEqualTo(written());
  }

  /** Multiplications and writing of the factors from the left to the right. */
  private double written() {
    double cost = 0;
    Set<IndexVar> made = new LinkedHashSet<>(factors.get(0).variables());
    for (int at = 1; at < factors.size(); at++) {
      Set<IndexVar> all = new LinkedHashSet<>(made);
      all.addAll(factors.get(at).variables());
      cost += cells(all);
      Set<IndexVar> later = new HashSet<>(result);
      factors.subList(at + 1, factors.size()).forEach(f -> later.addAll(f.variables()));
      made = all;
      made.retainAll(later);
      cost += at == factors.size() - 1 ? 0 : cells(made);
    }
    return cost;
  }

  private double cells(Set<IndexVar> labels) {
    return labels.stream().mapToDouble(label -> sizes.get(label.name())).reduce(1, (a, b) -> a * b);
  }

  /** Chains of matrices have a known optimum: the programme over intervals. */
  @Test
  void chainsOfUpToThirteenMatricesAreOptimal() {
    Random random = new Random(5);
    for (int count = 3; count <= ContractionTree.MOST_EXACT; count++) {
      factors.clear();
      sizes.clear();
      long[] extents = random.longs(count + 1, 2, 60).toArray();
      for (int at = 0; at < count; at++) {
        factor(Character.toString('a' + at) + Character.toString('a' + at + 1));
      }
      for (int at = 0; at <= count; at++) {
        sizes.put(Character.toString('a' + at), extents[at]);
      }
      result = Set.of(new IndexVar("a"), new IndexVar(Character.toString('a' + count)));
      double[][] least = new double[count][count];
      for (int length = 2; length <= count; length++) {
        for (int i = 0; i + length <= count; i++) {
          int j = i + length - 1;
          least[i][j] = Double.POSITIVE_INFINITY;
          double writing = length == count ? 0 : extents[i] * extents[j + 1];
          for (int k = i; k < j; k++) {
            double flops = (double) extents[i] * extents[k + 1] * extents[j + 1];
            least[i][j] = Math.min(least[i][j], least[i][k] + least[k + 1][j] + flops + writing);
          }
        }
      }
      // Orders that are not of a chain may be cheaper still.
      assertThat(tree(NO_LIMIT).best().orElseThrow().cost())
          .isLessThanOrEqualTo(least[0][count - 1]);
    }
  }

  @Test
  void theLimitOfMemoryIsHard() {
    product("ad-ab-bc-cd", 50, 2, 60, 50);
    ContractionTree.Node free = tree(NO_LIMIT).best().orElseThrow();
    assertThat(free.peak()).isPositive();
    ContractionTree.Node bound = tree(free.peak()).best().orElseThrow();
    assertThat(bound.cost()).isEqualTo(free.cost());
    assertThat(tree(1).best()).isEmpty();
  }

  /** The cheapest order needs a large intermediate; within less memory a dearer one is found. */
  @Test
  void aDearerOrderIsTakenWhereTheCheapestDoesNotFit() {
    Random random = new Random(11);
    int dearer = 0;
    for (int round = 0; round < 200; round++) {
      factors.clear();
      sizes.clear();
      result = new LinkedHashSet<>();
      product("ae-ab-bcf-cd-fde", random.longs(6, 2, 40).toArray());
      ContractionTree.Node free = tree(NO_LIMIT).best().orElseThrow();
      double limit = free.peak() * 0.9;
      ContractionTree.Node within = tree(limit).best().orElse(null);
      if (within != null) {
        assertThat(within.peak()).isLessThanOrEqualTo(limit);
        assertThat(within.cost()).isGreaterThanOrEqualTo(free.cost());
        dearer++;
      }
    }
    assertThat(dearer).isPositive();
  }

  @Test
  void longProductsAreOrderedGreedily() {
    String labels = "abcdefghijklmnopqrstu";
    for (int at = 0; at + 1 < labels.length(); at++) {
      factor(labels.substring(at, at + 2));
      sizes.put(labels.substring(at, at + 1), 2L + at * 7 % 11);
    }
    sizes.put("u", 3L);
    result = Set.of(new IndexVar("a"), new IndexVar("u"));
    ContractionTree.Node node = tree(NO_LIMIT).best().orElseThrow();
    assertThat(node.factors()).isEqualTo((1L << 20) - 1);
    assertThat(node.cost()).isLessThanOrEqualTo(written());
    assertThat(tree(1).best()).isEmpty();
  }

  /** A product of some factors, made in some order, as this test sees it. */
  private record Made(int factors, double cost, double flops, double peak, double bytes) {}

  /** The labels of a product; a factor alone has those that are summed over it alone, too. */
  private Set<IndexVar> kept(int subset) {
    if (Integer.bitCount(subset) == 1) {
      return new LinkedHashSet<>(factors.get(Integer.numberOfTrailingZeros(subset)).variables());
    }
    Set<IndexVar> inside = new LinkedHashSet<>();
    Set<IndexVar> outside = new HashSet<>(result);
    for (int at = 0; at < factors.size(); at++) {
      ((subset >> at & 1) == 1 ? inside : outside).addAll(factors.get(at).variables());
    }
    inside.retainAll(outside);
    return inside;
  }

  /** Every tree over {@code subset}, and of every pair of subtrees both orders of computing. */
  private List<Made> every(int subset) {
    if (Integer.bitCount(subset) == 1) {
      return List.of(new Made(subset, 0, 0, 0, 0));
    }
    boolean last = subset == (1 << factors.size()) - 1;
    double cells = last ? 0 : cells(kept(subset));
    List<Made> all = new ArrayList<>();
    for (int left = (subset - 1) & subset; left > 0; left = (left - 1) & subset) {
      Set<IndexVar> labels = kept(left);
      labels.addAll(kept(subset ^ left));
      double flops = cells(labels);
      for (Made a : every(left)) {
        for (Made b : every(subset ^ left)) {
          double peak =
              Math.max(Math.max(a.peak(), a.bytes() + b.peak()), a.bytes() + b.bytes() + 8 * cells);
          double multiplications = a.flops() + b.flops() + flops;
          all.add(
              new Made(
                  subset, a.cost() + b.cost() + flops + cells, multiplications, peak, 8 * cells));
        }
      }
    }
    return all;
  }

  private void random(Random random, int count) {
    factors.clear();
    sizes.clear();
    result = new LinkedHashSet<>();
    String labels = "abcdefg".substring(0, 3 + random.nextInt(5));
    for (int at = 0; at < count; at++) {
      StringBuilder own = new StringBuilder();
      labels.chars().filter(c -> random.nextInt(5) < 2).forEach(c -> own.append((char) c));
      factor(own.length() == 0 ? labels.substring(0, 1) : own.toString());
    }
    for (TensorExpr.Access factor : factors) {
      for (IndexVar label : factor.variables()) {
        if (random.nextInt(4) == 0) {
          result.add(label);
        }
      }
    }
    labels.chars().forEach(c -> sizes.put(Character.toString(c), 1L + random.nextInt(40)));
  }

  /** Random products of 3 to 5 factors under several limits, against all trees there are. */
  @Test
  void theCheapestTreeThatFitsIsFound() {
    Random random = new Random(23);
    int bound = 0;
    for (int round = 0; round < 120; round++) {
      random(random, 3 + round % 3);
      List<Made> every = every((1 << factors.size()) - 1);
      double free = tree(NO_LIMIT).best().orElseThrow().peak();
      for (double limit : new double[] {NO_LIMIT, free, free * 0.99, free / 3, free / 20}) {
        double least =
            every.stream()
                .filter(made -> made.peak() <= limit)
                .mapToDouble(Made::cost)
                .min()
                .orElse(-1);
        ContractionTree.Node found = tree(limit).best().orElse(null);
        if (least < 0) {
          assertThat(found).as("round %d", round).isNull();
        } else {
          assertThat(found).as("round %d", round).isNotNull();
          assertThat(found.cost()).as("round %d", round).isEqualTo(least);
          assertThat(found.peak()).isLessThanOrEqualTo(limit);
          bound += found.peak() < free ? 1 : 0;
        }
      }
    }
    assertThat(bound).isGreaterThan(20);
  }

  /** Multiplications of a tree. */
  private double flops(ContractionTree.Node node) {
    ContractionTree.Node left = node.left();
    ContractionTree.Node right = node.right();
    if (left == null || right == null) {
      return 0;
    }
    Set<IndexVar> all = new LinkedHashSet<>(left.labels());
    all.addAll(right.labels());
    return cells(all) + flops(left) + flops(right);
  }

  /** The fewest multiplications for every subset, by a programme of this test's own. */
  private double fewestFlops() {
    int all = (1 << factors.size()) - 1;
    double[] least = new double[all + 1];
    for (int subset = 1; subset <= all; subset++) {
      least[subset] = Integer.bitCount(subset) == 1 ? 0 : Double.POSITIVE_INFINITY;
      for (int left = (subset - 1) & subset; left > 0; left = (left - 1) & subset) {
        Set<IndexVar> labels = kept(left);
        labels.addAll(kept(subset ^ left));
        least[subset] = Math.min(least[subset], least[left] + least[subset ^ left] + cells(labels));
      }
    }
    return least[all];
  }

  /** Thirty random chains of tensors, of orders 2 to 4 and 4 to 10 factors. */
  @Test
  void chainsTakeNoMoreMultiplicationsThanTheOptimumByFlops() {
    Random random = new Random(30);
    for (int round = 0; round < 30; round++) {
      int count = 4 + round % 7;
      factors.clear();
      sizes.clear();
      result = new LinkedHashSet<>();
      for (int at = 0; at < count; at++) {
        String own = Character.toString('A' + at);
        boolean open = round % 2 == 1 && random.nextBoolean();
        factor(Character.toString('a' + at) + Character.toString('a' + at + 1) + (open ? own : ""));
        if (open) {
          result.add(new IndexVar(own));
          sizes.put(own, 2L + random.nextInt(4));
        }
      }
      result.add(new IndexVar("a"));
      result.add(new IndexVar(Character.toString('a' + count)));
      for (int at = 0; at <= count; at++) {
        sizes.put(Character.toString('a' + at), 2L + random.nextInt(round % 3 == 0 ? 10 : 1000));
      }
      ContractionTree tree = tree(NO_LIMIT);
      ContractionTree.Node best = tree.best().orElseThrow();
      assertThat(flops(best))
          .as("round %d: %s", round, tree.text(best))
          .isLessThanOrEqualTo(fewestFlops() * (1 + 1e-12));
    }
  }

  /**
   * COMET's table of coupled-cluster expressions with several operands: multiplications of the
   * written order beside those of the chosen one, which save at least what the paper gains in time.
   * It gives no numbers of occupied (i to n) and virtual orbitals (a to f): those here are ours.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "cdmn-inad-mc, 20, 60, 23",
    "dcmn-inad-mc, 20, 60, 21",
    "cdmn-id-na-mc, 20, 60, 4.9",
    "dcmn-id-na-mc, 20, 60, 4.5",
    "mnej-ei-am-bn, 60, 20, 1.4",
    "mnfe-ei-fn-abmj, 20, 60, 1.4",
    "mnef-am-fn-ebij, 20, 60, 2.2",
    "mnef-bm-fn-eaji, 20, 60, 1.8",
    "nmef-am-fn-ebij, 20, 60, 2.2",
    "nmef-bm-fn-eaji, 20, 60, 1.8",
    "mnef-ei-fn-abmj, 20, 60, 1.5",
    "mnef-ej-fn-bami, 20, 60, 1.7",
    "mnfe-ej-fn-bami, 20, 60, 1.5"
  })
  void coupledClusterOrdersSaveMultiplications(
      String text, long occupied, long virtual, double least) {
    for (String labels : text.split("-")) {
      factor(labels);
    }
    for (char label : text.replace("-", "").toCharArray()) {
      sizes.put(Character.toString(label), label < 'g' ? virtual : occupied);
      if (text.indexOf(label) == text.lastIndexOf(label)) {
        result.add(new IndexVar(Character.toString(label)));
      }
    }
    ContractionTree tree = tree(NO_LIMIT);
    ContractionTree.Node best = tree.best().orElseThrow();
    double written = 0;
    for (int count = 2; count <= factors.size(); count++) {
      Set<IndexVar> labels = kept((1 << count - 1) - 1);
      labels.addAll(factors.get(count - 1).variables());
      written += cells(labels);
    }
    assertThat(flops(best)).isLessThanOrEqualTo(fewestFlops() * (1 + 1e-12));
    assertThat(written / flops(best)).isGreaterThanOrEqualTo(least);
  }
}
