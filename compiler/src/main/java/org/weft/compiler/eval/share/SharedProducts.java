package org.weft.compiler.eval.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.ContractionTree;
import org.weft.compiler.eval.NestCost;
import org.weft.error.WeftException;

/**
 * Chooses the products that the terms of several statements share. Every product that occurs twice
 * is a candidate. The one that lowers the cost of all terms together most is taken, again and again
 * (the greedy choice of Roy et al., SIGMOD 2000): a term may then be multiplied in another order
 * than it would be alone, but all terms together never cost more.
 */
public final class SharedProducts {
  private static final int MOST_FACTORS = 6;
  private static final int MOST_CANDIDATES = 256;

  private final double leastSaving;
  private final double mostBytes;
  private final List<Term> terms = new ArrayList<>();
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();

  /**
   * What is shared.
   *
   * @param parts of each term, in the order of the terms
   * @param products by key; each after those it is made of
   */
  public record Plan(List<List<SharedProduct.Part>> parts, Map<String, SharedProduct> products) {}

  /**
   * A term with the names of its parts.
   *
   * @param nest cost of one loop nest
   * @param costs with some of the parts there
   */
  private record Term(
      ProductTerm term,
      Map<Long, SharedProduct.Part> parts,
      double nest,
      Map<Set<Long>, Cost> costs) {}

  /**
   * A product that occurs in {@code terms}, by number.
   *
   * @param definition the product as a term of its own
   */
  private record Candidate(
      String key,
      Term definition,
      ContractionTree.Node made,
      List<String> labels,
      Set<Integer> terms) {}

  private record Cost(double cost, List<SharedProduct.Part> parts) {}

  private SharedProducts(double leastSaving, double mostBytes) {
    this.leastSaving = leastSaving;
    this.mostBytes = mostBytes;
  }

  /**
   * What {@code terms} share.
   *
   * @param there keys of products that were computed before
   * @param leastSaving multiplications that a product must save: a kernel more costs as much
   * @param mostBytes of shared products at once
   */
  public static Plan of(
      List<ProductTerm> terms, Set<String> there, double leastSaving, double mostBytes) {
    SharedProducts products = new SharedProducts(leastSaving, mostBytes);
    terms.forEach(products::add);
    return products.plan(there);
  }

  private void add(ProductTerm term) {
    Term named = named(term, true);
    int number = terms.size();
    terms.add(named);
    named
        .parts()
        .forEach(
            (subset, part) ->
                candidates
                    .computeIfAbsent(part.key(), key -> candidate(term, part))
                    .terms()
                    .add(number));
  }

  private static Term named(ProductTerm term, boolean whole) {
    Map<Long, SharedProduct.Part> parts = new LinkedHashMap<>();
    int count = term.factors().size();
    for (long subset = 1; count <= MOST_FACTORS && subset <= term.all(); subset++) {
      boolean several =
          Long.bitCount(subset) > 1
              && (whole || subset != term.all())
              && !term.kept(subset).isEmpty();
      if (several && isConnected(term, subset)) {
        long some = subset;
        ProductTerm part = part(term, subset, List.copyOf(term.kept(subset)));
        boolean dense = tree(part, Set.of()).whole().dense();
        ProductKeys.of(term, subset, dense).ifPresent(found -> parts.put(some, found));
      }
    }
    return new Term(term, parts, nestCost(term), new HashMap<>());
  }

  private static boolean isConnected(ProductTerm term, long subset) {
    List<ProductTerm.Factor> left = new ArrayList<>(term.factors(subset));
    Set<String> reached = new HashSet<>(left.remove(0).labels());
    while (true) {
      ProductTerm.Factor next = null;
      for (ProductTerm.Factor factor : left) {
        next = factor.labels().stream().anyMatch(reached::contains) ? factor : next;
      }
      if (next == null) {
        return left.isEmpty();
      }
      left.remove(next);
      reached.addAll(next.labels());
    }
  }

  private static ProductTerm part(ProductTerm term, long subset, List<String> labels) {
    return new ProductTerm(
        term.statement(), term.factors(subset), labels, term.sizes(), term.dense(), term.type());
  }

  private static Candidate candidate(ProductTerm term, SharedProduct.Part part) {
    ProductTerm definition = part(term, part.factors(), part.labels());
    return new Candidate(
        part.key(),
        named(definition, false),
        tree(definition, Set.of()).whole(),
        part.labels(),
        new LinkedHashSet<>());
  }

  private static ContractionTree tree(ProductTerm term, Set<Long> there) {
    return new ContractionTree(
        term.accesses(),
        term.kept(),
        term.estimates(),
        term.dense(),
        Double.POSITIVE_INFINITY,
        there);
  }

  private Plan plan(Set<String> there) {
    candidates.values().removeIf(c -> c.terms().size() < 2 && !there.contains(c.key()));
    Set<String> made = new LinkedHashSet<>(candidates.keySet());
    made.retainAll(there);
    Set<String> chosen = new LinkedHashSet<>(made);
    List<Candidate> open =
        candidates.values().stream()
            .filter(c -> !chosen.contains(c.key()))
            .sorted(Comparator.comparingInt((Candidate c) -> -c.terms().size()))
            .limit(MOST_CANDIDATES)
            .toList();
    while (true) {
      Candidate best = null;
      double most = leastSaving;
      for (Candidate candidate : open) {
        double saving = chosen.contains(candidate.key()) ? 0 : saving(candidate, chosen);
        if (saving > most && fits(chosen, candidate)) {
          best = candidate;
          most = saving;
        }
      }
      if (best == null) {
        break;
      }
      chosen.add(best.key());
    }
    dropUnused(chosen, made);
    return result(chosen);
  }

  /** What the users of a product save when it is there too, but for what making it costs. */
  private double saving(Candidate candidate, Set<String> chosen) {
    Set<String> more = new LinkedHashSet<>(chosen);
    more.add(candidate.key());
    double saving = -making(candidate, chosen);
    for (int number : candidate.terms()) {
      Term term = terms.get(number);
      saving += cost(term, chosen).cost() - cost(term, more).cost();
    }
    for (String key : chosen) {
      Term definition = candidate(key).definition();
      saving += cost(definition, chosen).cost() - cost(definition, more).cost();
    }
    return saving;
  }

  private double making(Candidate candidate, Set<String> chosen) {
    return cost(candidate.definition(), chosen).cost() + candidate.made().cost();
  }

  /** A product that a later choice has left with one use saves nothing. */
  private void dropUnused(Set<String> chosen, Set<String> made) {
    boolean dropped = true;
    while (dropped) {
      Map<String, Integer> uses = new HashMap<>();
      users(chosen)
          .forEach(cost -> cost.parts().forEach(p -> uses.merge(p.key(), 1, Integer::sum)));
      dropped = chosen.removeIf(key -> uses.getOrDefault(key, 0) < (made.contains(key) ? 1 : 2));
    }
  }

  private List<Cost> users(Set<String> chosen) {
    List<Cost> users = new ArrayList<>();
    terms.forEach(term -> users.add(cost(term, chosen)));
    chosen.forEach(key -> users.add(cost(candidate(key).definition(), chosen)));
    return users;
  }

  private Candidate candidate(String key) {
    Candidate candidate = candidates.get(key);
    if (candidate == null) {
      throw new IllegalStateException("no product " + key);
    }
    return candidate;
  }

  /** Whether the products that are kept from a first to a last statement fit at every one. */
  private boolean fits(Set<String> others, Candidate next) {
    Set<String> chosen = new LinkedHashSet<>(others);
    chosen.add(next.key());
    int last = terms.get(terms.size() - 1).term().statement();
    double[] bytes = new double[last + 2];
    for (String key : chosen) {
      Candidate candidate = candidate(key);
      int from = Integer.MAX_VALUE;
      int to = 0;
      for (int number : candidate.terms()) {
        from = Math.min(from, terms.get(number).term().statement());
        to = Math.max(to, terms.get(number).term().statement());
      }
      for (int statement = Math.min(from, to); statement <= to; statement++) {
        bytes[statement] += candidate.made().bytes();
      }
    }
    for (double used : bytes) {
      if (used > mostBytes) {
        return false;
      }
    }
    return true;
  }

  private Cost cost(Term term, Set<String> chosen) {
    Set<Long> there = new LinkedHashSet<>();
    term.parts()
        .forEach(
            (subset, part) -> {
              if (chosen.contains(part.key())) {
                there.add(subset);
              }
            });
    return term.costs().computeIfAbsent(there, key -> priced(term, there));
  }

  private static Cost priced(Term named, Set<Long> there) {
    ProductTerm term = named.term();
    if (term.factors().size() > ContractionTree.MOST_EXACT) {
      return new Cost(named.nest(), List.of());
    }
    Optional<ContractionTree.Node> best = tree(term, there).best();
    if (best.isEmpty() || best.get().cost() >= named.nest()) {
      return new Cost(named.nest(), List.of());
    }
    List<SharedProduct.Part> parts = new ArrayList<>();
    collect(best.get(), named, parts);
    return new Cost(best.get().cost(), List.copyOf(parts));
  }

  private static void collect(
      ContractionTree.@Nullable Node node, Term named, List<SharedProduct.Part> into) {
    if (node == null) {
      return;
    }
    SharedProduct.Part part = named.parts().get(node.factors());
    if (node.isThere() && part != null) {
      into.add(part);
    }
    collect(node.left(), named, into);
    collect(node.right(), named, into);
  }

  private static double nestCost(ProductTerm term) {
    try {
      return new NestCost(term.estimates()).of(term.assignment());
    } catch (WeftException cyclic) {
      return Double.POSITIVE_INFINITY;
    }
  }

  private Plan result(Set<String> chosen) {
    Map<String, SharedProduct> products = new LinkedHashMap<>();
    chosen.stream()
        .map(this::candidate)
        .sorted(Comparator.comparingInt(c -> c.definition().term().factors().size()))
        .forEach(
            candidate -> {
              ProductTerm definition = candidate.definition().term();
              products.put(
                  candidate.key(),
                  new SharedProduct(
                      candidate.key(),
                      definition.factors(),
                      candidate.labels(),
                      candidate.labels().stream().map(l -> size(definition, l)).toList(),
                      cost(candidate.definition(), chosen).parts(),
                      format(candidate),
                      definition.type(),
                      candidate.made().bytes()));
            });
    return new Plan(terms.stream().map(term -> cost(term, chosen).parts()).toList(), products);
  }

  private static long size(ProductTerm term, String label) {
    Long size = term.sizes().get(label);
    if (size == null) {
      throw new IllegalStateException("no size of " + label);
    }
    return size;
  }

  private static String format(Candidate candidate) {
    List<String> labels = candidate.labels();
    if (candidate.made().dense() || labels.isEmpty()) {
      return "Dense";
    }
    boolean full =
        labels.size() > 1
            && size(candidate.definition().term(), labels.get(0)) <= candidate.made().values();
    List<String> levels = new ArrayList<>();
    labels.forEach(label -> levels.add(full && levels.isEmpty() ? "D" : "CU"));
    return "{" + String.join(", ", levels) + "}";
  }
}
