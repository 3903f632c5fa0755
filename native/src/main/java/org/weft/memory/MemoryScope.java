package org.weft.memory;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * An owner of off-heap memory. Closing a scope frees its blocks and closes its children; closing it
 * twice is an error. Thread-safe.
 */
public final class MemoryScope implements AutoCloseable {
  private final String name;
  private final MemorySource source;
  private final @Nullable MemoryScope parent;
  private final Map<NativeArray, Runnable> blocks = new IdentityHashMap<>();
  private final Map<MemoryScope, Boolean> children = new IdentityHashMap<>();
  private long ownBytes;
  private boolean closed;

  private MemoryScope(String name, MemorySource source, @Nullable MemoryScope parent) {
    this.name = name;
    this.source = source;
    this.parent = parent;
  }

  public static MemoryScope root(String name, MemorySource source) {
    return new MemoryScope(name, source, null);
  }

  public MemoryScope child(String childName) {
    return child(childName, source);
  }

  /** A child whose blocks come from another source. */
  public synchronized MemoryScope child(String childName, MemorySource childSource) {
    requireOpen();
    MemoryScope child = new MemoryScope(name + "/" + childName, childSource, this);
    children.put(child, true);
    return child;
  }

  public String name() {
    return name;
  }

  /** A zeroed array of {@code length} elements, freed with this scope. */
  public NativeArray allocate(ElementType type, long length) {
    NativeArray array = allocateUninitialized(type, length);
    NativeMemory.fill(array.address(), array.byteSize(), (byte) 0);
    return array;
  }

  /** As {@link #allocate}, with unspecified contents: for callers that write every element. */
  public NativeArray allocateUninitialized(ElementType type, long length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length " + length);
    }
    if (length > Long.MAX_VALUE / type.bytes()) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          "cannot allocate " + length + " elements of " + type.bytes() + " bytes off the heap");
    }
    long bytes = Math.max(MemorySource.ALIGNMENT, length * type.bytes());
    long address = source.allocate(bytes);
    try {
      return register(type, address, length, bytes, () -> source.free(address, bytes));
    } catch (IllegalStateException e) {
      source.free(address, bytes);
      throw e;
    }
  }

  /** Takes over memory that someone else allocated; {@code free} runs when this scope closes. */
  public NativeArray adopt(long address, ElementType type, long length, Runnable free) {
    return register(type, address, length, length * type.bytes(), free);
  }

  private synchronized NativeArray register(
      ElementType type, long address, long length, long bytes, Runnable free) {
    requireOpen();
    NativeArray array = new NativeArray(type, address, length);
    blocks.put(array, free);
    ownBytes += bytes;
    return array;
  }

  /** Bytes held by this scope and everything below it. */
  public synchronized long liveBytes() {
    long bytes = ownBytes;
    for (MemoryScope child : children.keySet()) {
      bytes += child.liveBytes();
    }
    return bytes;
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    List<MemoryScope> open;
    synchronized (this) {
      requireOpen();
      open = new ArrayList<>(children.keySet());
    }
    for (MemoryScope child : open) {
      child.close();
    }
    synchronized (this) {
      closed = true;
      blocks.forEach(
          (array, free) -> {
            array.invalidate();
            free.run();
          });
      blocks.clear();
      ownBytes = 0;
    }
    if (parent != null) {
      parent.forget(this);
    }
  }

  private synchronized void forget(MemoryScope child) {
    children.remove(child);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("memory scope '" + name + "' is closed");
    }
  }
}
