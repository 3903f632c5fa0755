package org.weft.storage.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers to text and back: nothing lost, nothing longer than it must be. */
class DecimalTest {
  private static final long SEED = Long.getLong("weft.seed", 7);

  private final DecimalParser parser = new DecimalParser();
  private final ShortestDecimal writer = new ShortestDecimal();

  private double parse(String text) {
    double value = parser.parse((text + "\n").getBytes(StandardCharsets.US_ASCII), 0);
    assertThat(parser.end()).as(text).isEqualTo(text.length());
    return value;
  }

  private String write(double value) {
    byte[] out = new byte[ShortestDecimal.MAX_BYTES];
    return new String(out, 0, writer.write(value, out, 0), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-1, -1",
    "0.1, 0.1",
    "100, 100",
    "1e17, 100000000000000000",
    "1e18, 1e18",
    "123456.789, 123456.789",
    "0.00001, 0.00001",
    "0.000001, 1e-6",
    "1.5e-7, 1.5e-7",
    "2e-44, 2e-44",
    "5e-324, 5e-324",
    "1.7976931348623157e308, 1.7976931348623157e308",
    "2.2250738585072014e-308, 2.2250738585072014e-308",
    "1e23, 1e23",
    "9007199254740993, 9007199254740992",
    "2e23, 2e23",
    "5.684341886080802e-14, 5.684341886080802e-14",
    "NaN, nan",
    "-Infinity, -inf"
  })
  void writesTheShortestForm(double value, String text) {
    assertThat(write(value)).isEqualTo(text);
  }

  private String write(float value) {
    byte[] out = new byte[ShortestDecimal.MAX_BYTES];
    return new String(out, 0, writer.write(value, out, 0), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "0.1, 0.1",
    "-0.3, -0.3",
    "16777216, 16777216",
    "33554432, 33554432",
    "1e14, 100000000000000",
    "1e18, 1e18",
    "1.4e-45, 1e-45",
    "1.17549435e-38, 1.1754944e-38",
    "3.4028235e38, 3.4028235e38",
    "NaN, nan",
    "-Infinity, -inf"
  })
  void writesTheShortestFormOfAFloat(float value, String text) {
    assertThat(write(value)).isEqualTo(text);
  }

  /** Fewer digits would be another float; each power of two has a nearer neighbour below. */
  @Test
  void noFloatIsLongerThanItMustBe() {
    Random random = new Random(SEED);
    for (int n = 0; n < 100_000; n++) {
      float value =
          n < 254
              ? Float.intBitsToFloat(n + 1 << 23)
              : Float.intBitsToFloat(random.nextInt() & 0x7FFFFFFF);
      if (!Float.isFinite(value) || value == 0) {
        continue;
      }
      BigDecimal found = new BigDecimal(write(value));
      assertThat(found.floatValue()).as("%a", value).isEqualTo(value);
      int digits = found.stripTrailingZeros().precision();
      BigDecimal exact = new BigDecimal((double) value);
      assertThat(digits).as("%a", value).isLessThanOrEqualTo(9);
      if (digits > 1) {
        BigDecimal below = exact.round(new MathContext(digits - 1, RoundingMode.FLOOR));
        BigDecimal above = exact.round(new MathContext(digits - 1, RoundingMode.CEILING));
        assertThat(below.floatValue()).as("%a", value).isNotEqualTo(value);
        assertThat(above.floatValue()).as("%a", value).isNotEqualTo(value);
      }
    }
  }

  @Test
  void randomDoublesRoundTripAndNoShorterDecimalDoes() {
    Random random = new Random(SEED);
    for (int i = 0; i < 50_000; i++) {
      double value =
          switch (i % 4) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextGaussian();
            case 2 -> random.nextInt(100_000) / 1000.0;
            default -> Double.longBitsToDouble((long) random.nextInt(2047) << 52);
          };
      if (!Double.isFinite(value)) {
        continue;
      }
      String text = write(value);
      assertThat(Double.doubleToLongBits(Double.parseDouble(text)))
          .as("seed %d, %s", SEED, text)
          .isEqualTo(Double.doubleToLongBits(value));
      assertThat(Double.doubleToLongBits(parse(text))).isEqualTo(Double.doubleToLongBits(value));
      int digits = new BigDecimal(text).stripTrailingZeros().precision();
      if (digits > 1 && value != 0) {
        BigDecimal shorter = new BigDecimal(value).round(new MathContext(digits - 1));
        assertThat(shorter.doubleValue()).as("%s against %s", shorter, text).isNotEqualTo(value);
      }
    }
  }

  @Test
  void parsesAsJavaDoes() {
    Random random = new Random(SEED);
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "");
      for (int d = random.nextInt(22); d >= 0; d--) {
        text.append(random.nextInt(10));
      }
      if (random.nextBoolean()) {
        text.append('.');
        for (int d = random.nextInt(22); d > 0; d--) {
          text.append(random.nextInt(10));
        }
      }
      if (random.nextInt(3) == 0) {
        text.append(random.nextBoolean() ? "e" : "E+").append(random.nextInt(330));
      } else if (random.nextInt(3) == 0) {
        text.append("e-").append(random.nextInt(330));
      }
      assertThat(Double.doubleToLongBits(parse(text.toString())))
          .as("seed %d, %s", SEED, text)
          .isEqualTo(Double.doubleToLongBits(Double.parseDouble(text.toString())));
    }
  }
}
