package org.weft.compiler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Expected texts in {@code src/test/resources/golden}. {@code -Dweft.golden.regenerate=true}
 * rewrites them instead of comparing; with {@code CI=true} in the environment that is refused.
 */
public final class Goldens {
  private static final Path FOLDER = Path.of("src", "test", "resources", "golden");

  private Goldens() {}

  public static void check(String name, String actual) throws IOException {
    Path file = FOLDER.resolve(name);
    if (Boolean.getBoolean("weft.golden.regenerate")) {
      if (Boolean.parseBoolean(System.getenv("CI"))) {
        throw new IllegalStateException("goldens are not regenerated in CI");
      }
      Files.createDirectories(FOLDER);
      Files.writeString(file, actual);
    }
    assertThat(actual)
        .as(
            "%s; to accept: mvn -pl compiler -am test -Dtest=%s"
                + " -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dweft.test.jvm=-Dweft.golden.regenerate=true",
            file, "LoopPrinterTest")
        .isEqualTo(Files.readString(file));
  }
}
