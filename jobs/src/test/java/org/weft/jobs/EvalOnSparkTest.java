package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft eval} and {@code run} on a cluster: what they print is what one process prints. */
class EvalOnSparkTest extends FolderCase {
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
    "s -= r - r, s=3, int",
    "y(i) -= A(i;j), y=FILE, double"
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

  /** The other cases of {@link #updatesAddToTheValueBefore}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "s -= A(i;j), s=0.5, double",
    "s -= r * A(i;j), s=-2147483648, int",
    "s += r, , long",
    "y(i) += r, y=FILE, double"
  })
  void moreUpdatesAddToTheValueBefore(String statement, @Nullable String before, String type) {
    updatesAddToTheValueBefore(statement, before, type);
  }

  /** Files of coordinates have the sizes of all their labels, here and there. */
  @ParameterizedTest
  @ValueSource(strings = {"C(i,j) = E(i,j) + E(j,i)", "d(i) = E(i,i)", "v(k) -= E(k,j)"})
  void sizesAreThoseOfAllLabelsOfAMode(String statement) {
    String e = Run.write(folder, "e.tns", "1 2 2\n1 3 3\n2 3 1\n3 4 5\n");
    String v = Run.write(folder, "v.tns", "2 10\n7 1\n");
    List<String> options = new ArrayList<>(List.of("--input", "E=" + e));
    if (statement.startsWith("v")) {
      options.addAll(List.of("--input", "v=" + v));
    }
    assertSame(statement, options.toArray(String[]::new));
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"C(i,k) = E(i,j) * E(j,k)", "s = E(i,j) * E(j,k) * E(i,k)"})
  void sizesOfProductsAreThoseOfAllLabelsOfAMode(String statement) {
    sizesAreThoseOfAllLabelsOfAMode(statement);
  }

  /** Sizes that a file or an option gives stay as they are. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,k) = A(i,j) * A(j,k) |",
        "y(i) = A(i,j) * E(j,i)   | --size i=5",
        "C(i,k) = E(i,j) * E(j,k) | --size k=3",
        "d(i) = E(i,i) + A(i,j)   |"
      })
  void givenSizesDoNotGrow(String expression, @Nullable String option) {
    String a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 2\n2 3 5\n");
    String e = Run.write(folder, "e.tns", "1 2 2\n1 3 3\n2 3 1\n3 4 5\n");
    List<String> arguments = new ArrayList<>(List.of("eval", expression));
    for (String input : List.of("A=" + a, "E=" + e)) {
      if (expression.contains(input.charAt(0) + "(")) {
        arguments.addAll(List.of("--input", input));
      }
    }
    arguments.addAll(option == null ? List.of() : List.of(option.split(" ")));
    for (List<String> place : List.of(List.<String>of(), List.of("--master", "local[1]"))) {
      arguments.addAll(place);
      Run run = Run.of(arguments.toArray(String[]::new));
      assertThat(run.err()).as(run.out()).contains("WEFT-103", "has size");
      assertThat(run.status()).isEqualTo(2);
    }
  }

  /**
   * Zeros that fill a format up, written ones and sums that are 0 are no entries, here and there.
   */
  @ParameterizedTest
  @CsvSource({
    "BCSR(2;2), y(i) = A(i;j) @(min;first) A(i;j), Dense",
    "DIA, y(i) = A(i;j) @(+;pair) B(i;j), Dense",
    "CSR, C(i;j) = 2 * A(i;j), CDR",
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

  /** The other cases of {@link #zerosOfFormatsThatPadAreNoEntries}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({
    "BCSR(2;2), C(i;j) = 2 * A(i;j) + B(j;i), BCSR(2;2)",
    "CDR, s = A(i;j) @(min;+) B(j;i), Dense",
    "BCSR(2;2), C(i;j)<A(i;j)> = 2 * B(i;j), CSR",
    "DIA, C(i;j) = A(i;j) @(min) B(j;i), CSR",
    "ModeGeneric(1), C(i;k) = A(i;j) * B(j;k), COO"
  })
  void moreZerosOfFormatsThatPadAreNoEntries(String format, String statement, String result) {
    zerosOfFormatsThatPadAreNoEntries(format, statement, result);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"BCSR(2,3)", "DIA", "CDR", "ModeGeneric(1)", "CSR"})
  void programsPrintAndWriteTheNonzerosOfMoreFormats(String format) {
    programsPrintAndWriteTheNonzerosOfFormatsThatPad(format);
  }

  /** Blocks, diagonals and fibers of zeros are neither printed nor written. */
  @ParameterizedTest
  @ValueSource(strings = "{CU, D}")
  void programsPrintAndWriteTheNonzerosOfFormatsThatPad(String format) {
    String x = Run.write(folder, "x.tns", "2 0\n5 3\n");
    String a = Run.write(folder, "a.tns", "1 1 5\n1 1 -5\n2 3 1\n3 7 2\n5 2 0\n5 5 1\n");
    StringBuilder text = new StringBuilder("def main() {\n  IndexLabel [i] = [5];\n");
    text.append("  IndexLabel [j] = [7];\n  Tensor<double> x([i], {Dense});\n");
    String levels = format.startsWith("{") ? format : "{" + format + "}";
    for (String name : List.of("A([i, j]", "B([i, j]", "C([j, i]", "D([i, j]")) {
      text.append("  Tensor<double> ").append(name).append(", ").append(levels).append(");\n");
    }
    text.append("  x[i] = read(\"" + x + "\");\n  A[i, j] = read(\"" + a + "\");\n");
    text.append("  B[i, j] = x[i];\n  C[j, i] = B[i, j] - A[i, j];\n");
    text.append("  D[i, j] = A[i, j] - A[i, j];\n");
    for (String name : List.of("A", "B", "C", "D")) {
      text.append("  print(" + name + ");\n");
      text.append("  write(" + name + ", \"" + folder.resolve(name + ".tns") + "\");\n");
    }
    String program = Run.write(folder, "p.ta", text + "}\n");
    List<String> found = new ArrayList<>();
    for (List<String> place : List.of(List.<String>of(), List.of("--master", "local[2]"))) {
      List<String> arguments = new ArrayList<>(List.of("run", "--overwrite", program));
      arguments.addAll(place);
      Run run = Run.of(arguments.toArray(String[]::new)).succeeds();
      found.add(run.out());
      for (String name : List.of("A", "B", "C", "D")) {
        List<String> lines = Run.read(folder.resolve(name + ".tns").toString()).lines().toList();
        if (!format.equals("CSR")) {
          assertThat(lines)
              .as("%s %s", name, place)
              .noneMatch(line -> line.matches("\\d+ \\d+ -?0"));
        }
        found.add(name + lines.stream().filter(line -> !line.startsWith("#")).sorted().toList());
      }
    }
    int half = found.size() / 2;
    assertThat(found.subList(half, found.size())).isEqualTo(found.subList(0, half));
  }

  /** A scalar is an array of order 0, as NumPy has it, which is an operand again. */
  @ParameterizedTest
  @CsvSource({
    "s = A(i;j) * A(i;j), double, <f8, 29",
    "s = A(i;j) * 0.25, double, <f8, 1.75",
    "s = A(i;j) * 4611686018427387904, long, <i8, -4611686018427387904",
    "s = A(i;j) * A(j;i), float, <f8, 0", // of no entries
    "s = 3, int, <i8, 3"
  })
  void aScalarIsAnArrayOfOrder0(String statement, String type, String stored, String value)
      throws Exception {
    String a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 2\n2 3 5\n");
    Path out = folder.resolve("s.npy");
    String input = statement.contains("A(") ? " --input A=" + a : "";
    for (String place : List.of("", " --master local[2]")) {
      String line =
          "eval|" + statement.replace(';', ',') + input.replace(' ', '|') + "|--type|" + type;
      String written = line + "|--overwrite|--output|" + out + place.replace(' ', '|');
      Run.of(written.split("\\|")).succeeds();
      String header = new String(Files.readAllBytes(out), StandardCharsets.ISO_8859_1);
      assertThat(header).contains("'descr': '" + stored + "'", "'shape': ()");
      assertThat(header.length() % 64).isEqualTo(8);
      Run read = Run.of("eval", "t = 1 * s", "--type", type, "--input", "s=" + out);
      assertThat(read.out()).isEqualTo(value + "\n");
    }
  }

  private static void assertSame(String statement, String... options) {
    List<String> arguments = new ArrayList<>(List.of("eval", statement));
    arguments.addAll(List.of(options));
    Run here = Run.of(arguments.toArray(String[]::new)).succeeds();
    arguments.addAll(List.of("--master", "local[2]"));
    Run cluster = Run.of(arguments.toArray(String[]::new)).succeeds();
    assertThat(cluster.out()).as("%s", arguments).isEqualTo(here.out());
  }
}
