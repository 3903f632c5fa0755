package org.weft.compiler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The caches of one core of this machine, as the system tells them.
 *
 * @param first bytes of the first data cache
 * @param second bytes of the second
 */
record Caches(long first, long second) {
  private static final Path FOLDER = Path.of("/sys/devices/system/cpu/cpu0/cache");
  private static final Caches USUAL = new Caches(32 << 10, 512 << 10);

  private static final class Known {
    static final Caches CACHES = read(FOLDER);
  }

  static Caches ofThisMachine() {
    return Known.CACHES;
  }

  /** The caches that {@code folder} describes; usual ones where it does not. */
  static Caches read(Path folder) {
    long first = USUAL.first();
    long second = USUAL.second();
    for (int number = 0; number < 4; number++) {
      Path cache = folder.resolve("index" + number);
      long bytes = bytes(text(cache.resolve("size")));
      boolean instructions = text(cache.resolve("type")).equals("Instruction");
      String level = text(cache.resolve("level"));
      if (bytes > 0 && !instructions && level.equals("1")) {
        first = bytes;
      } else if (bytes > 0 && level.equals("2")) {
        second = bytes;
      }
    }
    return new Caches(first, second);
  }

  private static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException e) {
      return ""; // unreadable is as good as absent
    }
  }

  private static long bytes(String size) {
    if (!size.matches("[0-9]{1,9}[KM]?")) {
      return 0;
    }
    boolean mega = size.endsWith("M");
    boolean kilo = size.endsWith("K");
    long number = Long.parseLong(mega || kilo ? size.substring(0, size.length() - 1) : size);
    return mega ? number << 20 : kilo ? number << 10 : number;
  }
}
