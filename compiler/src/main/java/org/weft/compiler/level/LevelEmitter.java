package org.weft.compiler.level;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Expr;

/**
 * The level functions of one level format (Chou et al., table 2 and appendix A), as generators of
 * loop IR. A format implements the functions of the capabilities that its descriptor declares; the
 * others keep their defaults, which reject the call. Emitters are stateless.
 */
public interface LevelEmitter {

  /** The symbol of the descriptor ({@code org.weft.tensor.level.LevelFormat}) this one serves. */
  String symbol();

  /** A half-open range of positions or coordinates. */
  record Range(Expr begin, Expr end) {}

  /**
   * Where a coordinate is.
   *
   * @param found whether the coordinate is stored; null when it always is
   */
  record Location(Expr position, @Nullable Expr found) {}

  /**
   * {@code pos_iter}: the positions below the parent positions {@code [begin, end)}. These are one
   * position, or duplicates whose children are chained (section 4.3).
   */
  default Range positions(Level level, Expr begin, Expr end) {
    throw unsupported(level, "position iteration");
  }

  /**
   * Positions of the level below the first {@code parents} parent positions: those of a parent
   * follow those of the parent before it. Null where that does not hold, or cannot be told in O(1).
   */
  default @Nullable Expr before(Level level, Expr parents) {
    return null;
  }

  /** What is known of the ancestors of a position. */
  interface Path {
    /** The coordinate at a level above. */
    Expr coordinate(int level);

    /** The position at the level above. */
    Expr parent();
  }

  /** {@code pos_access}: the coordinate at a position. */
  default Expr coordinate(Level level, Expr position) {
    throw unsupported(level, "position iteration");
  }

  /** {@code pos_access} for a level whose coordinates follow from those above. */
  default Expr coordinate(Level level, Expr position, Path path) {
    return coordinate(level, position);
  }

  /** Whether a coordinate is stored at a position; null when always, as in a compact level. */
  default @Nullable Expr labelled(Level level, Expr position) {
    return null;
  }

  /** {@code coord_iter}: the coordinates that may be present below a position. */
  default Range coordinates(Level level, Expr parent) {
    throw unsupported(level, "coordinate iteration");
  }

  /**
   * {@code coord_access}: the position of a coordinate of {@link #coordinates}. Positions increase
   * by one from coordinate to coordinate.
   */
  default Location coordinateAccess(Level level, Expr parent, Expr coordinate) {
    throw unsupported(level, "coordinate iteration");
  }

  /** {@code locate}: the position of any coordinate of the mode. */
  default Location locate(Level level, Expr parent, Expr coordinate) {
    throw unsupported(level, "locate");
  }

  /** {@code locate} that takes statements, added to {@code code}. */
  default Location locate(Level level, Expr parent, Expr coordinate, Code code) {
    return locate(level, parent, coordinate);
  }

  /** What has to be known of the children of a level before the first is inserted. */
  enum Children {
    NOTHING,
    /** The largest number of children of a parent. */
    MOST,
    /** The number of children of each parent, appended to the level as edges. */
    EACH
  }

  /** What {@link #insertInit} is told; {@link Children#EACH} takes a level that can append. */
  default Children counted() {
    return Children.NOTHING;
  }

  /**
   * {@code insert_init}: makes the arrays of a result level whose parent has {@code parents}
   * positions, before coordinates are inserted in their final places.
   *
   * @param children the number of all children, or the largest of a parent, as {@link #counted}
   *     asks
   * @return the number of positions of the level
   */
  default Expr insertInit(Level level, Expr parents, Expr children, Code code) {
    throw unsupported(level, "insert");
  }

  /**
   * The position of a child that is being inserted, whose coordinates the path has. Children of one
   * parent come together and in increasing order.
   *
   * @param rank how many siblings were inserted before; 0 where {@link #counted} is not {@link
   *     Children#EACH}
   */
  default Expr insertPosition(Level level, Path path, Expr rank, Code code) {
    return locate(level, path.parent(), path.coordinate(level.number()), code).position();
  }

  /** {@code insert_coord}: stores the coordinate of the path at {@link #insertPosition}. */
  default void insertCoordinate(Level level, Path path, Expr position, Code code) {}

  /** {@code size}: positions of the level when its parent has {@code parents} positions. */
  default Expr size(Level level, Expr parents) {
    throw unsupported(level, "insert");
  }

  /**
   * {@code append_init}: prepares a result level whose parent has {@code parents} positions, all
   * known before the first append.
   */
  default void appendInit(Level level, Expr parents, Code code) {
    throw unsupported(level, "append");
  }

  /**
   * Prepares the segments of parent positions {@code [from, to)}, which have just come into being
   * because a coordinate above a dense block is being appended.
   */
  default void appendParents(Level level, Expr from, Expr to, Code code) {
    throw unsupported(level, "append");
  }

  /**
   * {@code append_coord}: stores a coordinate at the position after the last one, for which the
   * caller has made room.
   */
  default void appendCoordinate(Level level, Expr position, Expr coordinate, Code code) {
    throw unsupported(level, "append");
  }

  /**
   * {@code append_edges}: gives the positions {@code [begin, end)} to {@code parent}, for which the
   * caller has made room.
   *
   * @param counted whether parents may be skipped, so that only the number of children is stored
   *     until {@link #appendFinalize} sums up; otherwise parents come in order without a gap
   */
  default void appendEdges(
      Level level, Expr parent, Expr begin, Expr end, boolean counted, Code code) {
    throw unsupported(level, "append");
  }

  /**
   * Adds to the number of children of {@code parent}, whose other children other threads append.
   * Before, it was counted as having none.
   */
  default void addEdges(Level level, Expr parent, Expr children, Code code) {
    throw unsupported(level, "append");
  }

  /** {@code append_finalize}: completes a level with {@code parents} parent positions. */
  default void appendFinalize(
      Level level, Expr parents, Expr positions, boolean counted, Code code) {
    throw unsupported(level, "append");
  }

  private static IllegalStateException unsupported(Level level, String capability) {
    return new IllegalStateException(
        "level "
            + level.name()
            + " of format "
            + level.spec().format().symbol()
            + " does not support "
            + capability);
  }
}
