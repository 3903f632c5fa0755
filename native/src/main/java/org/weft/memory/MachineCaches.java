package org.weft.memory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The caches of this machine's first core, as Linux tells of them. */
public final class MachineCaches {
  private static final Path FIRST_CORE = Path.of("/sys/devices/system/cpu/cpu0/cache");

  private MachineCaches() {}

  /** Bytes of the second-level cache; empty where that cannot be found out. */
  public static OptionalLong secondLevelBytes() {
    return bytes(FIRST_CORE, 2);
  }

  /** Bytes of the third-level cache, which cores share; empty where that cannot be found out. */
  public static OptionalLong thirdLevelBytes() {
    return bytes(FIRST_CORE, 3);
  }

  /**
   * Bytes of the data cache of a level.
   *
   * @param core a directory with one {@code index*} for each cache
   */
  static OptionalLong bytes(Path core, int level) {
    try (DirectoryStream<Path> caches = Files.newDirectoryStream(core, "index*")) {
      for (Path cache : caches) {
        boolean data = !word(cache, "type").equals("Instruction");
        if (data && word(cache, "level").equals(Integer.toString(level))) {
          return parse(word(cache, "size"));
        }
      }
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    return OptionalLong.empty();
  }

  private static String word(Path cache, String file) throws IOException {
    return Files.readString(cache.resolve(file)).strip();
  }

  /** {@code 512K} is 524288. */
  private static OptionalLong parse(String size) {
    boolean mebibytes = size.endsWith("M");
    if (!mebibytes && !size.endsWith("K")) {
      return OptionalLong.empty();
    }
    try {
      long count = Long.parseLong(size.substring(0, size.length() - 1));
      return count <= 0 ? OptionalLong.empty() : OptionalLong.of(count << (mebibytes ? 20 : 10));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
