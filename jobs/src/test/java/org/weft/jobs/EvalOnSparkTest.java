package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weft eval --master}: what it prints is what one process prints. */
class EvalOnSparkTest {
  @TempDir Path folder;

  /** Numbers on the command line keep all their digits. */
  @ParameterizedTest
  @CsvSource({
    "long, 9007199254740993",
    "long, -9223372036854775808",
    "int, -2147483648",
    "double, 0.1",
    "float, 0.1"
  })
  void numbersAreThoseOfOneProcess(String type, String number) {
    String a = Run.write(folder, "a.tns", "1 1 1\n2 2 -1\n3 1 2\n");
    String[] inputs = {"--input", "A=" + a, "--input", "s=" + number, "--type", type};
    assertSame("y(i) = s * A(i,j)", inputs);
  }

  /** The value before an update, of any order; without it the update adds to zeros. */
  @ParameterizedTest
  @CsvSource({
    "s += A(i;j), s=9007199254740993, long",
    "s -= A(i;j), s=0.5, double",
    "s -= r * A(i;j), s=-2147483648, int",
    "s -= r - r, s=3, int",
    "s += r, , long",
    "y(i) -= A(i;j), y=FILE, double",
    "y(i) += r, y=FILE, double"
  })
  void updatesAddToTheValueBefore(String statement, @Nullable String before, String type) {
    String a = Run.write(folder, "a.tns", "1 1 1\n2 2 -1\n3 1 2\n");
    String y = Run.write(folder, "y.tns", "1 5\n3 7\n");
    List<String> options = new ArrayList<>(List.of("--type", type));
    for (String operand : List.of("A=" + a, "r=2")) {
      if (statement.contains(" " + operand.charAt(0))) {
        options.addAll(List.of("--input", operand));
      }
    }
    if (before != null) {
      options.addAll(List.of("--input", before.replace("FILE", y)));
    }
    assertSame(statement.replace(';', ','), options.toArray(String[]::new));
  }

  private static void assertSame(String statement, String... options) {
    List<String> arguments = new ArrayList<>(List.of("eval", statement));
    arguments.addAll(List.of(options));
    Run here = Run.of(arguments.toArray(String[]::new));
    assertThat(here.status()).as(here.err()).isZero();
    arguments.addAll(List.of("--master", "local[2]"));
    Run cluster = Run.of(arguments.toArray(String[]::new));
    assertThat(cluster.status()).as(cluster.err()).isZero();
    assertThat(cluster.out()).as("%s", arguments).isEqualTo(here.out());
  }
}
