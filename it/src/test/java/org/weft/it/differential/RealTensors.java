package org.weft.it.differential;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * The folder of real tensors, {@code -Dweft.it.data}; tests skip, saying so, where it is absent.
 */
public final class RealTensors {
  private RealTensors() {}

  /** The file of a tensor, or skips the calling test with a printed reason. */
  public static Path fileOrSkip(String name) {
    Path file =
        Path.of(System.getProperty("weft.it.data", "../../shared/data"))
            .toAbsolutePath()
            .normalize()
            .resolve(name + ".tns.gz");
    if (!Files.isReadable(file)) {
      String reason = "skipped: no tensor " + name + ": " + file + " is not there";
      System.out.println(reason);
      Assumptions.abort(reason);
    }
    return file;
  }
}
