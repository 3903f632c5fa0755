package org.weft.compiler.lower.operand;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Level;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;

/**
 * The levels and values of a tensor in generated code.
 *
 * @param states of a temporary that only the entries of a mask fill: which positions have values
 */
public record TensorLayout(
    TensorVar tensor, List<Level> levels, Buffer vals, @Nullable Buffer states) {
  /** The state of a position that the mask stores. */
  public static final Expr IN_MASK = Expr.of(1);

  /** The state of a position that has a value. */
  public static final Expr HAS_VALUE = Expr.of(2);

  public TensorLayout {
    levels = List.copyOf(levels);
  }

  /** A tensor whose levels say what is present. */
  public TensorLayout(TensorVar tensor, List<Level> levels, Buffer vals) {
    this(tensor, levels, vals, null);
  }

  /** The same tensor in other arrays. */
  public TensorLayout withArrays(List<Level> changed, Buffer values) {
    return new TensorLayout(tensor, changed, values, states);
  }

  /** Whether a value has come to {@code position}; null when each position has one. */
  public @Nullable Expr hasValue(Expr position) {
    return states == null ? null : Expr.equal(new Expr.Load(states, position), HAS_VALUE);
  }

  public Level level(int number) {
    return levels.get(number);
  }

  public int order() {
    return levels.size();
  }
}
