package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Scope;

/**
 * Where the values of an expression go. The loop nest tells a sink of the loops over its variables,
 * outermost first: {@code beforeLoop}, then for each coordinate {@code enter} and {@code leave},
 * then {@code afterLoop}; inside all of them it puts values. Sinks are immutable: the one that a
 * call returns is used for what is inside.
 */
public interface Sink {

  /** The variables that address a cell. */
  List<IndexVar> variables();

  /** The memory that is addressed, whose cursor the loop nest advances. */
  default TensorExpr.@Nullable Access memory() {
    return null;
  }

  /** Called before values come in other ways than {@link #settle} promises. */
  default Sink opened(Code code) {
    return this;
  }

  default Sink beforeLoop(IndexVar variable, Scope scope, Code code) {
    return this;
  }

  default Sink enter(IndexVar variable, Scope scope, Code code) {
    return this;
  }

  default void leave(IndexVar variable, Scope scope, Code code) {}

  default void afterLoop(IndexVar variable, Scope scope, Code code) {}

  /** The order in which loops over its variables have to run; empty when any order will do. */
  default List<IndexVar> order() {
    return List.of();
  }

  /** Whether coordinates of {@code variable} may come in any order, each once. */
  default boolean takesAnyOrder(IndexVar variable) {
    return false;
  }

  /** Whether the next loop may be the one over {@code variable}, which addresses this sink. */
  default boolean accepts(IndexVar variable, Scope scope) {
    return true;
  }

  /** This sink with values combined with what is there. */
  Sink reducing(Fold fold);

  /**
   * Whether a reduction may run outside the loops over {@code unbound}, combining each value with
   * what is where it belongs; otherwise the reduction is collected in a temporary first.
   *
   * @param fold how the reduction combines values
   * @param small whether a temporary over {@code unbound} is a small dense block of constant size
   */
  boolean scatters(Fold fold, List<IndexVar> unbound, boolean small);

  /** Whether it matters if a value is present, not only what it is. */
  boolean tracksPresence();

  /**
   * Notes that every value put from here on is present, so that {@link #put} need not, and that all
   * cells which are still open get one; null when the sink has to be told value by value.
   */
  @Nullable Sink settle(Code code);

  /**
   * Whether iterations over {@code variable}, the innermost loop, are independent of each other.
   */
  boolean independent(IndexVar variable);

  /** Puts the value of the cell at the scope's coordinates. */
  void put(Expr value, Scope scope, Code code);
}
