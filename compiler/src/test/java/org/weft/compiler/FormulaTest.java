package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formulas in scalars, and their derivatives as text; values are tested where kernels run them. */
class FormulaTest {
  private static final Set<String> NAMES = Set.of("x", "m");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "m | 1",
        "x | 0",
        "3.5 | 0",
        "x * m | x",
        "m / x | (1 / x)",
        "x / m | ((-1) * (x / (m * m)))",
        "-m | (-1)",
        "log(m + 2) | (1 / (m + 2))",
        "exp(m) * x | (exp(m) * x)",
        "sqrt(m) | (1 / (2 * sqrt(m)))",
        "m^2 | (m + m)",
      })
  void derivativesFollowTheRules(String text, String expected) {
    assertThat(Formula.of(text, NAMES).derivative("m")).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(x - m)^2 | ((x - m) * (x - m))",
        "(x - (m + 1)^2)^3 | ((x - ((m + 1) * (m + 1))) * (x - ((m + 1) * (m + 1))) * (x - ((m + 1) * (m + 1))))",
        "exp(m)^2 + x^1 | (exp(m) * exp(m)) + (x)",
        "2 * m | 2 * m",
      })
  void powersAreProducts(String text, String expected) {
    assertThat(Formula.of(text, NAMES)).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x - y | expected numbers, m, x, + - * / ^ and abs, sqrt, exp, log, min, max, found 'y'",
        "x(i) - m | found 'x'",
        "m^x | powers with a whole exponent from 1 to 9",
        "m^0.5 | powers with a whole exponent from 1 to 9",
        "m ^ 2.5 | powers with a whole exponent",
        "x - | expected",
        "sin(m) | sin",
      })
  void whatCannotBeReadIsOneError(String text, String message) {
    assertThatThrownBy(() -> Formula.of(text, NAMES)).hasMessageContaining(message);
  }
}
