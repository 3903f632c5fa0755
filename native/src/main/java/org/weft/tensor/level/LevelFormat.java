package org.weft.tensor.level;

import java.util.Set;

/**
 * A level format: how one level of the coordinate hierarchy is stored (Chou et al., section 3).
 *
 * <p>A format is one descriptor (an implementation of this interface, found through {@link
 * java.util.ServiceLoader}) and one emitter in the compiler. Adding a format touches no other file.
 * Descriptors are stateless; two descriptors with the same symbol are the same format.
 */
public interface LevelFormat {
  /** Attribute symbol in the tensor language: {@code D}, {@code CU}, {@code CN}, {@code S}. */
  String symbol();

  /** Name for people: {@code dense}, {@code compressed}. */
  String description();

  Set<LevelCapability> capabilities();

  LevelProperties properties();

  /** Whether a level of this format owns a {@code pos} array. */
  boolean hasPos();

  /** Whether a level of this format owns a {@code crd} array. */
  boolean hasCrd();

  /**
   * Builds the arrays of one level from entries sorted lexicographically in level order, and
   * divides the entries among the new positions. Cost {@code O(entries + positions)}.
   */
  void pack(LevelPacking packing);

  /** First position that may be a child of {@code parent} ({@code pos_iter}, lower bound). */
  long firstChild(LevelView level, long parent);

  /** One past the last position that may be a child of {@code parent}. */
  long endChild(LevelView level, long parent);

  /** Coordinate stored at {@code position}, a child of {@code parent}. */
  long coordinate(LevelView level, long parent, long position);
}
