package org.weft.it.differential;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The benchmark's synthetic tensors, made small: the operations on them give right answers. */
final class GeneratedTensorTest {
  @ParameterizedTest(name = "{0} at {1}")
  @CsvSource({"nell-2, 0.0004", "uber, 0.004"})
  void everyMode(String shape, double scale, @TempDir Path folder) {
    Path input = folder.resolve("made.tns.gz");
    WeftCommand.runAlone("generate", shape, "--scale", scale, "--seed", 5, input, "-q");
    Entries tensor = Entries.read(input);
    for (int mode = 0; mode < tensor.order(); mode++) {
      new Operations(tensor, input, folder, 0, mode == 0).mttkrp(mode, 16, 3);
    }
  }
}
