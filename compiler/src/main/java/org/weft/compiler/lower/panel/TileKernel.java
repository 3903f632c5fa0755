package org.weft.compiler.lower.panel;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/** What computes a tile of the result from two packed panels, and writes it where it belongs. */
interface TileKernel {
  /**
   * Where a tile lies in the blocks.
   *
   * @param widePanel number of the panel, whose first count is {@code wide}
   * @param highPanel number of the panel, whose first count is {@code high}
   * @param rows how many rows are in use
   * @param around whether the result goes around the caches where tiles have whole lines of it
   * @param ahead what is asked for with each term, if anything
   */
  record Place(
      Expr widePanel,
      Expr highPanel,
      Expr wide,
      Expr high,
      Expr rows,
      @Nullable Expr around,
      PackedSide.@Nullable Ahead ahead) {}

  /** Room that a task needs for its tiles. */
  default void allocate(Code task) {}

  /** Releases it. */
  default void free(Code task) {}

  /**
   * Adds {@code depth} terms to the tile at {@code place}.
   *
   * @param origin where the batch begins in the result
   * @param start what a cell holds before the first term
   * @param first whether what the result holds is to be forgotten; null if it never is
   */
  void emit(Place place, Expr origin, Expr depth, Expr start, @Nullable Expr first, Code code);

  /**
   * Writes what has been kept of the tiles up to {@code place}, whose own may be no tile at all.
   *
   * @param first as for {@link #emit}
   */
  default void flush(Place place, Expr origin, @Nullable Expr first, Code code) {}

  /** Stores where {@code first} holds, and adds elsewhere; always adds if it is null. */
  static void choose(@Nullable Expr first, Code code, Consumer<Code> store, Consumer<Code> add) {
    if (first == null) {
      add.accept(code);
      return;
    }
    Code stores = code.nested();
    store.accept(stores);
    Code adds = code.nested();
    add.accept(adds);
    code.add(new Stmt.If(first, stores.block(), adds.block()));
  }
}
