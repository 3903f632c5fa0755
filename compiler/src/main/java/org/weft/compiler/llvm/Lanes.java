package org.weft.compiler.llvm;

import java.util.HashSet;
import java.util.Set;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;

/**
 * What varies from lane to lane of a vector loop: the loop variable and others that take
 * consecutive numbers, and further variables declared in the body. One lane means scalar code,
 * where nothing varies.
 */
final class Lanes {
  private final int count;
  private final int active;
  private final Set<LoopVariable> varying = new HashSet<>();
  private final Set<LoopVariable> consecutive = new HashSet<>();

  private Lanes(int count, int active) {
    this.count = count;
    this.active = active;
  }

  static Lanes scalar() {
    return new Lanes(1, 1);
  }

  static Lanes of(int count, LoopVariable loopVariable) {
    return masked(count, count, loopVariable);
  }

  /** Only the first {@code active} lanes touch memory. */
  static Lanes masked(int count, int active, LoopVariable loopVariable) {
    Lanes lanes = new Lanes(count, active);
    lanes.addConsecutive(loopVariable);
    return lanes;
  }

  int count() {
    return count;
  }

  /** Lanes that touch memory; what the others compute is dropped. */
  int active() {
    return active;
  }

  /**
   * Whether the lanes of {@code v} are consecutive numbers; its register holds the first lane's.
   */
  boolean isConsecutive(LoopVariable v) {
    return consecutive.contains(v);
  }

  /** Makes a variable consecutive: the loop variable, and constants of the body made from it. */
  void addConsecutive(LoopVariable v) {
    varying.add(v);
    consecutive.add(v);
  }

  /** Makes a variable of the body a vector. */
  void add(LoopVariable bodyVariable) {
    varying.add(bodyVariable);
  }

  boolean varies(LoopVariable v) {
    return varying.contains(v);
  }

  boolean varies(Expr expr) {
    return !varying.isEmpty() && count > 1 && mentions(expr);
  }

  private boolean mentions(Expr expr) {
    return expr instanceof Expr.VariableRef e
        ? varying.contains(e.variable())
        : expr.children().stream().anyMatch(this::mentions);
  }

  /** Whether {@code position} is an invariant plus a consecutive variable. */
  boolean consecutive(Expr position) {
    if (position instanceof Expr.VariableRef e) {
      return consecutive.contains(e.variable());
    }
    if (position instanceof Expr.Binary e) {
      return switch (e.op()) {
        case ADD ->
            consecutive(e.left()) && !mentions(e.right())
                || consecutive(e.right()) && !mentions(e.left());
        case SUB -> consecutive(e.left()) && !mentions(e.right());
        default -> false;
      };
    }
    return false;
  }
}
