package org.weft.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of the machine, or of the container that the process runs in. */
public final class MachineMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final String AVAILABLE = "MemAvailable:";

  private MachineMemory() {}

  /** Bytes, without swapping; {@code Long.MAX_VALUE} where that cannot be found out. */
  public static long availableBytes() {
    return Math.min(kernelEstimate(), totalBytes());
  }

  private static long kernelEstimate() {
    try {
      for (String line : Files.readAllLines(MEMINFO)) {
        if (line.startsWith(AVAILABLE)) {
          String kibibytes = line.substring(AVAILABLE.length()).replace("kB", "").strip();
          return Long.parseLong(kibibytes) * 1024;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return Long.MAX_VALUE;
    }
    return Long.MAX_VALUE;
  }

  /** All bytes, whoever has them; {@code Long.MAX_VALUE} where that cannot be found out. */
  public static long totalBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Long.MAX_VALUE;
  }
}
