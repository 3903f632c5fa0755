package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The compiler that stays, alone and behind {@code weft.eval} of Python. */
class ResidentCommandTest {
  @TempDir private Path folder;

  @Test
  void everyLineHasAnAnswer() {
    String library = folder.resolve("k.so").toString();
    InputStream before = System.in;
    try {
      System.setIn(
          new ByteArrayInputStream(
              ("[\"y(i) = A(i,j) * x(j)\", \"-o\", \""
                      + library
                      + "\", \"-q\"]\n\n[\"y(i) = A(i\", \"-o\", \"x.so\"]\nnothing\n")
                  .getBytes(StandardCharsets.UTF_8)));
      Run run = Run.of("resident");
      List<String> answers = run.out().lines().toList();
      assertThat(run.status()).isZero();
      assertThat(answers).hasSize(3);
      assertThat(answers.get(0)).contains("\"status\":0", "\"message\":\"\"");
      assertThat(answers.get(1)).contains("\"status\":2", "WEFT-101");
      assertThat(answers.get(2)).contains("\"status\":2", "expected a JSON array of texts");
      assertThat(Path.of(library)).isRegularFile();
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void pythonEvaluates() throws Exception {
    assumeTrue(runs("python3", "-c", "import numpy, scipy"), "no Python with NumPy and SciPy here");
    Path command = folder.resolve("weft");
    Files.writeString(
        command,
        "#!/bin/sh\nexec \"%s/bin/java\" -XX:TieredStopAtLevel=1 -cp \"%s\" org.weft.jobs.Weft \"$@\"\n"
            .formatted(System.getProperty("java.home"), System.getProperty("java.class.path")));
    assertThat(command.toFile().setExecutable(true)).isTrue();
    ProcessBuilder python =
        new ProcessBuilder("python3", "src/test/python/check_eval.py").redirectErrorStream(true);
    python.environment().put("WEFT_COMMAND", command.toString());
    python.environment().put("PYTHONPATH", "src/main/python");
    python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Process process = python.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said.strip()).endsWith("done");
  }

  private static boolean runs(String... line) throws InterruptedException {
    try {
      return new ProcessBuilder(line)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
