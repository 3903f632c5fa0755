package org.weft.compiler.lower.operand;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Expr;

/**
 * What is known at a place in the loop nest: coordinates of bound variables, cursors of accesses,
 * values held in variables, and run-time presence of temporaries. Immutable: inner loops and cases
 * get their own.
 */
public final class Scope {
  private final Map<IndexVar, Expr> coordinates;
  private final Map<Integer, Cursor> cursors;
  private final Map<Integer, Expr> values;
  private final Map<Integer, Expr> presence;
  private final Place place;

  /**
   * Where in the nest a scope is.
   *
   * @param innermost the variable of the loop around it; null outside of all loops
   * @param blocks the part of the coming loop over a variable that this place is about
   * @param clips the positions of a level of an access that this place is about
   */
  private record Place(
      Workspaces workspaces,
      boolean outermost,
      boolean parallel,
      @Nullable IndexVar innermost,
      Map<IndexVar, Block> blocks,
      Map<Walked, LevelEmitter.Range> clips) {
    Place inside(IndexVar loop) {
      Map<IndexVar, Block> rest = new HashMap<>(blocks);
      rest.remove(loop);
      return new Place(workspaces, false, parallel, loop, rest, clips);
    }
  }

  /** A level of an access. */
  private record Walked(int access, int level) {}

  private Scope(
      Map<IndexVar, Expr> coordinates,
      Map<Integer, Cursor> cursors,
      Map<Integer, Expr> values,
      Map<Integer, Expr> presence,
      Place place) {
    this.coordinates = coordinates;
    this.cursors = cursors;
    this.values = values;
    this.presence = presence;
    this.place = place;
  }

  /** The scope of a function's body, whose heap workspaces are allocated in {@code heap}. */
  public static Scope root(Code heap) {
    Place place = new Place(new Workspaces(heap), true, false, null, Map.of(), Map.of());
    return new Scope(Map.of(), Map.of(), Map.of(), Map.of(), place);
  }

  public Scope bind(IndexVar variable, Expr coordinate) {
    Map<IndexVar, Expr> bound = with(coordinates, variable, coordinate);
    return new Scope(bound, cursors, values, presence, place.inside(variable));
  }

  public Scope withCursor(int access, Cursor cursor) {
    return new Scope(coordinates, with(cursors, access, cursor), values, presence, place);
  }

  /** The access has {@code value}; {@code present} is null when it always is. */
  public Scope withValue(int access, Expr value, @Nullable Expr present) {
    return new Scope(
        coordinates,
        cursors,
        with(values, access, value),
        present == null ? presence : with(presence, access, present),
        place);
  }

  public Scope withPresence(int access, @Nullable Expr present) {
    return present == null
        ? this
        : new Scope(coordinates, cursors, values, with(presence, access, present), place);
  }

  /** The body of a parallel loop: it has workspaces of its own. */
  public Scope withWorkspaces(Workspaces own) {
    return new Scope(
        coordinates,
        cursors,
        values,
        presence,
        new Place(own, false, true, place.innermost(), place.blocks(), place.clips()));
  }

  /** Loops over {@code level} of {@code access} walk no positions outside {@code range}. */
  public Scope withClip(int access, Level level, LevelEmitter.Range range) {
    Map<Walked, LevelEmitter.Range> clips =
        with(place.clips(), new Walked(access, level.number()), range);
    Place clipped =
        new Place(
            place.workspaces(),
            place.outermost(),
            place.parallel(),
            place.innermost(),
            place.blocks(),
            clips);
    return new Scope(coordinates, cursors, values, presence, clipped);
  }

  /** The positions in {@code range} that loops over {@code level} of {@code access} walk. */
  public LevelEmitter.Range clipped(int access, Level level, LevelEmitter.Range range) {
    LevelEmitter.Range clip = place.clips().get(new Walked(access, level.number()));
    return clip == null
        ? range
        : new LevelEmitter.Range(
            Expr.binary(Expr.Op.MAX, range.begin(), clip.begin()),
            Expr.min(range.end(), clip.end()));
  }

  /** The coming loop over {@code variable} covers {@code block} only. */
  public Scope withBlock(IndexVar variable, Block block) {
    Map<IndexVar, Block> blocks = with(place.blocks(), variable, block);
    return new Scope(
        coordinates,
        cursors,
        values,
        presence,
        new Place(
            place.workspaces(), false, place.parallel(), place.innermost(), blocks, place.clips()));
  }

  /** The variable of the loop around this place; null outside of all loops. */
  public @Nullable IndexVar innermost() {
    return place.innermost();
  }

  /** The part that the coming loop over {@code variable} covers; null for all of it. */
  @Nullable
  public Block block(IndexVar variable) {
    return place.blocks().get(variable);
  }

  public boolean isBound(IndexVar variable) {
    return coordinates.containsKey(variable);
  }

  public Expr coordinate(IndexVar variable) {
    Expr coordinate = coordinates.get(variable);
    if (coordinate == null) {
      throw new IllegalStateException("index variable " + variable + " has no loop here");
    }
    return coordinate;
  }

  public Cursor cursor(TensorExpr.Access access) {
    return cursors.getOrDefault(access.id(), Cursor.ROOT);
  }

  @Nullable
  public Expr value(TensorExpr.Access access) {
    return values.get(access.id());
  }

  @Nullable
  public Expr presence(TensorExpr.Access access) {
    return presence.get(access.id());
  }

  public Workspaces workspaces() {
    return place.workspaces();
  }

  public boolean isOutermost() {
    return place.outermost();
  }

  /** Whether a parallel loop is around. */
  public boolean isParallel() {
    return place.parallel();
  }

  private static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
    Map<K, V> changed = new HashMap<>(map);
    changed.put(key, value);
    return changed;
  }
}
