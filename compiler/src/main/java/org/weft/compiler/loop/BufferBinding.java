package org.weft.compiler.loop;

/**
 * A buffer and the slot of the argument block that holds its address (read at entry; for a growable
 * buffer written on success).
 */
public record BufferBinding(Buffer buffer, int slot) {
  public BufferBinding {
    if (buffer.kind() == Buffer.Kind.WORKSPACE) {
      throw new IllegalArgumentException(
          "workspace '" + buffer.name() + "' is local to the kernel: it has no slot");
    }
    if (slot < 0) {
      throw new IllegalArgumentException("slot must not be negative: " + slot);
    }
  }
}
