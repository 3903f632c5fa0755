package org.weft.spark.resident;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.text.Bytes;

/**
 * Off-heap memory of processes whose Spark has none to give: the application runs without {@code
 * spark.memory.offHeap.enabled}. Weft then bounds itself by what the process may use beside its
 * heap. Thread-safe.
 */
public final class OwnPool {
  private static final String ENABLED = "spark.memory.offHeap.enabled";
  private static final String SIZE = "spark.memory.offHeap.size";
  private static final long LEAST_BYTES = 512L << 20;
  private static final double OVERHEAD_FACTOR = 0.1;
  private static final AtomicLong USED = new AtomicLong();

  private OwnPool() {}

  /** Whether Spark has off-heap memory, which then bounds what Weft takes. */
  public static boolean isSparks(SparkConf conf) {
    return conf.getBoolean(ENABLED, false) && conf.getSizeAsBytes(SIZE, "0") > 0;
  }

  /**
   * Most off-heap bytes of a process: those of Spark, or three quarters of what the heap leaves of
   * this machine's memory, or on a cluster the overhead that Spark asks for beside the heap.
   */
  public static long bytes(SparkConf conf) {
    if (isSparks(conf)) {
      return conf.getSizeAsBytes(SIZE, "0");
    }
    if (isInProcess(conf)) {
      return besideHeap();
    }
    long heap = conf.getSizeAsBytes("spark.executor.memory", "1g");
    double factor = conf.getDouble("spark.executor.memoryOverheadFactor", OVERHEAD_FACTOR);
    long overhead = conf.getSizeAsBytes("spark.executor.memoryOverhead", "0");
    return Math.max(LEAST_BYTES, overhead > 0 ? overhead : (long) (heap * factor));
  }

  /** Whether executors are threads of the driver's process. */
  public static boolean isInProcess(SparkConf conf) {
    String master = conf.get("spark.master", "local[*]");
    return master.startsWith("local") && !master.startsWith("local-cluster");
  }

  /** Three quarters of what the heap leaves of this machine's memory, in bytes. */
  public static long besideHeap() {
    long heap = Runtime.getRuntime().maxMemory();
    long all =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : 2 * heap;
    return Math.max(LEAST_BYTES, (all - heap) / 4 * 3);
  }

  /**
   * Whether this process is one of those. A size without {@code spark.memory.offHeap.enabled} gives
   * none: Spark's pages are on the heap then, and have no address.
   */
  static boolean isUsed() {
    return !isSparks(SparkEnv.get().conf());
  }

  /**
   * Charges bytes.
   *
   * @param what names the data in the message
   * @throws WeftException {@code OUT_OF_MEMORY}; nothing is charged then
   */
  static void charge(long bytes, String what) {
    long most = bytes(SparkEnv.get().conf());
    if (USED.addAndGet(bytes) > most) {
      long used = USED.addAndGet(-bytes);
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          what
              + " needs "
              + Bytes.text(bytes)
              + " more off-heap memory, but "
              + Bytes.text(used)
              + " of the "
              + Bytes.text(most)
              + " beside this process's heap are in use; start the application with "
              + ENABLED
              + "=true and a larger "
              + SIZE);
    }
  }

  /** Ends what {@link #charge} began. */
  static void release(long bytes) {
    USED.addAndGet(-bytes);
  }

  /** Charged bytes of the process's allocator. */
  static MemorySource source(String what) {
    return new MemorySource() {
      @Override
      public long allocate(long bytes) {
        charge(bytes, what);
        try {
          return MemorySource.system().allocate(bytes);
        } catch (WeftException e) {
          release(bytes);
          throw e;
        }
      }

      @Override
      public void free(long address, long bytes) {
        MemorySource.system().free(address, bytes);
        release(bytes);
      }
    };
  }
}
