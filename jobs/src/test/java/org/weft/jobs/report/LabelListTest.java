package org.weft.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelListTest {
  @ParameterizedTest
  @CsvSource({
    "1, 100.0 %",
    "0.8, 80.0 %",
    "0.00123, 0.12 %",
    "0.0123, 1.2 %",
    "0.00042, 0.042 %",
    "-0.0000301, -0.0030 %",
    "1e-12, 0.0 %",
    "0, 0.0 %"
  })
  void aSmallShareIsNotZero(double share, String said) {
    assertThat(LabelList.percent(share)).isEqualTo(said);
  }
}
