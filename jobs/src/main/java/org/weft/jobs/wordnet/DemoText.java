package org.weft.jobs.wordnet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntFunction;
import org.weft.engine.CpdResult;
import org.weft.jobs.model.StrongestLabels;
import org.weft.jobs.output.Console;
import org.weft.tensor.DenseMatrix;

/** The components of the demo in words, strongest first. */
public final class DemoText {
  private static final int WORDS = 6;
  private static final int RELATIONS = 2;
  private static final double NEGLIGIBLE = 0.1;

  private final Console console;
  private final WordNet wordnet;
  private final CpdResult result;

  public DemoText(Console console, WordNet wordnet, CpdResult result) {
    this.console = console;
    this.wordnet = wordnet;
    this.result = result;
  }

  public void print() {
    Integer[] order = new Integer[result.lambda().length];
    Arrays.setAll(order, r -> r);
    Arrays.sort(order, Comparator.comparingDouble(r -> -Math.abs(result.lambda()[r])));
    console.result("");
    int place = 1;
    for (int r : order) {
      String relation =
          String.join(" or ", strongest(1, r, RELATIONS, i -> wordnet.relations().get(i).name()));
      String of = String.format(Locale.ROOT, "%2d. %s of", place++, relation);
      console.result("%s  %s", of, String.join(", ", words(0, r)));
      console.result(
          "%" + of.length() + "s  %s   (weight %.1f)",
          "is",
          String.join(", ", words(2, r)),
          result.lambda()[r]);
    }
    console.result("");
  }

  private List<String> words(int mode, int component) {
    return strongest(mode, component, WORDS, i -> wordnet.synsets().get(i).words().get(0));
  }

  /** Distinct labels of the rows of largest magnitude, leaving out those far below the largest. */
  private List<String> strongest(int mode, int r, int count, IntFunction<String> label) {
    DenseMatrix factor = result.factors().get(mode);
    Comparator<Integer> byWeight =
        Comparator.comparingDouble((Integer i) -> StrongestLabels.magnitude(factor.get(i, r)))
            .thenComparing(Comparator.reverseOrder());
    PriorityQueue<Integer> best = new PriorityQueue<>(byWeight);
    int kept = 3 * count;
    for (int i = 0; i < factor.rows(); i++) {
      best.add(i);
      if (best.size() > kept) {
        best.remove();
      }
    }
    List<Integer> rows = new ArrayList<>(best);
    rows.sort(byWeight.reversed());
    double least = NEGLIGIBLE * Math.abs(factor.get(rows.get(0), r));
    Set<String> labels = new LinkedHashSet<>();
    for (int i : rows) {
      if (labels.size() < count && Math.abs(factor.get(i, r)) >= least) {
        labels.add(label.apply(i));
      }
    }
    return List.copyOf(labels);
  }
}
