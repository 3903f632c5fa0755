package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weft run}: files through the storage layer, exit status, errors. */
class RunCommandTest extends FolderCase {
  private static final String HEADER = "%%MatrixMarket matrix coordinate real general\n";

  private String program(String steps) {
    return Run.write(
        folder,
        "p.ta",
        "def main() {\n"
            + "  IndexLabel [i, j] = [?];\n"
            + "  Tensor<double> A([i, j], {CSR});\n"
            + "  Tensor<double> X([j], {Dense});\n"
            + "  Tensor<double> Y([i], {Dense});\n"
            + "  A[i, j] = read(\""
            + folder.resolve("a.mtx")
            + "\");\n"
            + steps
            + "}\n");
  }

  private void matrix() {
    Run.write(folder, "a.mtx", HEADER + "2 3 3\n1 1 1.5\n1 3 -2\n2 2 4\n");
  }

  @Test
  void runsAProgramAndPrintsOnStandardOutput() {
    matrix();
    Run run =
        Run.of(
            "run",
            program(
                "  X[j] = 2; Y[i] = A[i, j] * X[j]; print(Y); var s = SUM(A[i, j]); print(s);\n"));
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out()).isEqualTo("data = \n-1,8,\n3.5\n");
  }

  @Test
  void checkedKernelsGiveTheSameAnswer() {
    matrix();
    Run run =
        Run.of(
            "run",
            "--check",
            "--threads",
            "2",
            program("  X[j] = 2; Y[i] = A[i, j] * X[j]; print(Y);\n"));
    assertThat(run.out()).isEqualTo("data = \n-1,8,\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void denseProgramsOfCometRunWithItsOptions() {
    String text =
        Run.write(
            folder,
            "dense.ta",
            """
            def main() {
              IndexLabel [a, b, c, d] = [3];
              IndexLabel [e, f] = [2];
              Tensor<double> A([a, e, c, f], {Dense});
              Tensor<double> B([f, b, e, d], {Dense});
              Tensor<double> C([a, b, c, d], {Dense});
              A[a, e, c, f] = 2.0;
              B[f, b, e, d] = 0.5;
              C[a, b, c, d] = A[a, e, c, f] * B[f, b, e, d];
              var s = SUM(C[a, b, c, d]);
              print(s);
            }
            """);
    Run run =
        Run.line(
                "run --convert-tc-to-ttgt --opt-bestperm-ttgt --opt-matmul-tiling "
                    + "--opt-matmul-mkernel %s",
                text)
            .succeeds();
    assertThat(run.out()).contains("324");
    assertThat(run.err()).containsOnlyOnce("COMET's options for dense contractions change nothing");
  }

  @Test
  void writesThroughTheStorageLayer() {
    matrix();
    String output = folder.resolve("y.tns").toString();
    String text = program("  write(A, \"" + output + "\");\n");
    Run.of("run", text).succeeds();
    assertThat(Run.read(output)).contains("1 1 1.5", "1 3 -2", "2 2 4");
    Run again = Run.of("run", text);
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).startsWith("weft: WEFT-104: ").contains("p.ta:7:3", "^");
    Run late = Run.of("run", program("  print(A);\n  write(A, \"" + output + "\");\n"));
    assertThat(late.err()).startsWith("weft: WEFT-104: ").contains("p.ta:8:3", "^");
    assertThat(late.out()).as("nothing runs before outputs are checked").isEmpty();
    Run.of("run", "--overwrite", text).succeeds();
  }

  /**
   * A .tns without a header is as large as its coordinates: within what is declared, or refused.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "--master local[2]"})
  void declaredSizesHoldFilesThatStateNone(String where) {
    Run.write(folder, "small.tns", "1 2 1.5\n3 1 2\n");
    Run.write(folder, "large.tns", "1 2 1.5\n6 1 2\n");
    for (String format : List.of("CSR", "COO", "Dense")) {
      for (String file : List.of("small", "large")) {
        String program =
            Run.write(
                folder,
                "p.ta",
                """
                def main() {
                  IndexLabel [i] = [5];
                  IndexLabel [j] = [4];
                  Tensor<double> A([i, j], {FORMAT});
                  Tensor<double> x([j], {Dense});
                  Tensor<double> y([i], {Dense});
                  A[i, j] = read("FILE.tns");
                  x[j] = 2.0;
                  y[i] = A[i, j] * x[j];
                  print(y);
                }
                """
                    .replace("FORMAT", format)
                    .replace("FILE", folder + "/" + file));
        Run run = Run.of(("run " + program + " " + where).strip().split(" "));
        if (file.equals("small")) {
          assertThat(run.status()).as(run.err()).isZero();
          assertThat(run.out()).contains("3,0,4,0,0,");
        } else {
          assertThat(run.status()).isEqualTo(2);
          assertThat(run.err()).contains("large.tns is 6 x 2 but mode 0 of A is declared", "5");
        }
      }
    }
  }

  @Test
  void allErrorsOfAProgramAreShownWithCarets() {
    Run run = Run.of("run", program("  X[j] = ;\n  Y[i] = A[i, j] * B[j];\n"));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("weft: WEFT-101: ")
        .contains("p.ta:7:10: error: expected an operand", "p.ta:8:20: error: the tensor B", "^");
  }

  @Test
  void errorsWhileRunningNameTheStep() {
    Run run = Run.of("run", program(""));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("weft: WEFT-105: ").contains("p.ta:6:3: error: ", "a.mtx");
    assertThat(Run.of("run", folder.resolve("none.ta").toString()).err())
        .startsWith("weft: WEFT-105: ")
        .contains("none.ta");
  }

  @Test
  void dryRunChecksAndExplainShowsPlans() {
    matrix();
    String text = program("  X[j] = 2; Y[i] = A[i, j] * X[j]; print(Y);\n");
    Run dry = Run.of("run", "--dry-run", text).succeeds();
    assertThat(dry.out()).isEmpty();
    assertThat(dry.err()).contains("no errors");
    Run explained = Run.of("explain", "run", text).succeeds();
    assertThat(explained.out()).contains("p.ta:7: statement Y(i) = ", "compute ");
    assertThat(explained.out()).doesNotContain("data =");
  }

  /** The matrix that the program reads is not there, which only the work would find. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "  write(A, \"OUT\");\n  write(A, \"OUT\");\n",
        "  write(A, \"OUT\");\n  write(A, \"DIR/./y.tns\");\n",
        "  for n in range(0, 2, 1):\n    write(A, \"OUT\");\n  end\n",
        "\n  f();\n  f();\n}\ndef f() {\n  IndexLabel [i, j] = [3];\n"
            + "  Tensor<double> A([i, j], {CSR});\n  A[i, j] = 1;\n  write(A, \"OUT\");\n"
      })
  void aFileIsWrittenOnce(String steps) {
    String output = folder.resolve("y.tns").toString();
    String text = program(steps.replace("OUT", output).replace("DIR", folder.toString()));
    for (String option : List.of("-q", "--dry-run", "--reproducible")) {
      Run run = Run.of("run", option, text);
      assertThat(run.status()).as(run.out()).isEqualTo(2);
      assertThat(run.err()).startsWith("weft: WEFT-100: ").contains("expected one write", "p.ta:");
    }
    Run.of("run", "--dry-run", "--overwrite", text).succeeds();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"y.weft y.weft/x.tns", "y/x.tns y.weft/../y/x.tns/z.mtx", "y.weft/x.tns y.weft"})
  void aFileInTheFolderOfAnotherIsRefused(String places) {
    String[] at = places.split(" ");
    String text =
        program(
            "  write(A, \"%1$s/%2$s\");\n  write(A, \"%1$s/%3$s\");\n"
                .formatted(folder, at[0], at[1]));
    for (String option : List.of("-q", "--dry-run", "--reproducible", "--overwrite")) {
      Run.of("run", option, text)
          .fails(2, "p.ta:8:3: ", "expected a place for each output outside of the others");
    }
    assertThat(folder)
        .isDirectoryNotContaining(path -> path.getFileName().toString().startsWith("y"));
  }

  @Test
  void whatDoesNotRunWritesNothing() {
    matrix();
    String output = folder.resolve("y.tns").toString();
    String write = "write(A, \"" + output + "\");";
    String text =
        program(
            "  for n in range(0, 1, 1):\n    %s\n  end\n  for n in range(2, 2, 1):\n    %s\n  end\n  return;\n  %s\n"
                .formatted(write, write, write));
    Run.of("run", text).succeeds();
    assertThat(Run.read(output)).contains("1 3 -2");
  }

  /** The matrix that the program reads is not there, which only the work would find. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--dry-run", "--reproducible"})
  void outputsThatCannotBeWrittenAreRefusedBeforeTheWork(String option) {
    String text = program("  X[j] = 2; Y[i] = A[i, j] * X[j]; write(Y[i], \"y.xyz\");\n");
    Run run = option.isEmpty() ? Run.of("run", text) : Run.of("run", option, text);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("p.ta:7:", "y.xyz: expected a file name that ends in .mtx");
  }
}
