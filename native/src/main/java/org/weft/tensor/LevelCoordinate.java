package org.weft.tensor;

import java.io.Serializable;

/**
 * Which coordinate a level stores. Ordinary formats store one mode per level ({@link Mode});
 * blocked ones store a mode in two levels, its block number above and the offset in the block
 * below; the root of ELL and DIA numbers slots and diagonals (Chou et al., figure 4, where
 * structured matrices are tensors of a higher order).
 *
 * <p>Modes are counted in the order of storage: mode 1 of a format with mode order {@code @2,0,1}
 * is mode 0 of the tensor. The text after the colon in a level list is {@link #toString}: {@code
 * {D:0/2, CU:1/3, D:0%2, D:1%3}} is BCSR(2,3).
 */
public sealed interface LevelCoordinate extends Serializable {

  /** The coordinate of a mode. */
  record Mode(int mode) implements LevelCoordinate {
    @Override
    public String toString() {
      return Integer.toString(mode);
    }
  }

  /** The number {@code i / size} of the block that holds coordinate {@code i} of a mode. */
  record Block(int mode, long size) implements LevelCoordinate {
    public Block {
      requirePositive(size);
    }

    @Override
    public String toString() {
      return mode + "/" + size;
    }
  }

  /** The offset {@code i % size} of coordinate {@code i} of a mode in its block. */
  record Within(int mode, long size) implements LevelCoordinate {
    public Within {
      requirePositive(size);
    }

    @Override
    public String toString() {
      return mode + "%" + size;
    }
  }

  /**
   * The number of an entry among those that share the coordinate of the first mode: the root of
   * ELL. How many there are depends on the data.
   */
  record Slot() implements LevelCoordinate {
    @Override
    public String toString() {
      return "slot";
    }
  }

  /**
   * The number of a stored diagonal of a matrix, diagonals in increasing order of {@code j - i}:
   * the root of DIA. How many there are depends on the data.
   */
  record Diagonal() implements LevelCoordinate {
    @Override
    public String toString() {
      return "diagonal";
    }
  }

  /** The mode, in storage order, that the coordinate says something of; -1 for none. */
  default int storedMode() {
    if (this instanceof Mode c) {
      return c.mode();
    } else if (this instanceof Block c) {
      return c.mode();
    } else if (this instanceof Within c) {
      return c.mode();
    }
    return -1;
  }

  /** Whether the number of coordinates is that of the stored data, not of the shape. */
  default boolean isCounted() {
    return this instanceof Slot || this instanceof Diagonal;
  }

  private static void requirePositive(long size) {
    if (size < 1) {
      throw new IllegalArgumentException("a block has at least 1 coordinate, not " + size);
    }
  }
}
