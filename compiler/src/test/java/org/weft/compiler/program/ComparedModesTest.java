package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceText;

/** Classes of modes that programs compare. */
class ComparedModesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j]; | ''",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,k] = A[i,j] * B[j,k]; | a1 b0",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j] + B[i,j]; | a0 b0, a1 b1",
        "A[i,j] = read(a); C[i,k] = A[i,j] * A[k,j]; | ''",
        "A[i,j] = read(a); C[i,k] = A[i,j] * A[j,k]; | a0 a1",
        // through another tensor, a transposition by position, and masks
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j]; D[i,k] = C[i,j] * B[k,j]; | a1 b1",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = transpose(A[i,j], {j,i}); D[i,j] = C[i,j] + B[i,j]; | a0 b1, a1 b0",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j]<B> = A[i,j] * A[i,j]; | a0 b0, a1 b1",
        // numbers compare by themselves
        "A[i,j] = read(a); B[i,j] = read(b); var s = SUM(A[i,j] * B[i,k]); print(s); | a0 b0",
        "A[i,j] = read(a); B[i,j] = read(b); var s = SUM(A[i,j]) / SUM(B[i,j]); print(s); | ''",
        // a tensor that is assigned anew is another one, unless a loop carries it on
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j]; C[i,j] = B[i,j]; | ''",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j]; C[i,j] += B[i,j]; | a0 b0, a1 b1",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j]; for n in range(0, 2): D[i,j] = C[i,j]; C[i,j] = B[i,j]; end | a0 b0, a1 b1",
        "A[i,j] = read(a); A[i,j] = read(b); C[i,j] = A[i,j]; | ''",
        // through files, of which those that the program writes are no inputs
        "A[i,j] = read(a); write(A, f); B[i,j] = read(\"./f\"); C[i,j] = read(c); D[i,j] = B[i,j] + C[i,j]; | a0 c0, a1 c1",
        // a slice counts coordinates of its file
        "A[i,j] = read(a); B[i,j] = read(b); C[s,j] = A[s,j] + B[s,j]; | a1 b1",
        "A[i,j] = read(a); B[i,j] = read(b); C[i,j] = A[i,j] + B[i,j]; print(A[s,j]); | a1 b1",
      })
  void modesThatShareLabelsAreOneClass(String steps, String expected) {
    String text =
        "def main() { IndexLabel [i, j, k] = [?]; IndexLabel [s] = [0:2];\n"
            + "Tensor<double> A([i, j], {CSR}); Tensor<double> B([i, j], {CSR});\n"
            + "Tensor<double> C([i, j], {CSR}); Tensor<double> D([i, j], {CSR});\n"
            + steps.replaceAll("(read\\(|, )([a-f])\\)", "$1\"$2\")")
            + "\n}";
    Program program = ProgramRunner.parse(new SourceText("p.ta", text));
    String classes =
        new ComparedModes(program)
            .classes(read -> Optional.of(((Program.ReadUri) read).uri())).stream()
                .map(
                    modes ->
                        modes.stream()
                            .map(mode -> mode.uri() + mode.mode())
                            .collect(Collectors.joining(" ")))
                .sorted()
                .collect(Collectors.joining(", "));
    assertThat(classes).isEqualTo(expected);
  }
}
