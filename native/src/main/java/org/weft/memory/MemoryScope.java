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
  private static final long MOST_BYTES = 1L << 60;

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

  /**
   * As {@link #allocate}, with unspecified contents: for callers that write every element. The
   * bytes behind the last one, up to a multiple of {@link MemorySource#ALIGNMENT}, may be written
   * too.
   */
  public NativeArray allocateUninitialized(ElementType type, long length) {
    return allocateTogether(List.of(type), length).get(0);
  }

  /**
   * Arrays as of {@link #allocateUninitialized}, one after the other in one block: small ones share
   * the pages of a large one.
   */
  public List<NativeArray> allocateTogether(List<ElementType> types, long... lengths) {
    long[] starts = new long[lengths.length];
    long whole = 0;
    for (int i = 0; i < lengths.length; i++) {
      long bytes = bytes(types.get(i), lengths[i]);
      if (bytes > MOST_BYTES - whole) {
        throw tooLarge(types.get(i), lengths[i]);
      }
      starts[i] = (whole + MemorySource.ALIGNMENT - 1) & -MemorySource.ALIGNMENT;
      whole = starts[i] + bytes;
    }
    long block = (whole + MemorySource.ALIGNMENT - 1) & -MemorySource.ALIGNMENT;
    long address = source.allocate(block);
    try {
      return register(types, lengths, starts, address, () -> source.free(address, block));
    } catch (IllegalStateException e) {
      source.free(address, block);
      throw e;
    }
  }

  /** Bytes that an array takes, no fewer than {@link MemorySource#ALIGNMENT}. */
  private static long bytes(ElementType type, long length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative length " + length);
    }
    if (length > MOST_BYTES / type.bytes()) {
      throw tooLarge(type, length);
    }
    return Math.max(MemorySource.ALIGNMENT, length * type.bytes());
  }

  private static WeftException tooLarge(ElementType type, long length) {
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "cannot allocate " + length + " elements of " + type.bytes() + " bytes off the heap");
  }

  private synchronized List<NativeArray> register(
      List<ElementType> types, long[] lengths, long[] starts, long address, Runnable free) {
    List<NativeArray> arrays = new ArrayList<>();
    for (int i = 0; i < lengths.length; i++) {
      Runnable once = i == 0 ? free : () -> {};
      long bytes = bytes(types.get(i), lengths[i]);
      arrays.add(register(types.get(i), address + starts[i], lengths[i], bytes, once));
    }
    return arrays;
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
