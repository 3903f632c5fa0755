package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.ProgramParser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.loop.Goldens;
import org.weft.compiler.program.check.ProgramChecker;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Errors that are found before a program runs. */
class ProgramErrorsTest {
  private static final String NAMES =
      """
      def main() {
        IndexLabel [i, j, k] = [?];
        IndexLabel [m, n] = [4];
        IndexLabel [p] = [5];
        IndexLabel [w] = [0:9:2];
        Tensor<double> A([i, j], {CSR});
        Tensor<double> B([j, k], {Dense});
        Tensor<double> M([m, n], {Dense});
        Tensor<double> P([p], {Dense});
        Tensor<double> U([i, j], {CSR});
        A[i, j] = comet_read(0);
        B[j, k] = 1.0;
        M[m, n] = 1.0;
        P[p] = 1.0;
        var s = 1;
      """;

  /** Texts of whole programs, then steps that stand after the declarations above. */
  private static final List<String> PROGRAMS =
      List.of(
          "",
          "main() { }",
          "def main( { }",
          "def main() {",
          "def main(n) { print(1); }",
          "def other() { print(1); }",
          "def main() { print(1) }",
          "def main() { print(1); } } def main() { }",
          "def main() { IndexLabel [i = [4]; IndexLabel [j] = 4; IndexLabel [k] = [4:2];"
              + " IndexLabel [l] = [0:4:0]; IndexLabel [m] = [x]; IndexLabel [] = [2]; }",
          "def main() {\n  IndexLabel [i] = [?];\n  Tensor<quad> A([i], {Dense});\n"
              + "  Tensor B([i], {Dense});\n  Tensor<double> ([i], {Dense});\n"
              + "  Tensor<double> C(i, {Dense});\n  Tensor<double> D([i] {Dense});\n"
              + "  Tensor<double> E([i], );\n  Tensor<double> F([i], {CSR});\n"
              + "  Tensor<double> G([i, i], {D, XU});\n  Tensor<double> H([i, i], {D, CU);\n"
              + "  Tensor<double> I([i, i], CSF@0,2);\n}",
          "def main() { def other() { } }",
          "def main() { again(); } def again() { main(); }",
          "def main() { print(1); } def main() { print(2); }",
          "def main() {\n  IndexLabel [i, j] = [?] # sizes\n  Tensor<double> A([i, j], {CSR})\n"
              + "  A[i, j] = read(\"a.mtx\")\n  var s = SUM(A[i, j])\n  print(s)\n  A[i, j] = nothing\n"
              + "  print(q);\n}",
          "def main() { IndexLabel [i] = [-1]; IndexLabel [\u00e4] = [2]; }");

  private static final List<String> STEPS =
      List.of(
          "A[i, j] = comet_read(x); A[i, j] = comet_read(0, 6); A[i, j] += comet_read(0);"
              + " A[i, j] = read(a.mtx); write(A); write(A, \"a.mtx);",
          "B[j, k] = A[i, j] * ; B[j, k] A[i, j]; B[j, k] = (A[i, j]; B[j, k] = A[i, j] B[j, k];",
          "B[j, k]<A, shove> = A[i, j] * B[j, k]; B[j, k]<> = A[i, j];"
              + " B[j, k] = A[i, j] @(plus,*) B[j, k]; B[j, k] = A[i, j] @ B[j, k];",
          "IndexLabel [i] = [3]; Tensor<double> A([i], {Dense}); Tensor<double> C([x], {Dense});"
              + " Tensor<double> s([i], {Dense});",
          "C[i] = 1.0; AA[i, j] = 1.0; B[j, k] = A[i, x] * B[x, k]; B[j] = 1.0;"
              + " B[j, k] = A[i, j, k];",
          "M[m, n] = P[m] * P[n];\n  M[m, p] = M[m, n] * M[n, m];\n  M[w, n] = 0.0 * M[m, n];",
          "B[i, k] = U[i, j] * B[j, k]; print(U); U[i, j] = A[i, j]; print(U);",
          "var t = A[i, j]; var A = 3; r += 1; print(q + 1); print(SUM(Q[i, j]));"
              + " var v = SUM(U[i, j]); print(A + 1); s = S * 2;",
          "for n range(3): print(n); end\n  for m in range(a): print(1); end"
              + "\n  for o in range(0, 4, 0): print(o); end\n  for q in range(2): print(q);",
          "nothing(); print(); printElapsedTime(s); getTime(); write(s, \"s.mtx\"); M(m, n) = 1;",
          "P[p] = comet_read(0, 2);",
          "P[p] = pow(P[p], 2); P[p] = max(p, P[p]); M[m, n]<!U> = M[m, n];",
          "M[m, n] = 1 % 2; P[p] = 1 $ 3; print(\"text\");",
          "Tensor<int> N([m], {Dense}); N[m] = random(); Tensor<long> z([], {CSF}); z[] = random();"
              + " z = 2; print(z);",
          "A[i, j] = raed(\"a.mtx\"); A[i, j] = open(\"a.mtx\", 1); print(q);",
          "Tensor<double> z([], {Dense}); z[] = 1; write(z, \"z.tns\"); write(z[], \"z.npy\");");

  @Test
  void errorsHavePositionCaretAndAdvice() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String text : PROGRAMS) {
      all.append(errors(text)).append("\n\n");
    }
    for (String steps : STEPS) {
      all.append(errors(NAMES + "  " + steps + "\n}\n")).append("\n\n");
    }
    Goldens.check("program-errors.txt", all.toString());
  }

  private static String errors(String text) {
    StringBuilder message = new StringBuilder();
    assertThatThrownBy(() -> ProgramRunner.parse(new SourceText("wrong.ta", text)))
        .as(text)
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_EXPRESSION);
              message.append(e.getMessage());
            });
    return message.toString();
  }

  @Test
  void randomProgramsNeverCrash() {
    List<String> pieces =
        List.of(
            "def",
            "main",
            "()",
            "{",
            "}",
            "IndexLabel",
            "Tensor",
            "<double>",
            "[i, j]",
            "[",
            "]",
            "(",
            ")",
            "=",
            "+=",
            "?",
            "4",
            "0:8:2",
            ";",
            ";",
            ";",
            "A",
            "B",
            "A[i, j]",
            "B[j]",
            "{CSR}",
            "{D, CU}",
            "Dense",
            ",",
            "var",
            "s",
            "SUM(",
            "print(",
            "comet_read(0)",
            "for",
            "in",
            "range(2)",
            ":",
            "end",
            "@(+,*)",
            "@(",
            "*",
            "-",
            "transpose(",
            "<M, push>",
            "\"",
            "#",
            "\n",
            "return",
            "getTime()",
            "write(A, \"a.mtx\")");
    Random random = new Random(7);
    for (int run = 0; run < 20_000; run++) {
      StringBuilder text = new StringBuilder(run % 3 == 0 ? "" : "def main() { ");
      for (int piece = random.nextInt(30); piece >= 0; piece--) {
        text.append(pieces.get(random.nextInt(pieces.size()))).append(' ');
      }
      Diagnostics diagnostics = new Diagnostics();
      Program program =
          ProgramParser.parse(new SourceText("random.ta", text.toString()), diagnostics);
      ProgramChecker.check(program, diagnostics);
      assertThat(diagnostics.render()).isNotNull();
    }
  }

  @Test
  void ofWhatIsNestedTooDeepTheErrorIsReportedAndNothingThatFollowsFromIt() {
    String statement = "  y[i] = " + "abs(".repeat(120) + "A[i]" + ")".repeat(120) + ";\n";
    String loops =
        "  for n in range(0, 2, 1):\n".repeat(25) + "  print(1);\n" + "  end\n".repeat(25);
    assertThatThrownBy(
            () ->
                ProgramRunner.parse(
                    new SourceText(
                        "deep.ta", "def main() {\n" + statement + "  print();\n" + loops + "}\n")))
        .message()
        .satisfies(
            text ->
                assertThat(text.lines().filter(line -> line.contains("error:")))
                    .satisfiesExactly(
                        line -> assertThat(line).contains("the expression is nested more than"),
                        line -> assertThat(line).startsWith("deep.ta:3:"),
                        line -> assertThat(line).contains("loops are nested more than")));
  }

  @Test
  void deepAndLongProgramsAreErrorsNotStackOverflows() {
    for (String unit : List.of("for n in range(2): ", "print((", "var s = -", "{", "def f() {")) {
      errors("def main() { " + unit.repeat(50_000));
    }
    errors("def main() { " + "A[i] = 1; ".repeat(50_000) + "}");
  }
}
