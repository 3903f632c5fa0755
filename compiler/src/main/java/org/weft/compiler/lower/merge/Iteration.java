package org.weft.compiler.lower.merge;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.weft.compiler.algebra.Flatten;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.PropagateZero;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.IterationSet;
import org.weft.compiler.lattice.LatticeOperand;
import org.weft.compiler.lattice.LatticePoint;
import org.weft.compiler.level.Level;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.tensor.level.LevelCapability;

/** Where an expression is present along one index variable, and what is left of it in a case. */
public final class Iteration {
  private final KernelTensors tensors;

  public Iteration(KernelTensors tensors) {
    this.tensors = tensors;
  }

  /** The coordinates of {@code variable} at which {@code expr} can be present. */
  public IterationSet set(TensorExpr expr, IndexVar variable, Scope scope) {
    if (expr instanceof TensorExpr.Access access) {
      return stored(access, variable, scope);
    } else if (expr instanceof TensorExpr.Literal) {
      return IterationSet.UNIVERSE;
    } else if (expr instanceof TensorExpr.Zero) {
      return IterationSet.EMPTY;
    }
    List<IterationSet> sets =
        new ArrayList<>(expr.children().stream().map(c -> set(c, variable, scope)).toList());
    if (expr instanceof TensorExpr.Product) {
      return IterationSet.intersection(sets);
    }
    if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      sets.add(IterationSet.UNIVERSE);
    }
    return IterationSet.union(sets);
  }

  private IterationSet stored(TensorExpr.Access access, IndexVar variable, Scope scope) {
    Level level = levelAt(access, variable, scope);
    if (level == null) {
      return IterationSet.UNIVERSE;
    }
    return new IterationSet.Stored(
        new LatticeOperand(
            access.id(), level.name(), level.full(), level.can(LevelCapability.LOCATE)));
  }

  /** The level of {@code access} that its cursor has come to, if {@code variable} labels it. */
  @org.jspecify.annotations.Nullable
  public Level levelAt(TensorExpr.Access access, IndexVar variable, Scope scope) {
    if (scope.value(access) != null) {
      return null;
    }
    int next = scope.cursor(access).next();
    TensorLayout layout = tensors.layout(access.tensor());
    boolean here = next < layout.order() && access.variableAt(next).equals(variable);
    return here ? layout.level(next) : null;
  }

  /** {@code expr} where exactly the operands of {@code point} are present along the variable. */
  public TensorExpr restrict(TensorExpr expr, IndexVar variable, LatticePoint point, Scope scope) {
    Set<Integer> present =
        point.operands().stream().map(LatticeOperand::id).collect(Collectors.toSet());
    TensorExpr restricted = restrict(expr, variable, present, scope);
    return restricted.equals(expr)
        ? expr
        : RewriteRule.rewrite(restricted, new PropagateZero(), new Flatten());
  }

  private TensorExpr restrict(
      TensorExpr expr, IndexVar variable, Set<Integer> present, Scope scope) {
    if (expr instanceof TensorExpr.Access access) {
      Level level = levelAt(access, variable, scope);
      boolean absent = level != null && !level.full() && !present.contains(access.id());
      return absent ? new TensorExpr.Zero() : access;
    }
    return expr.mapChildren(child -> restrict(child, variable, present, scope));
  }

  /** Whether every level that {@code access} has still to resolve is random access. */
  public boolean isRandom(TensorExpr.Access access, Scope scope) {
    if (scope.value(access) != null) {
      return true;
    }
    TensorLayout layout = tensors.layout(access.tensor());
    for (int level = scope.cursor(access).next(); level < layout.order(); level++) {
      if (!layout.level(level).random()) {
        return false;
      }
    }
    return true;
  }

  public boolean isResolved(TensorExpr.Access access, Scope scope) {
    return scope.value(access) != null
        || scope.cursor(access).next() == tensors.layout(access.tensor()).order();
  }
}
