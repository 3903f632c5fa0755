package org.weft.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.Reasons;
import org.weft.error.WeftException;

/**
 * The x86-64 microarchitecture level of this host. A level includes the ones before it. Levels are
 * those of the x86-64 psABI without two instructions, LZCNT and MOVBE: virtual machines hide them
 * from guests that may use AVX2 and AVX-512, and kernels are compiled without them.
 */
public final class CpuFeatures {
  private static final List<Level> LEVELS =
      List.of(
          new Level("x86-64-v2", "cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"),
          new Level("x86-64-v3", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "xsave"),
          new Level("x86-64-v4", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"));

  /** Flags as {@code /proc/cpuinfo} spells them: those that the system has enabled. */
  private record Level(String name, Set<String> flags) {
    Level(String name, String... flags) {
      this(name, Set.of(flags));
    }
  }

  private CpuFeatures() {}

  /** Names of all levels, the lowest first. */
  public static List<String> levels() {
    return LEVELS.stream().map(Level::name).toList();
  }

  /** {@code x86-64-v2}, {@code x86-64-v3} or {@code x86-64-v4}: the highest that this host has. */
  public static String level() {
    return Host.LEVEL;
  }

  /** Bytes of all vector registers of this host's level: 16 of 16 or 32 bytes, or 32 of 64. */
  public static int vectorRegisterBytes() {
    return vectorRegisterBytes(level());
  }

  static int vectorRegisterBytes(String level) {
    return switch (level) {
      case "x86-64-v4" -> 32 * 64;
      case "x86-64-v3" -> 16 * 32;
      default -> 16 * 16;
    };
  }

  /**
   * Throws unless this host runs code compiled for {@code level}.
   *
   * @throws WeftException {@code UNSUPPORTED_PLATFORM}
   */
  public static void require(String level) {
    require(level, level());
  }

  static void require(String level, String host) {
    int wanted = rank(level);
    if (wanted < 0) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "unknown CPU level '" + level + "'; expected one of " + levels());
    }
    if (wanted > rank(host)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "the kernel needs a CPU of level "
              + level
              + ", this host has "
              + host
              + "; compile for the lowest level of the cluster's hosts");
    }
  }

  private static int rank(String level) {
    return levels().indexOf(level);
  }

  /** The highest level whose flags, and those of the levels before, are all in {@code flags}. */
  static String levelOf(Set<String> flags) {
    String best = null;
    for (Level level : LEVELS) {
      if (!flags.containsAll(level.flags())) {
        break;
      }
      best = level.name();
    }
    if (best == null) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "Weft needs a CPU of level " + LEVELS.get(0).name() + " or higher");
    }
    return best;
  }

  /** Read once, on first use. */
  private static final class Host {
    static final String LEVEL = levelOf(flags());

    private static Set<String> flags() {
      try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
        String line =
            lines
                .filter(l -> l.startsWith("flags"))
                .findFirst()
                .orElseThrow(() -> unreadable("no line starts with 'flags'", null));
        return new HashSet<>(Arrays.asList(line.split("\\s+")));
      } catch (IOException e) {
        throw unreadable(Reasons.of(e), e);
      }
    }

    private static WeftException unreadable(String found, @Nullable Throwable cause) {
      return new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "expected the CPU's flags in /proc/cpuinfo of Linux on x86-64: " + found,
          cause);
    }
  }
}
