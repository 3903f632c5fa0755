package org.weft.compiler.loop;

import org.weft.memory.ElementType;

/**
 * A flat array of elements. Two different buffers never overlap, except two inputs, which nobody
 * writes, and a view and what it shows; code generation relies on it.
 */
public record Buffer(String name, ElementType element, Kind kind) {
  /** Who allocates the array, and whether it grows. */
  public enum Kind {
    /** Read only, owned by the caller. */
    INPUT,
    /** Fixed size, allocated and owned by the caller; read and written. */
    OUTPUT,
    /**
     * An array of a sparse result. Empty at entry; {@link Stmt.Grow} allocates it through the
     * runtime; owned by the caller after a successful return, released by the kernel on failure.
     */
    GROWABLE,
    /** Local to the kernel, or to one task when allocated inside a parallel loop. */
    WORKSPACE,
    /** Another writable buffer, shifted by {@link Stmt.View}. */
    VIEW
  }

  public Buffer {
    Names.requireIdentifier(name, "buffer");
  }

  /** Type of an element once loaded. */
  public ScalarType scalar() {
    return ScalarType.of(element);
  }

  public boolean writable() {
    return kind != Kind.INPUT;
  }
}
