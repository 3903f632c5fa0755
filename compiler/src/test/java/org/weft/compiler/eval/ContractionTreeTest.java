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
}
