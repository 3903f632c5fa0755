package org.weft.compiler.lower;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Expr;

/**
 * What is known at a place in the loop nest: coordinates of bound variables, cursors of accesses,
 * values held in variables, and run-time presence of temporaries. Immutable: inner loops and cases
 * get their own.
 */
final class Scope {
  private final Map<IndexVar, Expr> coordinates;
  private final Map<Integer, Cursor> cursors;
  private final Map<Integer, Expr> values;
  private final Map<Integer, Expr> presence;
  private final Workspaces workspaces;
  private final boolean outermost;

  private Scope(
      Map<IndexVar, Expr> coordinates,
      Map<Integer, Cursor> cursors,
      Map<Integer, Expr> values,
      Map<Integer, Expr> presence,
      Workspaces workspaces,
      boolean outermost) {
    this.coordinates = coordinates;
    this.cursors = cursors;
    this.values = values;
    this.presence = presence;
    this.workspaces = workspaces;
    this.outermost = outermost;
  }

  /** The scope of a function's body, whose heap workspaces are allocated in {@code heap}. */
  static Scope root(Code heap) {
    return new Scope(Map.of(), Map.of(), Map.of(), Map.of(), new Workspaces(heap), true);
  }

  Scope bind(IndexVar variable, Expr coordinate) {
    return new Scope(
        with(coordinates, variable, coordinate), cursors, values, presence, workspaces, false);
  }

  Scope withCursor(int access, Cursor cursor) {
    return new Scope(
        coordinates, with(cursors, access, cursor), values, presence, workspaces, outermost);
  }

  /** The access has {@code value}; {@code present} is null when it always is. */
  Scope withValue(int access, Expr value, @Nullable Expr present) {
    return new Scope(
        coordinates,
        cursors,
        with(values, access, value),
        present == null ? presence : with(presence, access, present),
        workspaces,
        outermost);
  }

  Scope withPresence(int access, @Nullable Expr present) {
    return present == null
        ? this
        : new Scope(
            coordinates, cursors, values, with(presence, access, present), workspaces, outermost);
  }

  /** The body of a parallel loop: it has workspaces of its own. */
  Scope withWorkspaces(Workspaces own) {
    return new Scope(coordinates, cursors, values, presence, own, false);
  }

  boolean isBound(IndexVar variable) {
    return coordinates.containsKey(variable);
  }

  Expr coordinate(IndexVar variable) {
    Expr coordinate = coordinates.get(variable);
    if (coordinate == null) {
      throw new IllegalStateException("index variable " + variable + " has no loop here");
    }
    return coordinate;
  }

  Cursor cursor(TensorExpr.Access access) {
    return cursors.getOrDefault(access.id(), Cursor.ROOT);
  }

  @Nullable Expr value(TensorExpr.Access access) {
    return values.get(access.id());
  }

  @Nullable Expr presence(TensorExpr.Access access) {
    return presence.get(access.id());
  }

  Workspaces workspaces() {
    return workspaces;
  }

  boolean isOutermost() {
    return outermost;
  }

  private static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
    Map<K, V> changed = new HashMap<>(map);
    changed.put(key, value);
    return changed;
  }
}
