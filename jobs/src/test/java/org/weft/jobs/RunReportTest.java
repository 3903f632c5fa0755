package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.jobs.output.RunReport;

class RunReportTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0.0",
    "4e-9, <0.001",
    "4.1e-6, 0.0041",
    "1.5e-4, 0.15",
    "0.00304, 3.0",
    "0.0123, 12.3",
    "1.5, 1500.0",
    "NaN, NaN",
  })
  void aShortTimeIsNotZero(double seconds, String millis) {
    assertThat(RunReport.millis(seconds)).isEqualTo(millis);
  }
}
