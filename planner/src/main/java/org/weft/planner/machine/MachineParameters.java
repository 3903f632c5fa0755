package org.weft.planner.machine;

import java.io.Serializable;
import java.util.Arrays;
import java.util.OptionalLong;
import org.weft.memory.MachineCaches;
import org.weft.runtime.CpuFeatures;

/**
 * What a machine of the cluster does per second, as far as predictions need it: a value of each
 * {@link MachineConstant}. Immutable.
 */
public final class MachineParameters implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final MachineParameters USUAL =
      new MachineParameters(
          Arrays.stream(MachineConstant.values()).mapToDouble(MachineConstant::usual).toArray());

  private static final class Known {
    static final MachineParameters THIS_MACHINE = withCachesOfThisMachine();
  }

  private final double[] values;

  private MachineParameters(double[] values) {
    this.values = values;
  }

  /** The usual values of all constants; {@link MachineConstant} says where they come from. */
  public static MachineParameters defaults() {
    return USUAL;
  }

  /**
   * The defaults with this machine's registers, half of its second-level cache, which made faster
   * plans than three quarters, and a quarter of the third-level one, if that is less: a large one
   * is that of many cores.
   */
  public static MachineParameters ofThisMachine() {
    return Known.THIS_MACHINE;
  }

  private static MachineParameters withCachesOfThisMachine() {
    OptionalLong own = MachineCaches.secondLevelBytes();
    OptionalLong shared = MachineCaches.thirdLevelBytes();
    return USUAL.withCore(
        CpuFeatures.vectorRegisterBytes(),
        own.isEmpty() ? USUAL.cacheBytes() : 0.5 * own.getAsLong(),
        shared.isEmpty()
            ? USUAL.sharedCacheBytes()
            : Math.min(USUAL.sharedCacheBytes(), 0.25 * shared.getAsLong()));
  }

  public double get(MachineConstant constant) {
    return values[constant.ordinal()];
  }

  public MachineParameters with(MachineConstant constant, double value) {
    double[] changed = values.clone();
    changed[constant.ordinal()] = value;
    return new MachineParameters(changed);
  }

  /** As {@link #with}, and what is not plausible is the nearest value that is. */
  public MachineParameters fitted(MachineConstant constant, double value) {
    return with(constant, constant.bounded(value));
  }

  /**
   * The same machine with other cores.
   *
   * @param registers bytes of the vector registers
   * @param own bytes of cache of one thread
   * @param shared bytes of the cache of all threads
   */
  public MachineParameters withCore(double registers, double own, double shared) {
    return with(MachineConstant.REGISTERS, registers)
        .with(MachineConstant.CACHE, own)
        .with(MachineConstant.SHARED_CACHE, shared);
  }

  /** The same machine on another network, of {@code bytesPerSecond} for each task. */
  public MachineParameters withNetwork(double bytesPerSecond) {
    return with(MachineConstant.SHUFFLED, bytesPerSecond);
  }

  /** Memory bandwidth of one thread. */
  public double streamBytesPerSecond() {
    return get(MachineConstant.STREAM);
  }

  /** Rate at which one thread reads operand rows from its first-level cache. */
  public double nearBytesPerSecond() {
    return get(MachineConstant.NEAR);
  }

  /** What rows may count on of the first-level cache. */
  public double nearCacheBytes() {
    return get(MachineConstant.NEAR_CACHE);
  }

  /** Rate at which one thread reads operand rows that its second-level cache holds. */
  public double cachedBytesPerSecond() {
    return get(MachineConstant.CACHED);
  }

  /** Arithmetic of one thread in compiled kernels. */
  public double flopsPerSecond() {
    return get(MachineConstant.FLOPS);
  }

  /** Of the vector registers that code for the machine uses. */
  public double registerBytes() {
    return get(MachineConstant.REGISTERS);
  }

  /** What rows may count on of the second-level cache. */
  public double cacheBytes() {
    return get(MachineConstant.CACHE);
  }

  /** Rate at which one thread reads operand rows that only the cache of all threads holds. */
  public double sharedBytesPerSecond() {
    return get(MachineConstant.SHARED);
  }

  /** What a kernel may count on of the cache of all threads. */
  public double sharedCacheBytes() {
    return get(MachineConstant.SHARED_CACHE);
  }

  /** Text that one thread parses. */
  public double parsedBytesPerSecond() {
    return get(MachineConstant.PARSED);
  }

  /** Entries that one thread sorts and packs. */
  public double packedEntriesPerSecond() {
    return get(MachineConstant.PACKED);
  }

  /** Bytes that one task writes and reads back in a shuffle. */
  public double shuffledBytesPerSecond() {
    return get(MachineConstant.SHUFFLED);
  }

  /** Result bytes that one task formats and writes. */
  public double writtenBytesPerSecond() {
    return get(MachineConstant.WRITTEN);
  }

  /** Of a library that is not in the cache. */
  public double compileSeconds() {
    return get(MachineConstant.COMPILE);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MachineParameters that && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }
}
