package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.loop.Goldens;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Runs every one of the {@link TestedPrograms}. */
class ProgramRunnerTest {
  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(
          CompilerOptions.forThisHost().withOptimisation(Boolean.getBoolean("weft.long") ? 3 : 1));

  @TempDir Path folder;

  @ParameterizedTest
  @MethodSource("org.weft.compiler.program.TestedPrograms#names")
  void programsPrintWhatIsExpected(String name) throws IOException {
    String printed = run(name, TestedPrograms.text(name), TestedPrograms.files(name));
    Path expected = TestedPrograms.printed(name);
    if (Boolean.getBoolean("weft.golden.regenerate") && System.getenv("CI") == null) {
      Files.writeString(expected, printed);
    }
    assertThat(printed).isEqualTo(Files.readString(expected));
  }

  @Test
  void elapsedTimeIsPrinted() {
    String program =
        "def main() { var t0 = getTime(); var t1 = getTime(); printElapsedTime(t0, t1); }";
    assertThat(run("time.ta", program, Map.of())).matches("ELAPSED_TIME = 0\\.\\d{6}\\R");
  }

  @Test
  void randomValuesAreBelowOne() {
    String program =
        "def main() { IndexLabel [i] = [100]; Tensor<double> A([i], {Dense}); A[i] = random();"
            + " print(A); }";
    for (String value : run("random.ta", program, Map.of()).split("\n")[1].split(",")) {
      assertThat(Double.parseDouble(value)).isBetween(0.0, 1.0);
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aLoopEndsBeforeTheLargestNumber() {
    String program =
        "def main() { for n in range(9223372036854775800, 9223372036854775807, 5): print(n); end"
            + " for m in range(4, 4): print(m); end for o in range(5, 4): print(o); end }";
    assertThat(run("loop.ta", program, Map.of()).lines().filter(line -> line.contains(",")))
        .hasSize(2);
  }

  /** Wherever a statement puts it: in all cells, in a slice, on the diagonal or under a mask. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "int; 1.5",
        "int; -2147483649",
        "long; 9223372036854775808",
        "long; -0.5",
        "float; 1e39",
      })
  void aWrittenNumberMustFitTheType(String type, String number) {
    for (String target : List.of("Z[i, j]", "Z[s, j]", "Z[i, i]", "Z[s, s]", "Z[i, j]<M>")) {
      String program =
          ("def main() { IndexLabel [i, j] = [3]; IndexLabel [s] = [0:2]; Tensor<double> M([i, j], {CSR});"
              + (" M[i, j] = 1; Tensor<" + type + "> Z([i, j], {CSR}); Z[i, j] = 0;\n")
              + ("  " + target + " = " + number + "; }"));
      assertThatThrownBy(() -> run("number.ta", program, Map.of()))
          .as(target)
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("number.ta:2:3: error: ")
          .hasMessageContaining("as the type " + type + " has, found " + number)
          .extracting(e -> ((WeftException) e).code())
          .isEqualTo(ErrorCode.VALUE_OUT_OF_RANGE);
    }
  }

  /** A variable has no type that could cut a fraction off, or digits of a whole number. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "SUM(0.5 * N[i]); 4.5",
        "SUM(half * N[i]); 4.5",
        "SUM(N[i] / 2.0); 4.5",
        "SUM(abs(N[i])); 9",
        "SUM(abs(N[i] - 4)); 3",
        "SUM(max(S[i], -1)); 3",
        "SUM(abs(S[i])); 11",
        "SUM(N[i] / 2); 3",
        "SUM(6 / N[i]); 6",
        "SUM(9007199254740993 * N[i]); 81064793292668937",
        "min(large, large); 9007199254740993",
        "max(large, SUM(N[i])); 9007199254740993",
        "abs(-large); 9007199254740993",
        "large @(min) large; 9007199254740993",
        "n[] @(+) n[]; 14",
        "n[] @(-) 3; 4",
        "n[] @(*) n[]; 49",
        "half @(max) n[]; 7",
        "half @(min) 3; 0.5",
        "n[] @(+,*) n[]; 49",
        "n[] @(min,+) half; 7.5",
        "n[] @(or,and) 0; 0",
        "(n[] @(or,and) 3) + 1; 2",
        "n[] @(any,pair) half; 1",
        "SUM(N[i]) @(max,second) half; 0.5",
      })
  void scalarsAreComputedLikeTensors(String value, String printed) {
    String program =
        "def main() { IndexLabel [i] = [3]; IndexLabel [two] = [1:2]; Tensor<long> N([i], {Dense});"
            + " N[i] = 3; Tensor<long> L([i], {Dense}); L[i] = 3002399751580331; Tensor<int> n([], {Dense});"
            + " n[] = 7; Tensor<long> S([i], {Dense}); S[i] = -3; S[two] = 5; var half = 0.5; var large = SUM(L[i]);"
            + (" var x = " + value + "; print(x); n[] = " + value + "; print(n); }");
    assertThat(run("scalars.ta", program, Map.of()).lines().findFirst()).hasValue(printed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Z[i, i] = 2; 2,0,0,0,2,0,0,0,2,",
        "Z[i, i] = n[]; 7,0,0,0,7,0,0,0,7,",
        "Z[i, i] = x + 1; 1.5,0,0,0,1.5,0,0,0,1.5,",
        "Z[i, i] += x; 4.5,4,4,4,4.5,4,4,4,4.5,",
        "Z[s, s] = 2; 2,0,4,0,2,4,4,4,4,",
        "Z[i, i] = SUM(Z[i, j]); 36,0,0,0,36,0,0,0,36,",
        "Z[i, i] = sum(i, sum(j, Z[i, j])); 36,0,0,0,36,0,0,0,36,",
        "Z[i, j] = sum(j, n[] * Z[i, j]); 84,84,84,84,84,84,84,84,84,",
      })
  void aNumberMayFillADiagonal(String step, String printed) {
    for (String format : List.of("Dense", "CSR", "{CU, D}", "HashMatrix")) {
      String program =
          ("def main() { IndexLabel [i, j] = [3]; IndexLabel [s] = [0:2]; var x = 0.5;"
                  + " Tensor<int> n([], {Dense}); n[] = 7; Tensor<double> D([i, j], {Dense});"
                  + " Tensor<double> Z([i, j], FORMAT); Z[i, j] = 4; STEP D[i, j] = Z[i, j];"
                  + " print(D); }")
              .replace("FORMAT", format.startsWith("{") ? format : "{" + format + "}")
              .replace("STEP", step + ";");
      assertThat(run("fill.ta", program, Map.of())).isEqualTo("data = \n" + printed + "\n");
    }
  }

  /** A sum is converted to the type of the result once, in whatever order it is computed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "y[i] = A[i,j]; int; 2,2,4,",
        "Y[i,i] += A[i,j]; int; -5,-8,-8,-8,-5,-8,-8,-8,-3,",
        "s[] -= A[i,j]; int; -17,"
      })
  void sumsAreRoundedOnce(String statement, String type, String printed) throws IOException {
    Files.writeString(
        folder.resolve("a.mtx"),
        "3 3 9\n1 1 .5\n1 2 .5\n1 3 1.5\n2 1 .5\n2 2 .5\n2 3 1.5\n3 1 1.5\n3 2 1.5\n3 3 1.5\n");
    for (String format : List.of("CSR", "CSC", "COO", "Dense", "{Dense@1,0}")) {
      for (String result : List.of("Dense", "CSF")) {
        String labels = statement.substring(2, statement.indexOf(']')).replace("i,i", "i,k");
        String target = statement.charAt(0) + "[" + labels + "]";
        String kind = labels.isEmpty() ? "Dense" : result;
        String program =
            "def main() { IndexLabel [i, j, k] = [3]; Tensor<double> A([i, j], "
                + (format.startsWith("{") ? format : "{" + format + "}")
                + ("); A[i, j] = read(\"a.mtx\"); Tensor<" + type + "> " + target.charAt(0))
                + ("([" + labels + "], {" + kind + "}); " + target + " = -8; " + statement + ";")
                + (" Tensor<" + type + "> D([" + labels + "], {Dense}); D[" + labels + "] = 1 * ")
                + (target + "; print(D); }");
        assertThat(run("sums.ta", program, Map.of()))
            .as(program)
            .isEqualTo("data = \n" + printed + "\n");
      }
    }
  }

  /** The other cases of {@link #sumsAreRoundedOnce}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "y[i] += A[j,i]; float; -5.5,-5.5,-3.5,",
        "Y[i,k] = A[i,j] * A[j,k]; int; 2,2,3,2,2,3,3,3,6,",
        "y[i] += A[i,j]; int; -5,-5,-3,",
        "y[i] -= A[i,j]; long; -10,-10,-12,",
        "y[i] += 0.25 * A[i,i]; int; -7,-7,-7,",
        "y[i] = sum(j, A[i,j]) * 2; int; 5,5,9,",
        "Y[i,k] -= A[i,j] @(+,*) A[j,k]; int; -10,-10,-11,-10,-10,-11,-11,-11,-14,",
        "Y[i,k]<A[i,k]> += A[i,j] * A[j,k]; int; -5,-5,-4,-5,-5,-4,-4,-4,-1,",
        "s[] = A[i,j]; int; 9,"
      })
  void moreSumsAreRoundedOnce(String statement, String type, String printed) throws IOException {
    sumsAreRoundedOnce(statement, type, printed);
  }

  @Test
  void aTranspositionMayNameTheRangeOnTheLeftOtherwise() {
    String program =
        """
        def main() {
          IndexLabel [i] = [4];
          IndexLabel [v, w] = [1:3];
          IndexLabel [all] = [0:8:2];
          Tensor<double> A([i], {Dense});
          Tensor<double> B([i], {Dense});
          Tensor<double> L([8], {Dense});
          A[i] = 1.0;
          B[i] = 0.0;
          L[i] = 2.0;
          B[v] = transpose(A[w], {w});
          print(B);
          B[i] = transpose(L[all], {all});
          print(B);
        }
        """;
    assertThat(run("ranges.ta", program, Map.of()))
        .isEqualTo("data = \n0,1,1,0,\ndata = \n2,2,2,2,\n");
  }

  /** The mask has one entry, at (0,1). */
  @ParameterizedTest
  @ValueSource(strings = {"<M>", "<M[i, j]>", "<M[i, j], push>", "<M[i, j], pull>"})
  void masksOfATranspositionLieOnTheResult(String mask) throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i, j] = [2];
          Tensor<double> A([i, j], {Dense});
          Tensor<double> M([i, j], {CSR});
          Tensor<double> B([i, j], {Dense});
          A[i, j] = 3.0;
          M[i, j] = comet_read(0);
          B[i, j]%s = transpose(A[i, j], {j, i});
          print(B);
        }
        """;
    String file = write("mask.tns", "2 2 1\n0 1 1\n");
    assertThat(run("mask.ta", program.formatted(mask), Map.of("SPARSE_FILE_NAME0", file)))
        .isEqualTo("data = \n0,3,0,0,\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{Dense}", "{CSR}", "{DIA}"})
  void wholeNumbersKeepTheirDigits(String format) {
    String program =
        "def main() { IndexLabel [i, j] = [2]; IndexLabel [v, w] = [1:2]; Tensor<long> L([i, j], "
            + (format + "); L[i, j] = 9007199254740993; L[i, v] = 9007199254740995;")
            + " L[v, w] += 9007199254740992; Tensor<long> D([i, j], {D:0/2, D:0%2, D:1});"
            + " D[i, j] = L[i, j]; print(D); var s = SUM(L[v, i]); print(s); }";
    assertThat(run("digits.ta", program, Map.of()))
        .isEqualTo(
            "data = \n9007199254740993,9007199254740995,9007199254740993,18014398509481987,\n"
                + "27021597764222980\n");
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"{D, H}", "{D:0/2, D:1/2, D:0%2, D:1%2}"})
  void wholeNumbersKeepTheirDigitsInHashesAndTiles(String format) {
    wholeNumbersKeepTheirDigits(format);
  }

  /** Options and plans write formats in the same way. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{D:0/2, CU:1/3, D:0%2, D:1%3}",
        "{CU:0/2, CU:1/2, D:0%2, D:1%2}",
        "{CN?u[32,16], S}@1,0",
        "{CU?o, H[64,64]}",
        "{CSF@1,0}",
        "BCSR(2,3)",
        "{CSB(2,2)}",
        "{D, B}",
        "Dense"
      })
  void everyFormatIsDeclared(String format) throws IOException {
    String program =
        """
        def main() {
          IndexLabel [i] = [4];
          IndexLabel [j] = [6];
          Tensor<double> A([i, j], FORMAT);
          Tensor<double> B([i, j], {Dense});
          Tensor<double> s([], {Dense});
          B[i, j] = 2;
          A[i, j] = B[i, j];
          s[] = A[i, j];
          print(s);
        }
        """;
    assertThat(run("format.ta", program.replace("FORMAT", format), Map.of()))
        .isEqualTo("data = \n48,\n");
  }

  /** What only the data can show: the message names the step. */
  @Test
  void errorsWhileRunningPointAtTheStep() throws IOException {
    String declarations =
        """
        def main() {
          IndexLabel [i, j, k] = [?];
          IndexLabel [f] = [3];
          IndexLabel [r] = [2:9];
          IndexLabel [g, h] = [99999999999];
          IndexLabel [n] = [9];
          IndexLabel [v] = [5:8];
          IndexLabel [w] = [0:3];
          Tensor<double> A([i, j], {CSR});
          Tensor<double> B([j, k], {CSR});
          Tensor<double> C([i, k], {CSR});
          Tensor<double> F([f, j], {CSR});
          Tensor<double> T([i, j, k], {CSF});
          Tensor<double> X([j], {Dense});
          Tensor<double> Y([g, h], {Dense});
          Tensor<double> P([n], {Dense});
          Tensor<double> Q([n], {CSF});
        """;
    List<String> steps =
        List.of(
            "A[i, j] = comet_read(7);",
            "A[i, j] = comet_read(2);",
            "A[i, j] = comet_read(0); B[j, k] = comet_read(0); C[i, k] = A[i, j] * B[j, k];",
            "F[f, j] = comet_read(0);",
            "T[i, j, k] = comet_read(0);",
            "X[j] = 1.0; print(X);",
            "A[i, j] = comet_read(0); print(A[r, j]);",
            "A[i, j] = random();",
            "T[i, j, k] = comet_read(3);",
            "T[i, j, k] = comet_read(4);",
            "Y[g, h] = 1.0;",
            "Q[n] = 1.0; P[n] = 0.0; P[v] = transpose(Q[w], {w});",
            "P[n] = 1.0; Q[n] = 0.0; Q[n] += transpose(P[w], {w});");
    Map<String, String> files = new HashMap<>();
    files.put("SPARSE_FILE_NAME0", TestedPrograms.FOLDER.resolve("wide.mtx").toString());
    files.put("SPARSE_FILE_NAME2", "missing.mtx");
    files.put("SPARSE_FILE_NAME3", write("far.tns", "2 2 2 1\n0 0 2 1.5\n"));
    files.put("SPARSE_FILE_NAME4", write("more.tns", "2 2 2 1\n0 0 1 1.5\n0 1 1 2\n"));
    StringBuilder all = new StringBuilder();
    for (String step : steps) {
      assertThatThrownBy(() -> run("wrong.ta", declarations + "  " + step + "\n}", files))
          .as(step)
          .isInstanceOfSatisfying(
              WeftException.class,
              e -> all.append(e.code().label()).append(": ").append(e.getMessage()).append("\n\n"));
    }
    Goldens.check(
        "program-run-errors.txt",
        all.toString()
            .replace(folder.toString(), "FOLDER")
            .replaceAll("of which [0-9.]+ [A-Za-z]+ are", "of which MEMORY are"));
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String run(String name, String text, Map<String, String> environment) {
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(new LocalFiles(folder), environment, printed::append)
        .run(ProgramRunner.parse(new SourceText(name, text)), new Evaluator(COMPILER, 2));
    return printed.toString();
  }
}
