package org.weft.compiler.program.space;

/**
 * What the coordinates of a mode stand for, by whoever read the tensor: its name and labels.
 * Programs hand it on and know nothing of it.
 */
public interface ModeIdentity {
  /**
   * This, and what {@code other} says besides, whose mode has the same label in a statement.
   *
   * @param label of index notation, for messages
   * @throws org.weft.error.WeftException {@code SHAPE_MISMATCH} if the same coordinate means two
   *     things
   */
  ModeIdentity and(ModeIdentity other, String label);

  /**
   * Of a part of the mode: the coordinates {@code start}, {@code start + step}, ...
   *
   * @param count of the coordinates
   */
  ModeIdentity part(long start, long step, long count);
}
