package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
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
    String[] more = Boolean.getBoolean("weft.long") ? new String[] {"all"} : new String[0];
    assertThat(python("check_eval.py", more)).endsWith("done");
  }

  /** Values of every type, what is no operand, and processes that are interrupted or forked. */
  @Tag("long")
  @Test
  void pythonEvaluatesOrSaysWhatIsWrong() throws Exception {
    assertThat(python("check_eval_edges.py")).endsWith("done");
  }

  @Tag("long")
  @Test
  void theBenchmarkBesideSciPyHasARowForEachProduct() throws Exception {
    String matrix = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3\n2 1 4\n";
    Path file = Files.writeString(folder.resolve("a.mtx"), matrix);
    assertThat(python("beside_scipy.py", "1", file.toString()).lines().skip(1))
        .extracting(row -> row.replaceFirst("\tSciPy(\t[0-9.e+-]+){5}$", ""))
        .containsExactly(
            "A @ x\ta.mtx",
            "A @ D\ta.mtx",
            "A @ A\ta.mtx",
            "A @ x\t4 x 4",
            "A @ D\t4 x 4",
            "A @ A\t4 x 4");
  }

  /** What a program of {@code src/test/python} says. */
  private String python(String program, String... arguments) throws Exception {
    assumeTrue(runs("python3", "-c", "import numpy, scipy"), "no Python with NumPy and SciPy here");
    Path command = folder.resolve("weft");
    Files.writeString(
        command,
        "#!/bin/sh\nexec \"%s/bin/java\" -XX:TieredStopAtLevel=1 -cp \"%s\" org.weft.jobs.Weft \"$@\"\n"
            .formatted(System.getProperty("java.home"), System.getProperty("java.class.path")));
    assertThat(command.toFile().setExecutable(true)).isTrue();
    List<String> line = new ArrayList<>(List.of("python3", "src/test/python/" + program));
    line.addAll(List.of(arguments));
    ProcessBuilder python = new ProcessBuilder(line).redirectErrorStream(true);
    python.environment().put("WEFT_COMMAND", command.toString());
    python.environment().put("PYTHONPATH", "src/main/python");
    python.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Process process = python.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.strip();
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
