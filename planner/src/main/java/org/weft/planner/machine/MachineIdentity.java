package org.weft.planner.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.weft.memory.MachineCaches;
import org.weft.runtime.CpuFeatures;

/** Tells machines apart whose measurements do not hold for each other. */
public final class MachineIdentity {
  private static final Path CPU = Path.of("/proc/cpuinfo");

  private MachineIdentity() {}

  /**
   * The processor's model and level, the number of processors and the caches, as one line: equal on
   * machines of the same make.
   */
  public static String ofThisMachine() {
    return String.join(
        ", ",
        model(),
        CpuFeatures.level(),
        Runtime.getRuntime().availableProcessors() + " processors",
        "caches " + kib(MachineCaches.secondLevelBytes()) + " KiB",
        kib(MachineCaches.thirdLevelBytes()) + " KiB");
  }

  private static String kib(OptionalLong bytes) {
    return bytes.isEmpty() ? "?" : Long.toString(bytes.getAsLong() >> 10);
  }

  /** What the system calls the processor; systems without the file have one name. */
  private static String model() {
    try (Stream<String> lines = Files.lines(CPU)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException e) {
      return "unknown processor";
    }
  }
}
