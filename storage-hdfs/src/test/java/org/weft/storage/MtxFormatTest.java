package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a {@code .mtx} file means. */
class MtxFormatTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "'coordinate real general|% c||2 3 2|1 1 1.5|2 3 -2', '0 0 1.5, 1 2 -2.0'",
    "'coordinate integer general|2 3 1|2 3 -2', '1 2 -2.0'",
    "'coordinate pattern general|2 3 1|2 3', '1 2 1.0'",
    "'coordinate pattern symmetric|3 3 2|2 1|3 3', '1 0 1.0, 0 1 1.0, 2 2 1.0'",
    "'coordinate real symmetric|3 3 1|3 1 4', '2 0 4.0, 0 2 4.0'",
    "'coordinate real skew-symmetric|3 3 1|3 1 4', '2 0 4.0, 0 2 -4.0'",
    "'array real general|2 2|1|2|3|0', '0 0 1.0, 1 0 2.0, 0 1 3.0, 1 1 0.0'",
    "'array real symmetric|2 2|1|2|3', '0 0 1.0, 1 0 2.0, 0 1 2.0, 1 1 3.0'",
    "'array real skew-symmetric|2 2|7', '1 0 7.0, 0 1 -7.0'",
    "'COORDINATE Double General|1 1 1|1 1 1e-3', '0 0 0.001'"
  })
  void reads(String text, String expected) throws Exception {
    Path file = folder.resolve("m.mtx");
    Files.writeString(file, "%%MatrixMarket matrix " + text.replace("|", "\r\n"));
    for (long split = 1; split < 40; split++) {
      InputPlan plan =
          TensorFiles.open(
              Entries.ACCESS,
              file.toString(),
              ReadOptions.defaults().withBlockEntries((int) split),
              split);
      assertThat(String.join(", ", Entries.read(plan))).isEqualTo(expected);
    }
  }

  /** A first line of any length begins like a comment, but is none that may be passed over. */
  @ParameterizedTest
  @CsvSource({"1, true", "1, false", "2, false", "3, false", "4, false"})
  void linesThatAreTooLongAreNamed(int line, boolean comment) throws Exception {
    String[] lines = {
      "%%MatrixMarket matrix coordinate real general", "% a comment", "2 3 1", "1 2 4"
    };
    String more = (comment ? " " : "7").repeat(300_000);
    lines[line - 1] = (line == 2 ? "2" : lines[line - 1]) + more;
    Path file = folder.resolve("m.mtx");
    Files.writeString(file, String.join("\n", lines) + "\n");
    assertThatThrownBy(
            () ->
                Entries.read(
                    TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults())))
        .hasMessageContaining("m.mtx:" + line + ": expected a line of at most 262144 bytes");
  }
}
