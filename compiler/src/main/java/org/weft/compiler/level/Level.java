package org.weft.compiler.level;

import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.tensor.LevelSpec;
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
 * @param number 0-based level
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
    int number) {

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

  private Buffer require(@Nullable Buffer buffer, String what) {
    if (buffer == null) {
      throw new IllegalStateException("level " + name + " has no " + what + " array");
    }
    return buffer;
  }
}
