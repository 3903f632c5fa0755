package org.weft.planner.machine;

import java.io.Serializable;
import java.util.OptionalLong;
import org.weft.memory.MachineCaches;
import org.weft.runtime.CpuFeatures;

/**
 * What a machine of the cluster does per second, as far as predictions need it.
 *
 * @param streamBytesPerSecond memory bandwidth of one thread
 * @param nearBytesPerSecond rate at which one thread reads operand rows from its first-level cache
 * @param nearCacheBytes what rows may count on of the first-level cache
 * @param cachedBytesPerSecond rate at which one thread reads operand rows that its second-level
 *     cache holds
 * @param flopsPerSecond arithmetic of one thread in compiled kernels
 * @param registerBytes of the vector registers that code for the machine uses
 * @param cacheBytes what rows may count on of the second-level cache
 * @param sharedBytesPerSecond rate at which one thread reads operand rows that only the cache of
 *     all threads holds
 * @param sharedCacheBytes what a kernel may count on of the cache of all threads
 * @param parsedBytesPerSecond text that one thread parses
 * @param packedEntriesPerSecond entries that one thread sorts and packs
 * @param shuffledBytesPerSecond bytes that one task writes and reads back in a shuffle
 * @param writtenBytesPerSecond result bytes that one task formats and writes
 * @param compileSeconds of a library that is not in the cache
 * @param stepSeconds fixed cost of a step of tasks
 */
public record MachineParameters(
    double streamBytesPerSecond,
    double nearBytesPerSecond,
    double nearCacheBytes,
    double cachedBytesPerSecond,
    double flopsPerSecond,
    double registerBytes,
    double cacheBytes,
    double sharedBytesPerSecond,
    double sharedCacheBytes,
    double parsedBytesPerSecond,
    double packedEntriesPerSecond,
    double shuffledBytesPerSecond,
    double writtenBytesPerSecond,
    double compileSeconds,
    double stepSeconds)
    implements Serializable {

  /**
   * A two-core AVX-512 Xeon of 2026: read bandwidth 12 GB/s a thread, 63 GFLOP/s with 256-bit
   * multiply-adds, 2 MiB of L2. What rows may count on of the caches, and their rates, are the
   * figures, of some thirty sets, whose plans were fastest for 40 MTTKRPs of ranks 8 to 64 on
   * another machine (AMD EPYC, Zen 4): planner/README.md. Gathers alone find more of the
   * third-level cache there. Parsing and packing are one busy core's rates on retrosheet (gzip text
   * of 7.0 million entries); shuffle, write, compile and step are round estimates, not
   * measurements.
   */
  public static MachineParameters defaults() {
    return new MachineParameters(
        12e9, 400e9, 24 << 10, 130e9, 63e9, 2048, 2 << 20, 50e9, 2 << 20, 180e6, 10e6, 250e6, 100e6,
        0.1, 0.02);
  }

  /**
   * The defaults with this machine's registers, half of its second-level cache, which made faster
   * plans than three quarters, and a quarter of the third-level one, if that is less: a large one
   * is that of many cores.
   */
  public static MachineParameters ofThisMachine() {
    return Known.THIS_MACHINE;
  }

  private static final class Known {
    static final MachineParameters THIS_MACHINE = measured();
  }

  private static MachineParameters measured() {
    MachineParameters d = defaults();
    OptionalLong own = MachineCaches.secondLevelBytes();
    OptionalLong shared = MachineCaches.thirdLevelBytes();
    return d.withCore(
        CpuFeatures.vectorRegisterBytes(),
        own.isEmpty() ? d.cacheBytes : 0.5 * own.getAsLong(),
        shared.isEmpty()
            ? d.sharedCacheBytes
            : Math.min(d.sharedCacheBytes, 0.25 * shared.getAsLong()));
  }

  /**
   * The same machine with other cores.
   *
   * @param registers bytes of the vector registers
   * @param own bytes of cache of one thread
   * @param shared bytes of the cache of all threads
   */
  public MachineParameters withCore(double registers, double own, double shared) {
    return new MachineParameters(
        streamBytesPerSecond,
        nearBytesPerSecond,
        nearCacheBytes,
        cachedBytesPerSecond,
        flopsPerSecond,
        registers,
        own,
        sharedBytesPerSecond,
        shared,
        parsedBytesPerSecond,
        packedEntriesPerSecond,
        shuffledBytesPerSecond,
        writtenBytesPerSecond,
        compileSeconds,
        stepSeconds);
  }

  /** The same machine on another network, of {@code bytesPerSecond} for each task. */
  public MachineParameters withNetwork(double bytesPerSecond) {
    return new MachineParameters(
        streamBytesPerSecond,
        nearBytesPerSecond,
        nearCacheBytes,
        cachedBytesPerSecond,
        flopsPerSecond,
        registerBytes,
        cacheBytes,
        sharedBytesPerSecond,
        sharedCacheBytes,
        parsedBytesPerSecond,
        packedEntriesPerSecond,
        bytesPerSecond,
        writtenBytesPerSecond,
        compileSeconds,
        stepSeconds);
  }
}
