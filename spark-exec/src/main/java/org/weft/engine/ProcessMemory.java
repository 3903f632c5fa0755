package org.weft.engine;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Memory of this process as the operating system counts it. */
public final class ProcessMemory {
  private static final String STATUS = "/proc/self/status";
  private static final String PEAK = "VmHWM:";

  /** Code, the compiler, threads and what the JVM itself takes. */
  private static final long BESIDE_HEAP_AND_TENSORS = 300L << 20;

  private static final long LEAST_FOR_TENSORS = 64L << 20;

  private ProcessMemory() {}

  /**
   * What tensors may fill off the heap so that the process stays within {@code bytes}: the rest
   * beside a full heap and the JVM.
   *
   * @throws WeftException {@code USAGE} if that is next to nothing
   */
  public static long forTensors(long bytes) {
    long others = Runtime.getRuntime().maxMemory() + BESIDE_HEAP_AND_TENSORS;
    long least = others + LEAST_FOR_TENSORS;
    if (bytes < least) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "expected --memory of at least %dm, of which the Java heap may take %dm (-Xmx), found"
                  + " %dm",
              (least + (1 << 20) - 1) >> 20,
              Runtime.getRuntime().maxMemory() >> 20,
              bytes >> 20));
    }
    return bytes - others;
  }

  /** Largest resident set so far, in bytes; 0 where {@code /proc} does not exist. */
  public static long peakResidentBytes() {
    try (InputStream status = new FileInputStream(STATUS)) {
      String text = new String(status.readAllBytes(), StandardCharsets.ISO_8859_1);
      int peak = text.indexOf(PEAK);
      if (peak < 0) {
        return 0;
      }
      int unit = text.indexOf("kB", peak);
      return Long.parseLong(text.substring(peak + PEAK.length(), unit).strip()) * 1024;
    } catch (FileNotFoundException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
