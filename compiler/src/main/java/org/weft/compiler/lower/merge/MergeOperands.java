package org.weft.compiler.lower.merge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.LatticeOperand;
import org.weft.compiler.lattice.LatticePoint;
import org.weft.compiler.lattice.MergeLattice;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.schedule.LoopFacts;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.level.LevelCapability;

/**
 * The operands of a merge over one index variable: the level of each that the merge reaches, and
 * how it gets at the coordinates there, by a walk through a range of positions or by its place.
 */
public final class MergeOperands {
  private final IndexVar variable;
  private final MergeLattice lattice;
  private final Map<Integer, TensorExpr.Access> accesses = new LinkedHashMap<>();
  private final Map<Integer, Level> levels = new LinkedHashMap<>();

  /** No operands of {@code lattice} yet. */
  public MergeOperands(IndexVar variable, MergeLattice lattice) {
    this.variable = variable;
    this.lattice = lattice;
  }

  /** Announces an operand. */
  public void add(TensorExpr.Access access, Level level) {
    accesses.put(access.id(), access);
    levels.put(access.id(), level);
  }

  public IndexVar variable() {
    return variable;
  }

  public MergeLattice lattice() {
    return lattice;
  }

  TensorExpr.Access access(LatticeOperand operand) {
    return require(accesses.get(operand.id()));
  }

  Level level(LatticeOperand operand) {
    return require(levels.get(operand.id()));
  }

  /** Whether a block of coordinates can be found in all operands. */
  public boolean areOrdered() {
    return levels.values().stream().allMatch(level -> level.random() || level.ordered());
  }

  /** How a loop over the operands finds its coordinates. */
  public LoopFacts.Walks walks() {
    if (lattice.isEmpty()) {
      return LoopFacts.Walks.ALL_COORDINATES;
    }
    LatticePoint top = lattice.points().get(0);
    List<LatticeOperand> walked = walked(top);
    if (top.universe()) {
      return walked.isEmpty() ? LoopFacts.Walks.ALL_COORDINATES : LoopFacts.Walks.MERGED;
    } else if (lattice.isSummary() || lattice.points().size() > 1 || walked.size() != 1) {
      return LoopFacts.Walks.MERGED;
    }
    return level(walked.get(0)).unique() ? LoopFacts.Walks.POSITIONS : LoopFacts.Walks.REPEATED;
  }

  /** The operands of {@code point} that are walked. */
  List<LatticeOperand> walked(LatticePoint point) {
    return point.iterated().stream()
        .filter(operand -> !level(operand).random())
        .sorted(Comparator.comparingInt(LatticeOperand::id))
        .toList();
  }

  /** Whether {@code access} is an operand of {@code present}. */
  static boolean has(LatticePoint present, TensorExpr.Access access) {
    return present.operands().stream().anyMatch(operand -> operand.id() == access.id());
  }

  /** The positions of an operand below its parents, or in the block that the place is about. */
  LevelEmitter.Range range(LatticeOperand operand, Scope scope, Code code) {
    Level level = level(operand);
    TensorExpr.Access access = access(operand);
    Cursor parent = scope.cursor(access);
    LevelEmitter.Range all = below(parent, level, code);
    LevelEmitter.Range range = scope.clipped(access.id(), level, all);
    return LoopBlocks.part(variable, range, level, access, walks(), scope, code);
  }

  /** The positions of {@code level} below a cursor. */
  private static LevelEmitter.Range below(Cursor parent, Level level, Code code) {
    Expr reached = level.can(LevelCapability.POSITION_ITERATION) ? null : parent.present();
    if (reached == null) {
      return level.walk(parent.begin(), parent.endOrNext());
    }
    LoopVariable begin = code.declare("p" + level.name() + "_begin", Expr.of(0));
    LoopVariable end = code.declare("p" + level.name() + "_end", Expr.of(0));
    Code there = code.nested();
    LevelEmitter.Range range = level.walk(parent.begin(), parent.endOrNext());
    there.assign(begin, range.begin());
    there.assign(end, range.end());
    code.when(reached, there);
    return new LevelEmitter.Range(Expr.of(begin), Expr.of(end));
  }

  /** A walk through all of {@link #range} in increasing order, at its first coordinate. */
  Walk walk(LatticeOperand operand, Scope scope, Code code) {
    Level level = level(operand);
    TensorExpr.Access access = access(operand);
    LevelEmitter.Range range = range(operand, scope, code);
    OrderedCopy copy = ordered(operand, range, scope, code);
    if (copy != null) {
      LoopVariable entry = code.declare("q" + level.name(), Expr.of(0));
      return new Walk(access, level, entry, copy.count(), copy, scope);
    }
    LoopVariable position = code.declare("p" + level.name(), range.begin());
    Expr end = code.name("p" + level.name() + "_end", range.end());
    Walk walk = new Walk(access, level, position, end, null, scope);
    walk.skipUnlabelled(code);
    return walk;
  }

  /** A sorted copy of the range of an unordered level; null for an ordered one. */
  @Nullable OrderedCopy ordered(
      LatticeOperand operand, LevelEmitter.Range range, Scope scope, Code code) {
    Level level = level(operand);
    if (level.ordered()) {
      return null;
    } else if (!level.unique()) {
      requireOrdered(level);
    }
    return OrderedCopy.of(level, range, new Ancestors(access(operand), scope), scope, code);
  }

  /** Rejects an unordered level where increasing coordinates are needed. */
  static void requireOrdered(Level level) {
    if (!level.ordered()) {
      throw new WeftException(
          ErrorCode.CONVERSION_REQUIRED,
          "level "
              + level.name()
              + " ("
              + level.spec()
              + ") is unordered and repeats coordinates, but increasing coordinates are needed here;"
              + " convert the tensor to an ordered format first");
    }
  }

  /** An operand that is found by its coordinate; {@code found} is null when it always is. */
  record Located(TensorExpr.Access access, Cursor cursor, @Nullable Expr found) {}

  /** Finds the operands of {@code point} that may lack the coordinate and are not walked. */
  List<Located> locate(LatticePoint point, Expr i, Scope scope, Code code) {
    List<Located> located = new ArrayList<>();
    for (LatticeOperand operand :
        point.operands().stream().sorted(Comparator.comparingInt(LatticeOperand::id)).toList()) {
      Level level = level(operand);
      if (level.random() || point.iterated().contains(operand)) {
        continue;
      }
      TensorExpr.Access access = access(operand);
      Cursor parent = scope.cursor(access);
      Cursors.requireSingle(parent, level);
      Expr reached = parent.present();
      Code there = reached == null ? code : code.nested();
      LevelEmitter.Location place = level.emitter().locate(level, parent.begin(), i, there);
      Expr position;
      Expr found = place.found();
      if (reached == null) {
        position = code.name("p" + level.name(), place.position());
      } else {
        LoopVariable at = code.declare("p" + level.name(), Expr.of(0));
        LoopVariable here = code.declare("p" + level.name() + "_here", Presence.FALSE);
        there.assign(at, place.position());
        there.assign(here, found == null ? Presence.TRUE : found);
        code.when(reached, there);
        position = Expr.of(at);
        found = Expr.of(here);
      }
      located.add(new Located(access, Cursor.at(parent.next() + 1, position), found));
    }
    return located;
  }

  private static <T> T require(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("an operand of the lattice was not announced");
    }
    return value;
  }
}
