package org.weft.runtime;

import java.io.Serializable;

/**
 * One 64-bit slot of a kernel's argument block.
 *
 * @param kind what the slot holds
 * @param tensor position of the tensor in the signature; -1 for the first three kinds
 * @param level the level, for {@code MODE_SIZE} the mode; -1 where the kind has neither
 */
public record Slot(Kind kind, int tensor, int level) implements Serializable {
  /** What a slot holds. */
  public enum Kind {
    /** Address of the call's runtime table; always slot 0. */
    RUNTIME,
    /** 0, or the number of a {@link KernelStatus}; always slot 1. */
    STATUS,
    /** Detail of the status; always slot 2. */
    STATUS_DETAIL,
    /** Size of a mode, in coordinates. */
    MODE_SIZE,
    /** Number of positions of a level; the kernel writes it for a sparse output. */
    POSITIONS,
    /** Address of the {@code pos} array of a level; the kernel writes it for a sparse output. */
    POS,
    /** Address of the {@code crd} array of a level; the kernel writes it for a sparse output. */
    CRD,
    /** Address of the values; the kernel writes it for a sparse output. */
    VALS,
    /** The value of an input of order 0: its bits, zero-extended from the width of its type. */
    SCALAR,
    /** Elements in the {@code pos} array of a level; checked kernels only. */
    POS_LENGTH,
    /** Elements in the {@code crd} array of a level; checked kernels only. */
    CRD_LENGTH,
    /** Elements in the values; checked kernels only. */
    VALS_LENGTH,
    /** Coordinates of a level: each in its {@code crd} is less; checked kernels only. */
    LEVEL_SIZE
  }

  public static Slot runtime() {
    return new Slot(Kind.RUNTIME, -1, -1);
  }

  public static Slot status() {
    return new Slot(Kind.STATUS, -1, -1);
  }

  public static Slot statusDetail() {
    return new Slot(Kind.STATUS_DETAIL, -1, -1);
  }

  public static Slot modeSize(int tensor, int mode) {
    return new Slot(Kind.MODE_SIZE, tensor, mode);
  }

  public static Slot positions(int tensor, int level) {
    return new Slot(Kind.POSITIONS, tensor, level);
  }

  public static Slot pos(int tensor, int level) {
    return new Slot(Kind.POS, tensor, level);
  }

  public static Slot crd(int tensor, int level) {
    return new Slot(Kind.CRD, tensor, level);
  }

  public static Slot vals(int tensor) {
    return new Slot(Kind.VALS, tensor, -1);
  }

  public static Slot scalar(int tensor) {
    return new Slot(Kind.SCALAR, tensor, -1);
  }

  /** Whether the slot holds the address of an array of a tensor. */
  boolean isArray() {
    return kind == Kind.POS || kind == Kind.CRD || kind == Kind.VALS;
  }
}
