package org.weft.tensor.level;

import java.util.Optional;
import java.util.Set;

/**
 * A level format: how one level of the coordinate hierarchy is stored (Chou et al., section 3).
 *
 * <p>A format is one descriptor (an implementation of this interface, found through {@link
 * java.util.ServiceLoader}) and one emitter in the compiler. Adding a format touches no other file.
 * Descriptors are stateless; two descriptors with the same symbol are the same format.
 */
public interface LevelFormat {
  /** Attribute symbol in the tensor language: {@code D}, {@code CU}, {@code S}. */
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
   * Whether the shape of the tensor says how many positions there are, so that a result can be made
   * before its entries are known.
   */
  default boolean isSizedByShape() {
    return properties().full();
  }

  /** Number of elements of the {@code pos} array of a level below {@code parents} positions. */
  default long posLength(long parents) {
    return parents + 1;
  }

  /**
   * Number of elements of the {@code crd} array of a level with {@code positions} positions below
   * {@code parents}.
   */
  default long crdLength(long parents, long positions) {
    return positions;
  }

  /** Largest number that the {@code pos} array of a tensor with {@code entries} entries holds. */
  default long largestPos(long entries) {
    return entries;
  }

  /**
   * Largest number in the {@code crd} array of a level with {@code size} coordinates. Where
   * positions may be unlabelled (not compact), the largest number of the width marks them, so that
   * no coordinate may be as large.
   *
   * @param sizeBelow number of coordinates of the next level
   * @param properties those of the level
   */
  default long largestCrd(long size, long sizeBelow, LevelProperties properties) {
    return properties.compact() ? Math.max(0, size - 1) : size;
  }

  /**
   * Builds the arrays of one level from entries sorted lexicographically in level order, and
   * divides the entries among the new positions. Cost {@code O(entries + positions)}.
   */
  void pack(LevelPacking packing);

  /**
   * What the native packer makes as {@link #pack} does, so that it may take its place; empty if
   * nothing.
   */
  default Optional<NativeLevel> nativeLevel() {
    return Optional.empty();
  }

  /** First position that may be a child of {@code parent} ({@code pos_iter}, lower bound). */
  long firstChild(LevelView level, long parent);

  /** One past the last position that may be a child of {@code parent}. */
  long endChild(LevelView level, long parent);

  /** Whether {@code position} stores a coordinate; always so in a compact level. */
  default boolean isLabelled(LevelView level, long position) {
    return true;
  }

  /** Coordinate stored at {@code position}, a labelled child of {@code parent}. */
  long coordinate(LevelView level, long parent, long position);
}
