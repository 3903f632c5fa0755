package org.weft.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The two assemblies of {@code jobs}: executors get the small one, the driver the other too. */
public final class WeftJars {
  private static final Path FOLDER =
      Path.of(System.getProperty("weft.it.assemblies", "../jobs/target/weft"))
          .toAbsolutePath()
          .normalize();

  private WeftJars() {}

  /** The application jar of {@code spark-submit}, without compiler and LLVM. */
  public static Path executor() {
    return assembly("weft-executor.jar");
  }

  /** The same and the compiler, for the driver's class path alone. */
  public static Path driver() {
    return assembly("weft-driver.jar");
  }

  private static Path assembly(String name) {
    Path jar = FOLDER.resolve(name);
    if (!Files.isRegularFile(jar)) {
      throw new IllegalStateException(
          "expected the assembly " + jar + "; build it with: mvn package -pl jobs -am");
    }
    return jar;
  }

  /** A {@code weft} command line as a submission. */
  public static SparkApplication weft(Object... arguments) {
    return new SparkApplication(
        "org.weft.jobs.Weft",
        executor(),
        List.of(driver()),
        Map.of("spark.memory.offHeap.size", "512m"),
        java.util.Arrays.stream(arguments).map(Object::toString).toList());
  }
}
