package org.weft.spark.key;

import java.util.concurrent.atomic.AtomicLong;

/** What rows and labels may take of the heap while one process makes a tensor. Thread-safe. */
public final class HeapLimit {
  private final long most;
  private final AtomicLong taken = new AtomicLong();

  /** A table that does not fit: Spark sorts it on local disks. */
  public static final class Reached extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Reached() {
      super("rows and labels fill the memory of one process", null, false, false);
    }
  }

  public HeapLimit(long bytes) {
    this.most = bytes;
  }

  /** Half of the heap: the rest is for the writing of parts. */
  public static HeapLimit ofThisProcess() {
    return new HeapLimit(Runtime.getRuntime().maxMemory() / 2);
  }

  /**
   * Notes {@code bytes} more, or less if they are negative.
   *
   * @throws Reached if that is too much
   */
  public void take(long bytes) {
    if (taken.addAndGet(bytes) > most) {
      throw new Reached();
    }
  }
}
