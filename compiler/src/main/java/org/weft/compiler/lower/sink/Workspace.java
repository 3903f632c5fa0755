package org.weft.compiler.lower.sink;

import java.util.List;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;

/**
 * Where cells of a sparse temporary are collected while they come in any order and repeatedly (Bik
 * et al., section 4.4). Its arrays are allocated once and serve every round: fill, drain, fill, ...
 * An array grows with the cells of a round, and a round costs time in proportion to them.
 */
public interface Workspace {
  /** Makes ready for the puts of a round. */
  default void prepare(Code code) {}

  /** Adds {@code value} to the cell at {@code coordinates}; the cell is present from then on. */
  void put(List<Expr> coordinates, Expr value, Code code);

  /** The array that each put stores a coordinate in, at most once. */
  Buffer noted();

  /**
   * Moves the cells, sorted if it asks for that, to the {@link CellList} and empties the workspace.
   */
  void drain(Code code);
}
