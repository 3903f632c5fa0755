package org.weft.storage.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Digits are those of the JDK, and nothing beside them is written. */
class DigitsTest {
  private static final Random RANDOM = new Random(Long.getLong("weft.seed", 7));

  static Stream<LongStream> numbers() {
    LongStream bordersOfPowers =
        LongStream.iterate(10, power -> power * 10)
            .limit(18)
            .flatMap(power -> LongStream.of(power - 1, power, power + 1, power - power / 10));
    LongStream ofEveryLength = RANDOM.longs(100_000).map(bits -> bits >>> 1 + RANDOM.nextInt(62));
    LongStream multiples =
        RANDOM
            .longs(10_000)
            .map(bits -> (bits >>> 34) * Digits.power(RANDOM.nextInt(9)))
            .filter(product -> product > 0);
    return Stream.of(
        LongStream.rangeClosed(0, 20_000),
        bordersOfPowers,
        ofEveryLength,
        multiples,
        LongStream.of(Long.MAX_VALUE, Long.MAX_VALUE - 1));
  }

  @ParameterizedTest
  @MethodSource("numbers")
  void areThoseOfTheJdk(LongStream numbers) {
    byte[] out = new byte[24];
    numbers.forEach(
        value -> {
          Arrays.fill(out, (byte) '#');
          String text = Long.toString(value);
          assertThat(Digits.count(value)).as("%d", value).isEqualTo(text.length());
          assertThat(Digits.write(value, out, 2)).as("%d", value).isEqualTo(2 + text.length());
          String written = new String(out, StandardCharsets.US_ASCII);
          assertThat(written).isEqualTo("##" + text + "#".repeat(22 - text.length()));
          if (value > 0) {
            int zeros = text.length() - text.replaceAll("0+$", "").length();
            assertThat(Digits.trailingZeros(value)).as("%d", value).isEqualTo(zeros);
          }
        });
  }
}
