package org.weft.planner.machine;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A constant of the cost model: its unit, its usual value and where that comes from, the benchmark
 * of {@code weft bench --calibrate} that fits it, and bounds outside of which a value is a mistake.
 */
public enum MachineConstant {
  STREAM(
      Unit.BYTES_PER_SECOND,
      12e9,
      1e8,
      1e12,
      "read bandwidth of one thread of a two-core AVX-512 Xeon of 2026",
      "a dot product of two vectors of 128 MiB"),
  NEAR(
      Unit.BYTES_PER_SECOND,
      400e9,
      1e9,
      1e13,
      "fastest plans of 40 MTTKRPs on an AMD EPYC (Zen 4)",
      "rows of a matrix of half the near cache, in random order"),
  NEAR_CACHE(
      Unit.BYTES,
      24 << 10,
      1 << 10,
      1 << 24,
      "fastest plans of 40 MTTKRPs on an AMD EPYC (Zen 4)",
      ""),
  CACHED(
      Unit.BYTES_PER_SECOND,
      130e9,
      1e9,
      1e13,
      "fastest plans of 40 MTTKRPs on an AMD EPYC (Zen 4)",
      "rows of a matrix of half the cache, in random order"),
  CACHE(
      Unit.BYTES, 2 << 20, 1 << 12, 1 << 30, "half of the second-level cache, as Linux tells", ""),
  SHARED(
      Unit.BYTES_PER_SECOND,
      50e9,
      1e8,
      1e13,
      "fastest plans of 40 MTTKRPs on an AMD EPYC (Zen 4)",
      "rows of a matrix of a quarter of the third-level cache, in random order"),
  SHARED_CACHE(
      Unit.BYTES,
      2 << 20,
      0,
      1 << 30,
      "a quarter of the third-level cache, as Linux tells, and 2 MiB at most",
      ""),
  FLOPS(
      Unit.OPERATIONS_PER_SECOND,
      63e9,
      1e8,
      1e13,
      "256-bit multiply-adds of one thread of a two-core AVX-512 Xeon of 2026",
      "the faster of a polynomial of degree 32 and a product of 256 x 256 matrices"),
  REGISTERS(Unit.BYTES, 2048, 128, 1 << 16, "the processor's vector registers", ""),
  PARSED(
      Unit.BYTES_PER_SECOND,
      180e6,
      1e6,
      1e11,
      "retrosheet, gzip text of 7.0 million entries, one busy core",
      "a .tns file of random entries of three modes"),
  PACKED(
      Unit.ENTRIES_PER_SECOND,
      10e6,
      1e4,
      1e10,
      "retrosheet, 7.0 million entries, one busy core",
      "random entries of three modes to CSF"),
  SHUFFLED(Unit.BYTES_PER_SECOND, 250e6, 1e5, 1e12, "an estimate", ""),
  WRITTEN(
      Unit.BYTES_PER_SECOND,
      100e6,
      1e6,
      1e11,
      "an estimate",
      "a .tns file of random entries of three modes"),
  COMPILE(
      Unit.SECONDS, 0.1, 1e-4, 100, "an estimate", "a kernel of MTTKRP that no cache has, median"),
  STEP(Unit.SECONDS, 0.02, 1e-6, 100, "an estimate", ""),
  CALL(
      Unit.SECONDS,
      4.5e-6,
      1e-8,
      1e-2,
      "CP-ALS on 100 and on 1,000 entries, 2,000 iterations, on a two-core AVX-512 Xeon of 2026",
      "an MTTKRP of 100 entries, median"),
  LOOP(
      Unit.SECONDS,
      5e-9,
      1e-11,
      1e-6,
      "a mispredicted end of a loop: 5.3 ns between tiles of 2,048 and of 8,192 rows",
      ""),
  ORDERED(
      Unit.SECONDS,
      5e-6,
      1e-9,
      1e-3,
      "two methods tried per entry and mode: 6 s for 393,159 entries of order 3",
      ""),
  COLLECTED(Unit.SECONDS, 0.1e-6, 1e-10, 1e-3, "an entry brought to the driver, an estimate", ""),
  RELABELLED(Unit.SECONDS, 5e-9, 1e-11, 1e-3, "an entry's mode in a packed copy, an estimate", "");

  /** What a constant counts. */
  enum Unit {
    BYTES("bytes"),
    BYTES_PER_SECOND("bytes/s"),
    ENTRIES_PER_SECOND("entries/s"),
    OPERATIONS_PER_SECOND("operations/s"),
    SECONDS("s");

    private final String text;

    Unit(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final Unit unit;
  private final double usual;
  private final double least;
  private final double most;
  private final String source;
  private final String benchmark;

  MachineConstant(
      Unit unit, double usual, double least, double most, String source, String benchmark) {
    this.unit = unit;
    this.usual = usual;
    this.least = least;
    this.most = most;
    this.source = source;
    this.benchmark = benchmark;
  }

  /** Its name in files. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<MachineConstant> named(String key) {
    return Arrays.stream(values()).filter(constant -> constant.key().equals(key)).findFirst();
  }

  Unit unit() {
    return unit;
  }

  double usual() {
    return usual;
  }

  /** Where the usual value comes from. */
  String source() {
    return source;
  }

  /** What {@code weft bench --calibrate} fits it by; empty where it does not. */
  public String benchmark() {
    return benchmark;
  }

  boolean allows(double value) {
    return value >= least && value <= most;
  }

  /** {@code value}, or the nearest one that is plausible. */
  double bounded(double value) {
    return Math.max(least, Math.min(most, value));
  }

  /** The plausible values, for messages. */
  String range() {
    return String.format(Locale.ROOT, "%.3g to %.3g %s", least, most, unit);
  }
}
