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

  /**
   * Zeros that fill a format up, written ones and sums that are 0 are no entries, here and there.
   */
  @ParameterizedTest
  @CsvSource({
    "BCSR(2;2), y(i) = A(i;j) @(min;first) A(i;j), Dense",
    "BCSR(2;2), C(i;j)<A(i;j)> = 2 * B(i;j), CSR",
    "BCSR(2;2), C(i;j) = 2 * A(i;j) + B(j;i), BCSR(2;2)",
    "DIA, C(i;j) = A(i;j) @(min) B(j;i), CSR",
    "DIA, y(i) = A(i;j) @(+;pair) B(i;j), Dense",
    "CDR, s = A(i;j) @(min;+) B(j;i), Dense",
    "CSR, C(i;j) = 2 * A(i;j), CDR",
    "ModeGeneric(1), C(i;k) = A(i;j) * B(j;k), COO",
    "ModeGeneric(1), C(i;j) -= A(i;j), ModeGeneric(1)"
  })
  void zerosOfFormatsThatPadAreNoEntries(String format, String statement, String result) {
    String a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n4 4 8\n1 1 5\n1 4 2\n2 2 3\n4 1 1\n"
                + "4 3 4\n4 4 0\n3 2 7\n3 2 -7\n");
    String b = Run.write(folder, "b.tns", "1 1 2\n1 2 6\n4 3 -8\n4 4 1\n2 4 9\n");
    List<String> options = new ArrayList<>();
    for (String operand : List.of("A=" + a, "B=" + b)) {
      String name = operand.substring(0, 1);
      if (statement.contains(name + "(")) {
        options.addAll(List.of("--input", operand, "--format", name + "=" + format));
      }
    }
    options.addAll(List.of("--format", statement.charAt(0) + "=" + result));
    assertSame(
        statement.replace(';', ','),
        options.stream().map(o -> o.replace(';', ',')).toArray(String[]::new));
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
