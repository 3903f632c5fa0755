package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneralNumberTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-17, -17",
    "999999, 999999",
    "1000000, 1e+06",
    "-1234567, -1.23457e+06",
    "0.1, 0.1",
    "26.400000000000002, 26.4",
    "0.0001, 0.0001",
    "0.00001, 1e-05",
    "0.000123456789, 0.000123457",
    "123456.5, 123456",
    "123457.5, 123458",
    "999999.5, 1e+06",
    "9999995, 1e+07",
    "32030.72, 32030.7",
    "1e100, 1e+100",
    "4.9e-324, 4.94066e-324",
    "1.7976931348623157e308, 1.79769e+308",
    "2.5e-7, 2.5e-07",
    "NaN, nan",
    "Infinity, inf",
    "-Infinity, -inf"
  })
  void numbersPrintAsInC(double value, String expected) {
    StringBuilder text = new StringBuilder();
    GeneralNumber.append(text, value);
    assertThat(text).hasToString(expected);
  }
}
