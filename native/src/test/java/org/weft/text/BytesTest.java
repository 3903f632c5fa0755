package org.weft.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BytesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1.0 KiB",
    "1610612736, 1.5 GiB",
    "1e15, 909.5 TiB",
    "1e19, 8.7 EiB",
    "3.6e22, 30.5 ZiB",
    "1e26, 82.7 YiB"
  })
  void theUnitIsTheLargestThatFits(double bytes, String text) {
    assertThat(Bytes.text(bytes)).isEqualTo(text);
  }
}
