package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.output.Console;

/** What a failed command says. */
final class ConsoleTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Console console =
      new Console(new PrintStream(err), new PrintStream(err, true, StandardCharsets.UTF_8));

  @Test
  void aFullHeapSaysHowLargeItIsAndHowToEnlargeIt() {
    int status =
        console.failed(new RuntimeException("a task", new OutOfMemoryError("Java heap space")));

    assertThat(status).isEqualTo(ErrorCode.OUT_OF_MEMORY.kind().exitStatus());
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("weft: " + ErrorCode.OUT_OF_MEMORY.label())
        .contains(Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB", "WEFT_JAVA_OPTS=-Xmx")
        .hasLineCount(1);
  }

  /** What a file holds must not steer the terminal, nor make two lines of one. */
  @Test
  void controlCharactersOfFilesAreNotPrinted() {
    String held = "found 'a\u001b[31m\u0007\u009b2J\u001cb\r\n\tc'";
    console.failed(new WeftException(ErrorCode.MALFORMED_INPUT, held));
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("weft: WEFT-300: found 'a\ufffd[31m\ufffd\ufffd2J\ufffdb c'\n");
    err.reset();
    console.usageError(held);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("weft: WEFT-100: found 'a\ufffd[31m\ufffd\ufffd2J\ufffdb c'\n");
  }

  @Test
  void stepsAreNumberedUnlessThereIsOne() {
    console.step("start Spark", 0, 1);
    console.step("read x.tns", 0, 2);
    console.step("pack", 1, 2);
    console.step("pack", 2, 2);
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("start Spark", "[1/2] read x.tns", "[2/2] pack");
  }
}
