package org.weft.compiler.lower.merge;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.lattice.LatticePoint;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Scope;

/**
 * What happens at one coordinate of a merge: which of the operands have it decides on the case.
 *
 * <p>Few cases are written out, as a chain of branches or, where two operands decide and the sink
 * allows it, without a branch. Many cases share one body, in which absent operands have empty
 * segments of positions.
 */
public final class MergeCases {
  /** More cases than this share one body: those of three operands. */
  public static final int MOST_CASES = 7;

  /** Those of two operands where several loops are below, which are written out for each. */
  public static final int MOST_CASES_IN_NESTS = 3;

  /** Emits what happens at a coordinate in one case. */
  public interface Body {
    void emit(LatticePoint present, Scope scope, Code code);
  }

  /**
   * What happens at a coordinate in one case.
   *
   * @param condition whether this is the case, unless an earlier one is
   */
  public record Case(LatticePoint present, Expr condition, Scope scope) {}

  /** Emits what happens at a coordinate without a branch. */
  public interface Choice {
    /**
     * @param cases the most specific first
     * @param complete whether one of them always applies
     */
    void emit(List<Case> cases, boolean complete, Scope scope, Code code);
  }

  private final MergeOperands operands;
  private final MergeLattice lattice;
  private final Body body;
  private final int mostCases;
  private final @Nullable Choice choice;

  /**
   * The cases of the operands' lattice.
   *
   * @param mostCases more than these share one body
   * @param choice takes the place of the cases where two operands are merged; null for never
   */
  public MergeCases(MergeOperands operands, int mostCases, Body body, @Nullable Choice choice) {
    this.operands = operands;
    this.lattice = operands.lattice();
    this.mostCases = mostCases;
    this.body = body;
    this.choice = choice;
  }

  /** Whether there are too many cases to write each out: one body serves them all. */
  boolean shareBody() {
    return lattice.isSummary() || lattice.points().size() > mostCases;
  }

  /** The body where all operands of the point that are not walked have the coordinate. */
  void whereFound(LatticePoint point, Expr i, Scope scope, Code code) {
    Expr condition = null;
    Scope inner = scope;
    for (MergeOperands.Located operand : operands.locate(point, i, scope, code)) {
      inner = inner.withCursor(operand.access().id(), operand.cursor());
      condition = and(condition, operand.found());
    }
    if (condition == null) {
      body.emit(point, inner, code);
    } else {
      Code found = code.nested();
      body.emit(point, inner, found);
      code.when(condition, found);
    }
  }

  /** The cases while all of {@code walks} last. */
  void whileAllLast(LatticePoint point, List<Walk> walks, Expr i, Scope scope, Code loop) {
    if (walks.stream().anyMatch(Walk::mayLeap)) {
      emit(point, walks, i, scope, loop);
      Expr furthest = walks.stream().map(Walk::coordinate).reduce(Expr::max).orElseThrow();
      walks.forEach(walk -> walk.leap(furthest, loop));
    } else if (choice != null && isSimple(point, walks)) {
      chosen(choice, point, walks, i, scope, loop);
    } else {
      emit(point, walks, i, scope, loop);
    }
  }

  /** Whether something happens only at coordinates that all of {@code walks} have. */
  boolean needsAll(LatticePoint point, List<Walk> walks) {
    return !shareBody()
        && lattice.points().size() == 1
        && lattice.cases(point).stream()
            .allMatch(
                present -> walks.stream().allMatch(w -> MergeOperands.has(present, w.access())));
  }

  /** The cases, the most specific first, then the steps of the operands that are at {@code i}. */
  void emit(LatticePoint point, List<Walk> walks, Expr i, Scope scope, Code loop) {
    boolean shared = shareBody();
    for (Walk walk : walks) {
      if (shared || !walk.level().unique()) {
        walk.findSegment(i, loop);
      }
    }
    List<MergeOperands.Located> located = operands.locate(point, i, scope, loop);
    if (shared) {
      sharedBody(point, walks, located, scope, loop);
    } else {
      eachCase(point, walks, located, i, scope, loop);
    }
    for (Walk walk : walks) {
      Code step = loop.nested();
      walk.step(step);
      walk.skipUnlabelled(step);
      if (shared || i.equals(walk.coordinate())) {
        loop.addAll(step);
      } else {
        loop.when(Expr.equal(walk.coordinate(), i), step);
      }
    }
  }

  /** One body for all cases: an operand that is absent has an empty segment of positions. */
  private void sharedBody(
      LatticePoint point,
      List<Walk> walks,
      List<MergeOperands.Located> located,
      Scope scope,
      Code loop) {
    Scope inner = scope;
    for (MergeOperands.Located operand : located) {
      Expr found = operand.found();
      Expr begin = operand.cursor().begin();
      Expr next = Expr.add(begin, Expr.of(1));
      Expr end = found == null ? next : new Expr.Select(found, next, begin);
      inner =
          inner
              .withCursor(
                  operand.access().id(), Cursor.optional(operand.cursor().next(), begin, end))
              .withPresence(operand.access().id(), found);
    }
    for (Walk walk : walks) {
      inner = walk.inSegment(inner);
    }
    body.emit(point, inner, loop);
  }

  private void eachCase(
      LatticePoint point,
      List<Walk> walks,
      List<MergeOperands.Located> located,
      Expr i,
      Scope scope,
      Code loop) {
    List<Stmt> thens = new ArrayList<>();
    List<@Nullable Expr> conditions = new ArrayList<>();
    for (LatticePoint present : lattice.cases(point)) {
      Code then = loop.nested();
      conditions.add(oneCase(present, walks, located, i, scope, then));
      thens.add(then.block());
    }
    Stmt chain = Stmt.Block.EMPTY;
    for (int c = thens.size() - 1; c >= 0; c--) {
      Expr condition = conditions.get(c);
      chain = condition == null ? thens.get(c) : new Stmt.If(condition, thens.get(c), chain);
    }
    if (chain instanceof Stmt.Block always) {
      always.statements().forEach(loop::add);
    } else {
      loop.add(chain);
    }
  }

  /** Emits one case into {@code then}; returns when it applies, null for always. */
  private @Nullable Expr oneCase(
      LatticePoint present,
      List<Walk> walks,
      List<MergeOperands.Located> located,
      Expr i,
      Scope scope,
      Code then) {
    Expr condition = null;
    Scope inner = scope;
    for (MergeOperands.Located operand : located) {
      if (MergeOperands.has(present, operand.access())) {
        condition = and(condition, operand.found());
        inner = inner.withCursor(operand.access().id(), operand.cursor());
      }
    }
    for (Walk walk : walks) {
      if (MergeOperands.has(present, walk.access())) {
        boolean there = i.equals(walk.coordinate());
        condition = there ? condition : and(condition, Expr.equal(walk.coordinate(), i));
        inner = inner.withCursor(walk.access().id(), walk.cursor(scope, then));
      }
    }
    body.emit(present, inner, then);
    return condition;
  }

  /** Whether two operands that store each coordinate once, and nothing else, decide on the case. */
  private boolean isSimple(LatticePoint point, List<Walk> walks) {
    return walks.size() == 2
        && walks.stream().allMatch(Walk::isPlain)
        && point.operands().stream()
            .allMatch(o -> operands.level(o).random() || point.iterated().contains(o));
  }

  /** All cases at once: which it is would be hard to predict. */
  private void chosen(
      Choice branchless, LatticePoint point, List<Walk> walks, Expr i, Scope scope, Code loop) {
    List<Expr> here =
        walks.stream()
            .map(w -> loop.name(w.position().name() + "_here", Expr.equal(w.coordinate(), i)))
            .toList();
    List<Case> cases = new ArrayList<>();
    boolean[] alone = new boolean[walks.size()];
    for (LatticePoint present : lattice.cases(point)) {
      Expr condition = null;
      Scope inner = scope;
      int only = -1;
      for (int w = 0; w < walks.size(); w++) {
        Walk walk = walks.get(w);
        if (MergeOperands.has(present, walk.access())) {
          only = condition == null ? w : -1;
          condition = condition == null ? here.get(w) : Expr.and(condition, here.get(w));
          inner = inner.withCursor(walk.access().id(), walk.cursor(scope, loop));
        }
      }
      if (condition == null) {
        throw new IllegalStateException("a case of " + point + " has none of its operands");
      }
      if (only >= 0) {
        alone[only] = true;
      }
      cases.add(new Case(present, condition, inner));
    }
    branchless.emit(cases, alone[0] && alone[1], scope, loop);
    for (int w = 0; w < walks.size(); w++) {
      Expr step = new Expr.Convert(here.get(w), ScalarType.I64);
      loop.assign(walks.get(w).position(), Expr.add(walks.get(w).at(), step));
    }
  }

  private static @Nullable Expr and(@Nullable Expr left, @Nullable Expr right) {
    return left == null ? right : right == null ? left : Expr.and(left, right);
  }
}
