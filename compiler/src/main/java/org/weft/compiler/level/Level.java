package org.weft.compiler.level;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.Width;
import org.weft.tensor.level.LevelCapability;

/**
 * One level of one tensor in generated code.
 *
 * @param name the tensor's name and the 1-based level, the stem of variable names: {@code B2}
 * @param spec format, properties and widths
 * @param unique whether no coordinate repeats among the children of one coordinate path; false also
 *     for a unique level below a non-unique one, whose children are chained
 * @param emitter the level functions
 * @param pos the {@code pos} array, if the format has one
 * @param crd the {@code crd} array, if the format has one
 * @param size the size of the mode
 * @param tensor position of the tensor in the signature
 * @param number 0-based level of the tensor as lowering sees it
 * @param stored 0-based level of the format that is stored
 * @param above the level above, or null
 * @param sizeBelow number of coordinates of the level below, or null
 */
public record Level(
    String name,
    LevelSpec spec,
    boolean unique,
    LevelEmitter emitter,
    @Nullable Buffer pos,
    @Nullable Buffer crd,
    Expr size,
    int tensor,
    int number,
    int stored,
    @Nullable Level above,
    @Nullable Expr sizeBelow) {

  /** A level that needs to know nothing of its neighbours. */
  public Level(
      String name,
      LevelSpec spec,
      boolean unique,
      LevelEmitter emitter,
      @Nullable Buffer pos,
      @Nullable Buffer crd,
      Expr size,
      int tensor,
      int number) {
    this(name, spec, unique, emitter, pos, crd, size, tensor, number, number, null, null);
  }

  /** The same level in other arrays. */
  public Level withArrays(@Nullable Buffer otherPos, @Nullable Buffer otherCrd) {
    return new Level(
        name, spec, unique, emitter, otherPos, otherCrd, size, tensor, number, stored, above,
        sizeBelow);
  }

  /**
   * The positions below the parent positions {@code [begin, end)}, whichever way the level is
   * iterated. Consecutive coordinates of a level that is iterated by coordinate have consecutive
   * positions.
   */
  public LevelEmitter.Range walk(Expr begin, Expr end) {
    if (can(LevelCapability.POSITION_ITERATION)) {
      return emitter.positions(this, begin, end);
    }
    LevelEmitter.Range range = emitter.coordinates(this, begin);
    Expr first = emitter.coordinateAccess(this, begin, range.begin()).position();
    Expr last = emitter.coordinateAccess(this, begin, range.end()).position();
    return new LevelEmitter.Range(first, last);
  }

  /** The coordinate at a position of {@link #walk}. */
  public Expr coordinate(Expr position, LevelEmitter.Path path) {
    if (can(LevelCapability.POSITION_ITERATION)) {
      return emitter.coordinate(this, position, path);
    }
    return Expr.sub(position, emitter.coordinateAccess(this, path.parent(), Expr.of(0)).position());
  }

  /** Whether a position of {@link #walk} has a coordinate; null when all have. */
  public @Nullable Expr labelled(Expr position) {
    return emitter.labelled(this, position);
  }

  public boolean can(LevelCapability capability) {
    return spec.format().capabilities().contains(capability);
  }

  public boolean full() {
    return spec.properties().full();
  }

  public boolean ordered() {
    return spec.properties().ordered();
  }

  public boolean branchless() {
    return spec.properties().branchless();
  }

  /** Full and random access: every coordinate has a position that can be computed. */
  public boolean random() {
    return full() && can(LevelCapability.LOCATE);
  }

  /** The {@code pos} array of a level that owns edges. */
  public Buffer requirePos() {
    return require(pos, "pos");
  }

  /** The {@code crd} array of a level that stores coordinates. */
  public Buffer requireCrd() {
    return require(crd, "crd");
  }

  /** The number in {@code crd} that marks a position without a coordinate. */
  Expr unlabelled() {
    return Expr.of(spec.crdWidth().maximum());
  }

  /**
   * Stores a coordinate in {@code crd}. Where positions may be without one, a coordinate must not
   * be the number that says so.
   */
  void storeCoordinate(Expr position, Expr coordinate, Code code) {
    boolean compact = spec.properties().compact();
    if (spec.crdWidth() != Width.W64) {
      Expr largest = compact ? coordinate : Expr.add(coordinate, Expr.of(1));
      code.add(new Stmt.CheckWidth(largest, spec.crdWidth(), tensor, stored));
    }
    code.add(new Stmt.Store(requireCrd(), position, coordinate));
  }

  /** Makes {@code crd}, of which no position has a coordinate yet. */
  void makeUnlabelled(Expr positions, Code code) {
    code.add(new Stmt.Grow(requireCrd(), positions));
    LoopVariable p = LoopVariable.integer(code.fresh("p" + name));
    Stmt unlabel = new Stmt.Store(requireCrd(), Expr.of(p), unlabelled());
    code.add(new Stmt.For(p, Expr.of(0), positions, Stmt.Block.of(unlabel), LoopTraits.VECTOR));
  }

  Level requireAbove() {
    if (above == null) {
      throw new IllegalStateException("level " + name + " has no level above it");
    }
    return above;
  }

  Expr requireSizeBelow() {
    if (sizeBelow == null) {
      throw new IllegalStateException("level " + name + " has no level below it");
    }
    return sizeBelow;
  }

  private Buffer require(@Nullable Buffer buffer, String what) {
    if (buffer == null) {
      throw new IllegalStateException("level " + name + " has no " + what + " array");
    }
    return buffer;
  }
}
