package org.weft.spark.ingest.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShortDecimalTest {
  private static double parse(String text) {
    byte[] bytes = ("x" + text + "x").getBytes(StandardCharsets.UTF_8);
    return ShortDecimal.parse(bytes, 1, bytes.length - 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", ".", "-.", "1e2", " 1", "1 ", "1.2.3", "nan", "1234567890123456"})
  void othersAreNotParsed(String text) {
    assertThat(parse(text)).isNaN();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-0", "+7", "1.", ".5", "-.25", "0.1", "999999999999999", "3.14159"})
  void asJavaDoes(String text) {
    assertThat(parse(text)).isEqualTo(Double.parseDouble(text));
  }

  @Test
  void anyNumberAsJavaDoes() {
    Random random = new Random(9);
    for (int n = 0; n < 20_000; n++) {
      String digits = Long.toString(Math.abs(random.nextLong()) % 1_000_000_000_000_000L);
      int point = random.nextInt(digits.length() + 1);
      String text = digits.substring(0, point) + "." + digits.substring(point);
      assertThat(parse(text)).as(text).isEqualTo(Double.parseDouble(text));
    }
  }
}
