package org.weft.compiler.lower.merge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.schedule.Lookup;

/**
 * The loops over stored coordinates that find rows of other operands by them, and what they do to
 * have rows brought near before they need them.
 *
 * <pre>
 * for p in [pos[i], pos[i+1]):
 *   prefetch(x[crd[min(p + d, last)]])        last of the level, not of the fiber: fibers are short
 *   sum += vals[p] * x[crd[p]]
 * </pre>
 *
 * <p>Of rows that are stored fibers the first lines of their arrays are asked for, and before that
 * the bounds that say where these are.
 */
public final class Prefetches {
  /** Bounds of stored fibers are asked for this many times as far ahead as what is between them. */
  private static final long BOUNDS = 2;

  private final KernelTensors tensors;
  private final Cursors cursors;
  private final Directives directives;
  private final Map<String, Expr> lasts = new HashMap<>();
  private final List<Lookup> lookups = new ArrayList<>();

  public Prefetches(KernelTensors tensors, Cursors cursors, Directives directives) {
    this.tensors = tensors;
    this.cursors = cursors;
    this.directives = directives;
  }

  /** The rows that loops found so far, whether or not they were asked for ahead. */
  public List<Lookup> lookups() {
    return lookups;
  }

  /**
   * A loop that counts positions.
   *
   * @param walked the operand whose positions these are
   * @param variables that are bound at a position
   * @param levels that store their coordinates, the first of which has the positions
   * @param range of the positions
   */
  public record Counted(
      TensorExpr.Access walked,
      List<IndexVar> variables,
      List<Level> levels,
      LevelEmitter.Range range) {
    Level first() {
      return levels.get(0);
    }
  }

  /** Binds the variables of a loop at one of its positions. */
  public interface Binding {
    Scope at(Expr position, Scope scope, Code code);
  }

  /** Asks for the rows of {@code expr} that the loop finds further on, if the schedule says so. */
  public void emit(
      Counted loop, TensorExpr expr, Expr position, Binding binding, Scope scope, Code code) {
    boolean told =
        loop.levels().stream().allMatch(l -> l.crd() != null && l.labelled(position) == null);
    for (int number = 0; told && number < loop.variables().size(); number++) {
      IndexVar variable = loop.variables().get(number);
      List<TensorExpr.Access> rows =
          expr.accesses().stream().filter(a -> isFound(a, variable, loop, scope)).toList();
      for (TensorExpr.Access row : rows) {
        TensorVar walked = loop.walked().tensor();
        int stored = loop.levels().get(number).stored();
        Lookup lookup = new Lookup(variable, walked, stored, row.tensor(), row.variables());
        if (!lookups.contains(lookup)) {
          lookups.add(lookup);
        }
      }
      int distance = rows.isEmpty() ? 0 : directives.prefetch(variable);
      if (distance > 0) {
        Expr last = last(loop);
        Scope there = ahead(distance, position, last, binding, scope, code);
        rows.forEach(row -> cursors.prefetch(row, found(row, there, code), code));
        List<TensorExpr.Access> stored = rows.stream().filter(row -> !isFull(row)).toList();
        if (!stored.isEmpty()) {
          Scope before = ahead(BOUNDS * distance, position, last, binding, scope, code);
          stored.forEach(row -> cursors.prefetchBounds(row, found(row, before, code), code));
        }
      }
    }
  }

  private static Scope ahead(
      long distance, Expr position, Expr last, Binding binding, Scope scope, Code code) {
    Expr further = Expr.add(position, Expr.of(distance));
    return binding.at(code.name("ahead", Expr.min(further, last)), scope, code);
  }

  private Cursor found(TensorExpr.Access row, Scope there, Code code) {
    return cursors.advance(row, there, code).cursor(row);
  }

  private boolean isFull(TensorExpr.Access access) {
    return tensors.layout(access.tensor()).levels().stream().allMatch(Level::random);
  }

  /** Whether the loop chooses the rows of {@code access} by {@code variable}, and nothing else. */
  private boolean isFound(TensorExpr.Access access, IndexVar variable, Counted loop, Scope scope) {
    if (access.id() == loop.walked().id()
        || scope.value(access) != null
        || scope.cursor(access).next() > 0) {
      return false;
    }
    TensorLayout layout = tensors.layout(access.tensor());
    int number = 0;
    while (number < layout.order()
        && layout.level(number).random()
        && loop.variables().contains(access.variableAt(number))
        && !access.variableAt(number).equals(variable)) {
      number++;
    }
    boolean found =
        number < layout.order()
            && layout.level(number).random()
            && access.variableAt(number).equals(variable);
    while (number < layout.order() && layout.level(number).random()) {
      number++;
    }
    return found && (number == layout.order() || Cursors.hasFibers(layout.level(number)));
  }

  /** The last position of the level, which the head of the kernel finds where it can. */
  private Expr last(Counted loop) {
    Level level = loop.first();
    TensorVar tensor = loop.walked().tensor();
    Expr positions = tensor.kind() == TensorVar.Kind.OPERAND ? positions(tensor, level) : null;
    if (positions == null) {
      return Expr.sub(loop.range().end(), Expr.of(1));
    }
    Expr count = positions;
    return lasts.computeIfAbsent(
        level.name(),
        name -> tensors.head().name("p" + name + "_last", Expr.sub(count, Expr.of(1))));
  }

  private @Nullable Expr positions(TensorVar tensor, Level level) {
    Expr positions = Expr.of(1);
    for (Level each : tensors.layout(tensor).levels().subList(0, level.number() + 1)) {
      positions = positions == null ? null : each.emitter().before(each, positions);
    }
    return positions;
  }
}
