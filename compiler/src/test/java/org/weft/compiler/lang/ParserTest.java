package org.weft.compiler.lang;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.loop.Goldens;

class ParserTest {
  private static final List<String> WRONG =
      List.of(
          "",
          "y(i)",
          "y(i) *= x(i)",
          "= x(i)",
          "y(i) = ",
          "y(i) = A(i,j * x(j)",
          "y(i) = A[i,j) * x(j)",
          "y(i) = A(i,2) * x(j) + B(i,)",
          "y(i) = (x(i) + z(i)",
          "y(i) = x(i) z(i)",
          "y(i) = x(i) % z(i) / w(i)",
          "y(i) = x(i) * * z(i)",
          "y(i) = max(x(i))",
          "y(i) = sqrt(x(i), z(i))",
          "y(i) = sum(2, A(i,j))",
          "y(i) = sum(j A(i,j))",
          "y(i) = 1e999 * x(i)",
          "y(i) =\n  A(i,j) * x(j)\n  + + b(i",
          "y(i) = x(i); z(i) = y(i)",
          "C(i,k) = A(i,j) @ B(j,k)",
          "C(i,k) = A(i,j) @(min,) B(j,k)",
          "C(i,k) = A(i,j) @(plus,*) B(j,k) @(first) D(k)",
          "C(i,k) = A(i,j) @(second,any) B(j,k",
          "C(i,k) = A(i,j) @(min,+ B(j,k)",
          "C(i,k)<M, pushh> = A(i,j) * B(j,k)",
          "C(i,k)<, push> = A(i,j) * B(j,k)",
          "C(i,k)<M, push = A(i,j) * B(j,k)",
          "B(j,i) = transpose(A(i,j))",
          "B(j,i) = transpose(A(i,j), j, i)",
          "B(j,i) = transpose(A(i,j), {j,})",
          "s = SUM(A(i,j)",
          "y(i) = pow(x(i),2)",
          "y(i) = 2 * sigmoid(-(x(i) + z(i)))",
          "y(i) = A(B(i),j)",
          "y(i) = max(i,x(i))",
          "y(i) = sum(j, A(i,j) * j) + k",
          "C(i,k)<!M> = A(i,j) * B(j,k)",
          "C(i,k)<!, push> = !A(i,k)");

  @Test
  void errorsHavePositionCaretAndAdvice() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String text : WRONG) {
      Diagnostics diagnostics = new Diagnostics();
      assertThat(Parser.statement(SourceText.expression(text), diagnostics)).isEmpty();
      all.append(diagnostics.render()).append("\n\n");
    }
    Goldens.check("lang-errors.txt", all.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "M(i,r) = B(i,j,k) * C(j,r) * D(k,r)",
        "y[i] += A[i,j] .* x[j];",
        "s = sum(i, sum(j, A(i,j)))",
        "y(i) = -alpha * (x(i) - 2.5e-3) + .5",
        "y(i) = max(abs(x(i)), exp(log(sqrt(z(i)))))  # comment",
        "y(i) =\n  A(i,j)\n  * x(j)",
        "C[a, c] = A[a, b] @(min,+) B[b, c];",
        "C[a, c] = A[a, b] @( | , & ) B[b, c] @(-) D[a, c]",
        "C[i, k]<L, push> -= L[i, j] * L[j, k];",
        "C(i,k)<M(k,i)>=A(i,j)*B(j,k)",
        "C[j, k] = transpose(A[i, j],{j,i}) * B[i, k]",
        "s = SUM(L(i,k) * L(k,j) .* L(i,j)) * 9223372036854775807"
      })
  void statementsOfTheExpressionFormParse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    assertThat(Parser.statement(SourceText.expression(text), diagnostics)).isPresent();
    assertThat(diagnostics.list()).isEmpty();
  }

  @Test
  void operatorsBindAsUsual() {
    Statement statement = parse("y = a + -b * c - d");
    Syntax.Operation minus = (Syntax.Operation) statement.value();
    assertThat(minus.operator()).isEqualTo(Syntax.Operator.SUBTRACT);
    Syntax.Operation plus = (Syntax.Operation) minus.left();
    assertThat(plus.operator()).isEqualTo(Syntax.Operator.ADD);
    Syntax.Operation times = (Syntax.Operation) plus.right();
    assertThat(times.left()).isInstanceOf(Syntax.Negation.class);
    assertThat(times.span().text()).isEqualTo("-b * c");
  }

  @Test
  void semiringsBindLikeProducts() {
    Syntax.Operation sum = (Syntax.Operation) parse("y = a + b @(min,+) c @(*) d").value();
    Syntax.Monoid monoid = (Syntax.Monoid) sum.right();
    assertThat(monoid.operator()).isEqualTo(SemiringOperator.TIMES);
    Syntax.Semiring semiring = (Syntax.Semiring) monoid.left();
    assertThat(semiring.add()).isEqualTo(SemiringOperator.MIN);
    assertThat(semiring.multiply()).isEqualTo(SemiringOperator.PLUS);
    assertThat(semiring.span().text()).isEqualTo("b @(min,+) c");
  }

  @Test
  void masksHaveTheLabelsOfTheResultUnlessTheyNameTheirOwn() {
    Mask own = parse("C(i,k)<M(k,i), pull> = A(i,k)").mask();
    assertThat(own).isNotNull();
    assertThat(own.strategy()).isEqualTo(Mask.Strategy.PULL);
    assertThat(own.tensor().labels()).extracting(Syntax.Label::name).containsExactly("k", "i");
    Mask implied = parse("C[i,k]<M> = A[i,k]").mask();
    assertThat(implied).isNotNull();
    assertThat(implied.strategy()).isEqualTo(Mask.Strategy.AUTO);
    assertThat(implied.tensor().labels()).extracting(Syntax.Label::name).containsExactly("i", "k");
  }

  @Test
  void numbersOfDigitsAreIntegersWhileTheyFit() {
    assertThat(((Syntax.Number) parse("y = 9223372036854775807").value()).value())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(((Syntax.Number) parse("y = 9223372036854775808").value()).value())
        .isEqualTo(0x1p63);
    assertThat(((Syntax.Number) parse("y = 1e2").value()).value()).isEqualTo(100.0);
  }

  @Test
  void deepAndLongTextIsAnErrorNotAStackOverflow() {
    for (String unit : List.of("(", "-", "abs(", "sum(j, ", "SUM(", "x(", "((x + ")) {
      assertFails("y = " + unit.repeat(100_000));
    }
    assertFails("y = x" + " + x".repeat(100_000));
    assertFails("y = x" + " * (x".repeat(100_000) + ")".repeat(100_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(",
        "-",
        "abs(",
        "max(A(i), ",
        "sum(j, ",
        "SUM(",
        "transpose(",
        "1 + (",
        "a @(min,+) ("
      })
  void deepNestingIsOneError(String unit) {
    Diagnostics diagnostics = new Diagnostics();
    Parser.statement(SourceText.expression("y(i) = " + unit.repeat(120) + "A(i)"), diagnostics);
    assertThat(diagnostics.list())
        .extracting(Diagnostic::message)
        .containsExactly("the expression is nested more than 100 deep");
  }

  @Test
  void ofALongLineThePartAroundThePlaceIsShown() {
    String sum = " + x(i)".repeat(100);
    Diagnostics diagnostics = new Diagnostics();
    Parser.statement(SourceText.expression("y(i) = x(i)" + sum + " + $" + sum), diagnostics);
    List<String> lines = diagnostics.render().lines().toList();
    assertThat(lines.get(1)).hasSizeBetween(150, 180).startsWith("  ...").endsWith("...");
    assertThat(lines.get(1).charAt(lines.get(2).indexOf('^'))).isEqualTo('$');
  }

  @Test
  void randomTokensNeverCrash() {
    List<String> pieces =
        List.of(
            "y",
            "(",
            ")",
            "[",
            "]",
            ",",
            "=",
            "+=",
            "+",
            "-",
            "*",
            ".*",
            "3",
            ".5",
            "i",
            "sum",
            "max",
            "exp",
            ";",
            "#c\n",
            "\n",
            "%",
            "é",
            ".",
            "@(",
            "<M",
            ">",
            "{",
            "}",
            "SUM(",
            "transpose(",
            "push",
            "|",
            "&");
    Random random = new Random(42);
    for (int run = 0; run < 5_000; run++) {
      StringBuilder text = new StringBuilder(run % 2 == 0 ? "y(i) = " : "");
      for (int piece = random.nextInt(20); piece >= 0; piece--) {
        text.append(pieces.get(random.nextInt(pieces.size()))).append(' ');
      }
      Diagnostics diagnostics = new Diagnostics();
      Optional<Statement> parsed =
          Parser.statement(SourceText.expression(text.toString()), diagnostics);
      assertThat(parsed.isEmpty()).as(text.toString()).isEqualTo(diagnostics.hasErrors());
      assertThat(diagnostics.render()).isNotNull();
    }
  }

  private static void assertFails(String text) {
    Diagnostics diagnostics = new Diagnostics();
    assertThat(Parser.statement(SourceText.expression(text), diagnostics)).isEmpty();
    assertThat(diagnostics.hasErrors()).isTrue();
  }

  private static Statement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    return Parser.statement(SourceText.expression(text), diagnostics).orElseThrow();
  }
}
