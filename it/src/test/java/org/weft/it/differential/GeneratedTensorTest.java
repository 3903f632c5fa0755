package org.weft.it.differential;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark's synthetic tensors, made small: the operations on them give right answers. */
final class GeneratedTensorTest {
  @Test
  void everyModeOfUber(@TempDir Path folder) {
    everyMode("uber", 0.004, folder);
  }

  @Tag("long")
  @Test
  void everyModeOfNell2(@TempDir Path folder) {
    everyMode("nell-2", 0.0004, folder);
  }

  private static void everyMode(String shape, double scale, Path folder) {
    Path input = folder.resolve("made.tns.gz");
    WeftCommand.runAlone("generate", shape, "--scale", scale, "--seed", 5, input, "-q");
    Entries tensor = Entries.read(input);
    for (int mode = 0; mode < tensor.order(); mode++) {
      new Operations(tensor, input, folder, 0, mode == 0).mttkrp(mode, 16, 3);
    }
  }
}
