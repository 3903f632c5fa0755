package org.weft.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory of this process as the operating system counts it. */
public final class ProcessMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String PEAK = "VmHWM:";

  private ProcessMemory() {}

  /** Largest resident set so far, in bytes; 0 where {@code /proc} does not exist. */
  public static long peakResidentBytes() {
    if (!Files.isReadable(STATUS)) {
      return 0;
    }
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(PEAK)) {
          String kibibytes = line.substring(PEAK.length()).replace("kB", "").strip();
          return Long.parseLong(kibibytes) * 1024;
        }
      }
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
