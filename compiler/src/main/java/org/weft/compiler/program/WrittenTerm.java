package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;

/**
 * A term of the right side of a statement: {@code factors} times {@code numbers}, or anything else.
 *
 * @param whole the term as it was written, without its sign
 * @param numbers numbers and variables that it is multiplied by
 * @param factors tensors with labels; empty where the term is not a plain product
 */
record WrittenTerm(
    boolean negative, Syntax whole, List<Syntax> numbers, List<Syntax.Access> factors) {
  WrittenTerm {
    numbers = List.copyOf(numbers);
    factors = List.copyOf(factors);
  }

  /** Whether the term is a plain product of tensors. */
  boolean isProduct() {
    return !factors.isEmpty();
  }

  /**
   * The terms of a statement. None is a product if a label that is summed stands in several terms
   * and not in all: it is then summed over terms that do not have it.
   */
  static List<WrittenTerm> of(Statement statement) {
    List<WrittenTerm> terms = new ArrayList<>();
    split(statement.value(), false, terms);
    if (statement.mask() != null || !sumsEachTermAlone(statement, terms)) {
      return List.of();
    }
    return terms;
  }

  private static void split(Syntax value, boolean negative, List<WrittenTerm> into) {
    if (value instanceof Syntax.Negation negation) {
      split(negation.operand(), !negative, into);
    } else if (value instanceof Syntax.Operation sum && sum.operator() == Syntax.Operator.ADD) {
      split(sum.left(), negative, into);
      split(sum.right(), negative, into);
    } else if (value instanceof Syntax.Operation difference
        && difference.operator() == Syntax.Operator.SUBTRACT) {
      split(difference.left(), negative, into);
      split(difference.right(), !negative, into);
    } else {
      List<Syntax> numbers = new ArrayList<>();
      List<Syntax.Access> factors = new ArrayList<>();
      boolean product = multiply(value, numbers, factors);
      into.add(
          new WrittenTerm(
              negative, value, product ? numbers : List.of(), product ? factors : List.of()));
    }
  }

  private static boolean multiply(Syntax value, List<Syntax> numbers, List<Syntax.Access> factors) {
    if (value instanceof Syntax.Operation product
        && (product.operator() == Syntax.Operator.MULTIPLY
            || product.operator() == Syntax.Operator.ELEMENTWISE_MULTIPLY)) {
      return multiply(product.left(), numbers, factors)
          && multiply(product.right(), numbers, factors);
    }
    if (value instanceof Syntax.Access access && !access.labels().isEmpty()) {
      factors.add(access);
      return true;
    }
    numbers.add(value);
    return value instanceof Syntax.Access || value instanceof Syntax.Number;
  }

  private Set<String> labels() {
    Set<String> labels = new HashSet<>();
    Accesses.of(whole).forEach(a -> a.labels().forEach(label -> labels.add(label.name())));
    return labels;
  }

  private static boolean sumsEachTermAlone(Statement statement, List<WrittenTerm> terms) {
    boolean products = terms.stream().allMatch(WrittenTerm::isProduct);
    return sharedSums(statement, terms).values().stream()
        .allMatch(users -> products && users == terms.size());
  }

  /** Labels that are summed and stand in several terms, with the number of these. */
  private static Map<String, Integer> sharedSums(Statement statement, List<WrittenTerm> terms) {
    Map<String, Integer> users = new HashMap<>();
    terms.forEach(term -> term.labels().forEach(label -> users.merge(label, 1, Integer::sum)));
    statement.target().labels().forEach(label -> users.remove(label.name()));
    users.values().removeIf(count -> count < 2);
    return users;
  }

  /**
   * The statement with other terms, each of them summed alone: a label that all terms sum gets a
   * name of its own in each.
   *
   * @param changed for each of {@code terms} its factors now
   */
  static Statement withFactors(
      Statement statement, List<WrittenTerm> terms, List<List<Syntax.Access>> changed) {
    Set<String> taken = new HashSet<>();
    terms.forEach(term -> taken.addAll(term.labels()));
    statement.target().labels().forEach(label -> taken.add(label.name()));
    Set<String> sums = sharedSums(statement, terms).keySet();
    Syntax value = null;
    for (int number = 0; number < terms.size(); number++) {
      WrittenTerm term = terms.get(number);
      Syntax product = term.whole();
      if (term.isProduct()) {
        Map<String, String> names = new HashMap<>();
        for (String label : sums) {
          names.put(label, unused(label, taken));
        }
        List<Syntax> factors = new ArrayList<>(term.numbers());
        changed.get(number).forEach(factor -> factors.add(renamed(factor, names)));
        product = product(factors);
      }
      if (value == null) {
        value = term.negative() ? new Syntax.Negation(product, product.span()) : product;
      } else {
        Syntax.Operator operator = term.negative() ? Syntax.Operator.SUBTRACT : Syntax.Operator.ADD;
        value = new Syntax.Operation(operator, value, product, statement.value().span());
      }
    }
    return new Statement(
        statement.target(),
        statement.mask(),
        statement.assignment(),
        value == null ? statement.value() : value);
  }

  /** The product of {@code factors}, of which there is one at least. */
  static Syntax product(List<? extends Syntax> factors) {
    Syntax product = factors.get(0);
    for (Syntax factor : factors.subList(1, factors.size())) {
      product = new Syntax.Operation(Syntax.Operator.MULTIPLY, product, factor, product.span());
    }
    return product;
  }

  private static String unused(String label, Set<String> taken) {
    String name = label;
    for (int copy = 1; !taken.add(name); copy++) {
      name = label + "_" + copy;
    }
    return name;
  }

  private static Syntax.Access renamed(Syntax.Access access, Map<String, String> names) {
    List<Syntax.Label> labels =
        access.labels().stream()
            .map(l -> new Syntax.Label(names.getOrDefault(l.name(), l.name()), l.span()))
            .toList();
    return new Syntax.Access(access.tensor(), labels, access.span());
  }
}
