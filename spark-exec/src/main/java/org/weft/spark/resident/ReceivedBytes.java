package org.weft.spark.resident;

/** Bytes of rows that the thread has got from other processes and that nobody has booked yet. */
public final class ReceivedBytes {
  private static final ThreadLocal<long[]> OPEN = ThreadLocal.withInitial(() -> new long[1]);

  private ReceivedBytes() {}

  static void add(long bytes) {
    OPEN.get()[0] += bytes;
  }

  /** The bytes since the last call in this thread. */
  public static long take() {
    long[] open = OPEN.get();
    long bytes = open[0];
    open[0] = 0;
    return bytes;
  }
}
