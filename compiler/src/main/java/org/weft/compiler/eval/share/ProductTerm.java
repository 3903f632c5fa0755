package org.weft.compiler.eval.share;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.eval.Estimates;
import org.weft.compiler.eval.LabelSizes;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * A sum of products of tensors: a term of a statement. Labels that the target lacks are summed.
 *
 * @param statement number of the statement among those that are looked at together
 * @param target labels of the result, in the order of its modes
 * @param sizes of the labels
 * @param dense whether the result stores every cell, so that intermediate results may do so
 * @param type what the statement computes in
 */
public record ProductTerm(
    int statement,
    List<Factor> factors,
    List<String> target,
    Map<String, Long> sizes,
    boolean dense,
    ValueType type) {
  public ProductTerm {
    factors = List.copyOf(factors);
    target = List.copyOf(target);
    sizes = Map.copyOf(sizes);
  }

  /**
   * A tensor with labels.
   *
   * @param version names the tensor and what it holds: equal for the same entries only
   * @param entries stored ones
   */
  public record Factor(
      String tensor, String version, List<String> labels, TensorFormat format, double entries) {
    public Factor {
      labels = List.copyOf(labels);
    }
  }

  /** Labels that some factor of {@code subset} has and that are not summed within it. */
  Set<String> kept(long subset) {
    Set<String> inside = new LinkedHashSet<>();
    Set<String> outside = new LinkedHashSet<>(target);
    for (int at = 0; at < factors.size(); at++) {
      ((subset >> at & 1) == 1 ? inside : outside).addAll(factors.get(at).labels());
    }
    inside.retainAll(outside);
    return inside;
  }

  /** The factors of {@code subset}, as bits. */
  List<Factor> factors(long subset) {
    List<Factor> some = new ArrayList<>();
    for (long rest = subset; rest != 0; rest &= rest - 1) {
      some.add(factors.get(Long.numberOfTrailingZeros(rest)));
    }
    return some;
  }

  /** Bits of all factors. */
  long all() {
    return (1L << factors.size()) - 1;
  }

  List<TensorExpr.Access> accesses() {
    List<TensorExpr.Access> accesses = new ArrayList<>();
    for (Factor factor : factors) {
      TensorVar tensor = new TensorVar(factor.version(), factor.format(), TensorVar.Kind.OPERAND);
      accesses.add(access(accesses.size(), tensor, factor.labels()));
    }
    return accesses;
  }

  private static TensorExpr.Access access(int id, TensorVar tensor, List<String> labels) {
    SourceSpan nowhere = new SourceSpan(SourceText.expression(""), 0, 0);
    return new TensorExpr.Access(id, tensor, labels.stream().map(IndexVar::new).toList(), nowhere);
  }

  Set<IndexVar> kept() {
    Set<IndexVar> kept = new LinkedHashSet<>();
    kept(all()).forEach(label -> kept.add(new IndexVar(label)));
    return kept;
  }

  Estimates estimates() {
    Map<String, Double> entries = new LinkedHashMap<>();
    factors.forEach(factor -> entries.put(factor.version(), factor.entries()));
    return new Estimates(LabelSizes.of(sizes), entries);
  }

  /** The term as a statement of its own, into a dense tensor. */
  TensorAssignment assignment() {
    List<String> kept = target.stream().filter(kept(all())::contains).distinct().toList();
    TensorVar result =
        new TensorVar("result", TensorFormat.dense(kept.size(), type), TensorVar.Kind.RESULT);
    List<TensorExpr> factorsOfProduct = new ArrayList<>(accesses());
    TensorExpr value = new TensorExpr.Product(factorsOfProduct);
    Set<IndexVar> summed = new LinkedHashSet<>(value.freeVariables());
    kept.forEach(label -> summed.remove(new IndexVar(label)));
    for (IndexVar label : summed) {
      value = new TensorExpr.Reduce(label, value);
    }
    return new TensorAssignment(access(factors.size(), result, kept), false, value, Map.of());
  }
}
