package org.weft.compiler.eval.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Names products so that equal ones have one name: their factors in the order of their versions,
 * labels numbered as they appear. Of factors with one version all orders are tried, and the name
 * that comes first is taken.
 */
final class ProductKeys {
  private static final int MOST_ORDERS = 24;

  private ProductKeys() {}

  /** The part that {@code subset} of a term is; empty if it would take too long to name it. */
  static Optional<SharedProduct.Part> of(ProductTerm term, long subset, boolean dense) {
    List<ProductTerm.Factor> factors = new ArrayList<>(term.factors(subset));
    factors.sort(Comparator.comparing(ProductTerm.Factor::version));
    Set<String> kept = term.kept(subset);
    List<List<ProductTerm.Factor>> orders = new ArrayList<>();
    if (!orders(factors, 0, orders)) {
      return Optional.empty();
    }
    String best = "";
    List<String> labels = List.of();
    for (List<ProductTerm.Factor> order : orders) {
      Map<String, Integer> numbers = new LinkedHashMap<>();
      StringBuilder text = new StringBuilder();
      for (ProductTerm.Factor factor : order) {
        text.append(factor.version()).append('(');
        for (String label : factor.labels()) {
          numbers.putIfAbsent(label, numbers.size());
          text.append(numbers.get(label)).append(kept.contains(label) ? "," : "s,");
        }
        text.append(") ");
      }
      if (best.isEmpty() || text.toString().compareTo(best) < 0) {
        best = text.toString();
        labels = numbers.keySet().stream().filter(kept::contains).toList();
      }
    }
    String key = best + (dense ? "dense " : "sparse ") + term.type();
    return Optional.of(new SharedProduct.Part(key, subset, labels));
  }

  /** All orders that differ in factors of one version only; false if there are too many. */
  private static boolean orders(
      List<ProductTerm.Factor> factors, int from, List<List<ProductTerm.Factor>> into) {
    if (from == factors.size()) {
      into.add(List.copyOf(factors));
      return into.size() <= MOST_ORDERS;
    }
    Set<List<String>> tried = new HashSet<>();
    for (int at = from; at < factors.size(); at++) {
      ProductTerm.Factor next = factors.get(at);
      if (!next.version().equals(factors.get(from).version())) {
        break;
      }
      if (tried.add(next.labels())) {
        List<ProductTerm.Factor> changed = new ArrayList<>(factors);
        changed.remove(at);
        changed.add(from, next);
        if (!orders(changed, from + 1, into)) {
          return false;
        }
      }
    }
    return true;
  }
}
