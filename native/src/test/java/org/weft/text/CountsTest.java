package org.weft.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CountsTest {
  @ParameterizedTest
  @CsvSource({
    "0, row, 0 rows",
    "1, row, 1 row",
    "2, row, 2 rows",
    "1, stored entry, 1 stored entry",
    "0, stored entry, 0 stored entries",
    "3, library, 3 libraries",
    "2, day, 2 days",
    "-1, row, -1 rows"
  })
  void onlyOneIsInTheSingular(long count, String thing, String text) {
    assertThat(Counts.of(count, thing)).isEqualTo(text);
    assertThat(Counts.plain(count, thing)).isEqualTo(text);
  }

  @Test
  void reportsHaveCommasBetweenThousands() {
    assertThat(Counts.of(1_234_567, "nonzero")).isEqualTo("1,234,567 nonzeros");
    assertThat(Counts.plain(1_234_567, "nonzero")).isEqualTo("1234567 nonzeros");
  }
}
