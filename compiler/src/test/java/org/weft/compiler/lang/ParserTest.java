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
          "y(i) -= x(i)",
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
          "y(i) = x(i); z(i) = y(i)");

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
        "y(i) =\n  A(i,j)\n  * x(j)"
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
  void deepAndLongTextIsAnErrorNotAStackOverflow() {
    for (String unit : List.of("(", "-", "abs(", "sum(j, ", "x(", "((x + ")) {
      assertFails("y = " + unit.repeat(100_000));
    }
    assertFails("y = x" + " + x".repeat(100_000));
    assertFails("y = x" + " * (x".repeat(100_000) + ")".repeat(100_000));
  }

  @Test
  void randomTokensNeverCrash() {
    List<String> pieces =
        List.of(
            "y", "(", ")", "[", "]", ",", "=", "+=", "+", "-", "*", ".*", "3", ".5", "i", "sum",
            "max", "exp", ";", "#c\n", "\n", "%", "é", ".");
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
