package org.weft.tensor.level;

/** Levels that the native packer makes; their order is that of {@code packing.h}. */
public enum NativeLevel {
  /** A position for every coordinate under every parent, no arrays. */
  DENSE,
  /**
   * A position for every different coordinate, or path, under a parent: {@code pos} and {@code
   * crd}.
   */
  COMPRESSED,
  /** The one coordinate of every parent, none without: {@code crd}. */
  SINGLETON
}
