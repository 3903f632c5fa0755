package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.SourceText;
import org.weft.error.WeftException;

/** What a label with a range means where it has as many values as the mode has coordinates. */
class AddressedPartsTest {
  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1));

  private static final String LABELS =
      """
      def main() {
        IndexLabel [i] = [2];
        IndexLabel [four] = [4];
        IndexLabel [all] = [0:4];
        IndexLabel [open] = [?];
        IndexLabel [o, p] = [1:5];
        IndexLabel [even] = [0:8:2];
      """;

  @TempDir Path folder;

  /** The range ends behind the mode, so that it is no part of it. */
  @ParameterizedTest
  @CsvSource({
    "4, o", "four, o", "all, o", "?, o", "open, o", "even, o", "o, even", "4, even", "?, even"
  })
  void aRangeThatDoesNotFitIsNotTheWholeMode(String mode, String label) throws IOException {
    String read = "  A[x, y] = comet_read(0);\n";
    for (String use :
        new String[] {
          "  Y[i] = A[i, %s];\n", "  A[i, %s] = 1;\n", "  A[i, %s] += 1;\n", "  print(A[i, %s]);\n"
        }) {
      String program =
          LABELS
              + "  Tensor<double> A([i, %s], {CSR});\n".formatted(mode)
              + "  Tensor<double> Y([i], {Dense});\n"
              + read
              + use.formatted(label)
              + "}\n";
      assertThatThrownBy(() -> run(program))
          .as(program)
          .isInstanceOf(WeftException.class)
          .hasMessageMatching(
              "(?s).*the label " + label + " runs (from [01] )?to [58] but.*size 4.*");
    }
  }

  /** Labels of one range stand for each other, and a label gives an open mode its size. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Tensor<double> Z([p], {Dense}); Z[o] = B[o]; print(Z[p]); print(Z[o]);",
        "Tensor<double> Z([?], {Dense}); Z[o] = B[o]; Z[o] += 0 * B[o]; print(Z[p]); print(Z);",
        "Tensor<double> Z([open], {Dense}); Z[p] = B[p]; print(Z[o]); print(Z);"
      })
  void aRangeCountsInTheModesThatItMade(String steps) throws IOException {
    String program =
        LABELS
            + "  IndexLabel [b] = [6];\n  Tensor<double> B([b], {Dense});\n"
            + "  B[b] = 1;\n  B[o] = 2;\n  "
            + steps
            + "\n}\n";
    assertThat(run(program)).isEqualTo("data = \n2,2,2,2,\n".repeat(2));
  }

  private String run(String program) throws IOException {
    String file =
        Files.writeString(folder.resolve("a.tns"), "2 4 3\n0 0 1\n1 3 2\n1 1 4\n").toString();
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(new LocalFiles(folder), Map.of("SPARSE_FILE_NAME0", file), printed::append)
        .run(ProgramRunner.parse(new SourceText("ranges.ta", program)), new Evaluator(COMPILER, 2));
    return printed.toString();
  }
}
