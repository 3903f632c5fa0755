package org.weft.compiler.eval;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.tensor.TensorFormat;

/**
 * {@code +=} into a result that takes no updates in place: a sum of the previous value, which is an
 * operand, and of what is added, over all cells of the result.
 *
 * <p>A target that repeats a label addresses a part of the result only. What is added to it is then
 * a tensor of its own: {@code Z(i,i) += b(i)} becomes {@code Z_part(i,i) = b(i)} and {@code
 * Z(i,i_1) = Z_old(i,i_1) + Z_part(i,i_1)}.
 *
 * @param part the statement that computes what is added, or null where {@code whole} has it
 * @param whole the statement that makes the result
 * @param copies labels of {@code whole}, and the label of the target that each of them stands for
 */
record Accumulation(
    @Nullable TensorAssignment part, TensorAssignment whole, Map<IndexVar, IndexVar> copies) {
  /**
   * The statements for {@code algebra}, which assigns what is to be added.
   *
   * @param old the operand that has the previous value
   * @param partName a name that no tensor of the statement has
   */
  static Accumulation of(
      TensorAssignment algebra, TensorVar old, String partName, LabelSizes labels) {
    TensorExpr.Access target = algebra.target();
    if (!repeatsLabels(target)) {
      TensorExpr previous = operand(algebra, 1, old, target.variables());
      TensorExpr sum = new TensorExpr.Sum(terms(previous, algebra.value()));
      return new Accumulation(null, algebra.withValue(sum), Map.of());
    }
    TensorFormat format =
        Conversions.narrow(
            TensorFormat.csf(target.variables().size(), algebra.type())
                .withModeOrder(modeOrder(target.tensor().format())),
            labels.shape(target.variables()));
    TensorAssignment part =
        algebra.assignedTo(
            access(target.id(), new TensorVar(partName, format, TensorVar.Kind.RESULT), target));
    Map<IndexVar, IndexVar> copies = new LinkedHashMap<>();
    List<IndexVar> distinct = distinct(algebra, copies);
    TensorVar added = new TensorVar(partName, format, TensorVar.Kind.OPERAND);
    TensorExpr sum =
        new TensorExpr.Sum(
            List.of(operand(algebra, 1, old, distinct), operand(algebra, 2, added, distinct)));
    TensorExpr.Access all =
        new TensorExpr.Access(target.id(), target.tensor(), distinct, target.span());
    return new Accumulation(part, new TensorAssignment(all, false, sum, Map.of()), copies);
  }

  private static boolean repeatsLabels(TensorExpr.Access access) {
    return new HashSet<>(access.variables()).size() < access.variables().size();
  }

  /** {@code previous + value}; only a sum with {@code +} is one with its terms. */
  private static List<TensorExpr> terms(TensorExpr previous, TensorExpr value) {
    List<TensorExpr> terms = new ArrayList<>(List.of(previous));
    if (value instanceof TensorExpr.Sum sum && sum.operator() == Operator.PLUS) {
      terms.addAll(sum.terms());
    } else {
      terms.add(value);
    }
    return terms;
  }

  private static int[] modeOrder(TensorFormat format) {
    int[] natural = new int[format.order()];
    for (int mode = 0; mode < natural.length; mode++) {
      natural[mode] = mode;
    }
    return format.isOrdinary() ? format.modeOrder() : natural;
  }

  /** The labels of the target, with a copy of its own for each repetition. */
  private static List<IndexVar> distinct(TensorAssignment algebra, Map<IndexVar, IndexVar> copies) {
    Set<IndexVar> taken = new HashSet<>(algebra.variables());
    Set<IndexVar> seen = new HashSet<>();
    List<IndexVar> labels = new ArrayList<>();
    for (IndexVar label : algebra.target().variables()) {
      IndexVar own = label;
      for (int copy = 1; !seen.add(own); copy++) {
        IndexVar next = new IndexVar(label.name() + "_" + copy);
        own = taken.contains(next) ? own : next;
      }
      if (!own.equals(label)) {
        copies.put(own, label);
      }
      labels.add(own);
    }
    return labels;
  }

  private static TensorExpr.Access operand(
      TensorAssignment algebra, int number, TensorVar tensor, List<IndexVar> labels) {
    int last = algebra.target().id();
    for (TensorExpr.Access access : algebra.value().accesses()) {
      last = Math.max(last, access.id());
    }
    return new TensorExpr.Access(last + number, tensor, labels, algebra.target().span());
  }

  private static TensorExpr.Access access(int id, TensorVar tensor, TensorExpr.Access like) {
    return new TensorExpr.Access(id, tensor, like.variables(), like.span());
  }
}
