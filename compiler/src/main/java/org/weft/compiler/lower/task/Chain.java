package org.weft.compiler.lower.task;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.rewrite.FusedAccess;

/**
 * How many stored entries lie below the positions of a level, told by the {@code pos} arrays below
 * it: entries before position {@code p} of level {@code top} are {@code pos_n[... pos_(top+1)[p]]}.
 *
 * <pre>
 * p              0     1        2     top
 * pos            0     2        3     5
 * pos            0  1  3     4  6  9
 * before(p)      0     3        4     9     stored entries, whatever the lengths of the fibers
 * </pre>
 *
 * @param levels the levels from the first below {@code top} to the last whose segments have lengths
 *     of their own; empty when all positions have equally many entries
 */
record Chain(TensorExpr.Access access, List<Level> levels) {
  Chain {
    levels = List.copyOf(levels);
  }

  /** The chain below level {@code top} of {@code access}. */
  static Chain below(TensorExpr.Access access, TensorLayout layout, int top) {
    List<Level> levels = new ArrayList<>();
    int last = 0;
    for (int number = top + 1; number < layout.order(); number++) {
      Level level = layout.level(number);
      if (level.emitter().before(level, Expr.of(0)) == null) {
        break;
      }
      levels.add(level);
      if (level.pos() != null) {
        last = levels.size();
      }
    }
    return new Chain(access, levels.subList(0, last));
  }

  boolean isEmpty() {
    return levels.isEmpty();
  }

  /**
   * Whether any segment can be cut anywhere: no coordinate repeats in it, or one loop walks it
   * entry by entry.
   */
  boolean isDivisible(@Nullable FusedAccess fused) {
    int last = levels.size() - 1;
    boolean listed =
        fused != null
            && fused.access().id() == access.id()
            && fused.first() == levels.get(last).number();
    return levels.subList(0, listed ? last : last + 1).stream().allMatch(Level::unique);
  }

  /** Entries before position {@code p} of the top level. */
  Expr before(Expr p) {
    return before(0, p);
  }

  /** Entries before position {@code p} of the level above {@code levels().get(from)}. */
  Expr before(int from, Expr p) {
    Expr position = p;
    for (Level level : levels.subList(from, levels.size())) {
      position = children(level, position);
    }
    return position;
  }

  /** Position of {@code levels().get(to)} before which all children of {@code p} begin. */
  Expr child(int to, Expr p) {
    Expr position = p;
    for (Level level : levels.subList(0, to + 1)) {
      position = children(level, position);
    }
    return position;
  }

  /** Position of {@code level} before which all children of the first {@code parents} are. */
  static Expr children(Level level, Expr parents) {
    Expr position = level.emitter().before(level, parents);
    if (position == null) {
      throw new IllegalStateException("a level of a chain has contiguous segments");
    }
    return position;
  }
}
