package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.npy.NpyFile;

/** A statement has the same entries as an expression, in parts, and in a program. */
final class AlikeEverywhereTest {
  @TempDir Path folder;

  /** The entries of {@code A}, which the program assigns. */
  private String program(String format, String statements, String more) {
    Path out = folder.resolve("out.tns");
    String file =
        Run.write(
            folder,
            "fill.ta",
            "def main() { IndexLabel [i] = [2]; IndexLabel [j] = [3]; Tensor<double> A([i, j], {"
                + format
                + "}); "
                + statements
                + " write(A, \""
                + out
                + "\"); }");
    Run run = Run.line("run --overwrite %s" + more, file);
    assertThat(run.status()).as(run.err()).isZero();
    return Run.read(out.toString())
        .lines()
        .filter(line -> line.split(" ").length == 3 && !line.startsWith("#"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static String eval(String statement, String more, Object... values) {
    Object[] all = new Object[values.length + 1];
    all[0] = statement;
    System.arraycopy(values, 0, all, 1, values.length);
    Run run = Run.line("eval -q %s" + more, all);
    assertThat(run.status()).as(run.err()).isZero();
    return run.out();
  }

  /** The number 0 is what cells without entries have, so a sparse tensor stores none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CSR",
        "CSC",
        "DCSR",
        "COO",
        "CSF",
        "ELL",
        "DIA",
        "CDR",
        "BCSR(1,1)",
        "HashMatrix"
      })
  void zeroStoresNothingInASparseTensor(String format) {
    for (String parts : List.of("", " --reproducible")) {
      String sizes = " --size i=2 --size j=3 --format A=" + format + parts;
      for (String zero : List.of("0", "0.0", "-0.0", "-0")) {
        assertThat(program(format, "A[i, j] = 1; A[i, j] = " + zero + ";", parts)).isEmpty();
        assertThat(eval("A(i,j) = " + zero, sizes)).isEmpty();
      }
      assertThat(eval("A(i,j) = 5", sizes).lines()).hasSize(6);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " --reproducible"})
  void zeroStoresACellOfADenseTensor(String parts) {
    String cells = "1 1 0\n1 2 0\n1 3 0\n2 1 0\n2 2 0\n2 3 0\n";
    assertThat(program("Dense", "A[i, j] = 1; A[i, j] = 0;", parts)).isEqualTo(cells);
    assertThat(eval("A(i,j) = 0", " --size i=2 --size j=3 --format A=Dense" + parts))
        .isEqualTo(cells);
  }

  /** Adding 0 to a sparse tensor changes nothing, and adds no entries. */
  @ParameterizedTest
  @ValueSource(strings = {"", " --reproducible"})
  void zeroAddsNothingToASparseTensor(String parts) {
    String a = Run.write(folder, "a.tns", "1 2 4\n2 3 0\n");
    for (String assigned : List.of(" += 0", " -= 0")) {
      assertThat(eval("A(i,j)" + assigned, " --input A=%s" + parts, a)).isEqualTo("1 2 4\n2 3 0\n");
      assertThat(program("CSR", "A[i, j] = read(\"" + a + "\"); A[i, j]" + assigned + ";", parts))
          .isEqualTo("1 2 4\n2 3 0\n");
    }
  }

  /** An array is dense however few cells it has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "y(i) = A(i,j) | 0 | 3 |",
        "y(j) = A(i,j) | 0 | 3 | 1 0,2 0,3 0",
        "y(i) = A(i,j) | 3 | 0 | 1 0,2 0,3 0",
        "y(j) = A(i,j) | 3 | 0 |",
        "y(j) = 2 * A(i,j) | 0 | 3 | 1 0,2 0,3 0",
        "y = A(i,j) | 3 | 0 | 0",
      })
  void anArrayWithoutCellsIsAnArray(String statement, long rows, long columns, String expected)
      throws IOException {
    Path array = folder.resolve("a.npy");
    try (OutputStream out = Files.newOutputStream(array)) {
      NpyFile.writeArray(out, new double[0], rows, columns);
    }
    String lines = expected == null ? "" : expected.replace(',', '\n') + "\n";
    for (String parts : List.of("", " --reproducible")) {
      assertThat(eval(statement, " --input A=%s" + parts, array)).as(parts).isEqualTo(lines);
    }
  }
}
