package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers in every spelling that the grammar allows, against {@link Double#parseDouble}. */
class TextNumbersTest {
  private static final long SEED = Long.getLong("weft.seed", 20261121);
  private static final int LINES = 30_000;
  private static final String[] BLANKS = {" ", " ", " ", "\t", "  ", " \t "};
  private static final String[] ENDS = {"\n", "\n", "\r\n", " \n", "\n\n", "\n# c\n"};

  @TempDir Path folder;

  private static String value(Random random) {
    double any = Double.longBitsToDouble(random.nextLong());
    double finite = Double.isFinite(any) ? any : 1;
    String sign = new String[] {"", "", "-", "+"}[random.nextInt(4)];
    return switch (random.nextInt(12)) {
      case 0 -> Double.toString(finite);
      case 1 -> Double.toString(random.nextGaussian());
      case 2 -> sign + random.nextInt(100_000);
      case 3 -> sign + random.nextInt(100_000) / 1000.0;
      case 4 -> sign + random.nextLong(1L << 62);
      case 5 -> halfway(finite).toString();
      case 6 -> halfway(random.nextInt(1 << 20) / 64.0).toPlainString();
      case 7 -> sign + digits(random, 1, 30) + "." + digits(random, 0, 30);
      case 8 -> sign + "." + digits(random, 1, 25) + "e" + (random.nextInt(700) - 350);
      case 9 -> sign + "000" + digits(random, 1, 9) + ".E+0" + random.nextInt(20);
      case 10 -> Double.toString(Double.MIN_VALUE * random.nextLong(1L << 53));
      default -> sign + digits(random, 1, 8) + "." + digits(random, 1, 8);
    };
  }

  /** Between two doubles, which the last digit decides. */
  private static BigDecimal halfway(double value) {
    double next = Math.nextUp(Math.abs(value) < 1e300 ? value : 1);
    BigDecimal sum = new BigDecimal(Math.abs(value) < 1e300 ? value : 1).add(new BigDecimal(next));
    return sum.divide(BigDecimal.valueOf(2), MathContext.UNLIMITED);
  }

  private static String digits(Random random, int least, int most) {
    StringBuilder digits = new StringBuilder();
    for (int i = random.nextInt(least, most + 1); i > 0; i--) {
      digits.append((char) ('0' + random.nextInt(10)));
    }
    return digits.toString();
  }

  @Test
  void everyNumberIsTheNearestDoubleInEveryOrderAndLocale() throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      for (int order = 1; order <= 7; order++) {
        check(order, new Random(SEED + order));
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  private void check(int order, Random random) throws Exception {
    StringBuilder text = new StringBuilder();
    List<String> expected = new ArrayList<>();
    List<String> values = new ArrayList<>();
    while (expected.size() < LINES / order) {
      StringBuilder line = new StringBuilder(random.nextInt(20) == 0 ? " " : "");
      StringBuilder entry = new StringBuilder();
      for (int mode = 0; mode < order; mode++) {
        long coordinate = random.nextLong(1L << random.nextInt(1, mode == 1 ? 62 : 30)) + 1;
        line.append(new String[] {"", "", "", "0", "+"}[random.nextInt(5)]).append(coordinate);
        line.append(BLANKS[random.nextInt(BLANKS.length)]);
        entry.append(coordinate - 1).append(' ');
      }
      String value = value(random);
      double exact = Double.parseDouble(value);
      if (Double.isFinite(exact)) {
        text.append(line).append(value).append(ENDS[random.nextInt(ENDS.length)]);
        expected.add(entry.append(exact).toString());
        values.add(value);
      }
    }
    Path file = folder.resolve("n" + order + ".tns");
    Files.writeString(file, text);
    ReadOptions options =
        ReadOptions.defaults().withHeader(ReadOptions.Header.NONE).withBlockEntries(1000);
    for (long split : new long[] {1 << 26, 30_011}) {
      List<String> found =
          Entries.read(TensorFiles.open(Entries.ACCESS, file.toString(), options, split));
      for (int i = 0; i < Math.min(found.size(), expected.size()); i++) {
        assertThat(found.get(i))
            .as("order %d, entry %d, %s, -Dweft.seed=%d", order, i, values.get(i), SEED)
            .isEqualTo(expected.get(i));
      }
      assertThat(found).hasSameSizeAs(expected);
    }
  }
}
