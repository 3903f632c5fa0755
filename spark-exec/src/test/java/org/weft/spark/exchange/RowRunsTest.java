package org.weft.spark.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowRunsTest {
  @Test
  void neighboursAreOneRun() {
    RowRuns rows = new RowRuns();
    rows.add(0, 2);
    rows.add(2, 3);
    rows.add(7, 1);
    assertThat(rows.rows()).isEqualTo(6);
    assertThat(runs(rows)).containsExactly("0+5 after 0", "7+1 after 5");
  }

  @Test
  void noRowsAreSentAsOneByte() {
    assertThat(sent(new RowRuns()).remaining()).isEqualTo(1);
    assertThat(runs(RowRuns.readFrom(sent(new RowRuns())))).isEmpty();
  }

  @Test
  void whatIsSentArrives() {
    Random random = new Random(5);
    for (int size : new int[] {1, 100, 100_000, Integer.MAX_VALUE - 1}) {
      TreeSet<Integer> needed = new TreeSet<>();
      for (int i = 0; i < 1000; i++) {
        needed.add(random.nextInt(size));
      }
      RowRuns rows = new RowRuns();
      needed.forEach(row -> rows.add(row, 1));
      RowRuns arrived = RowRuns.readFrom(sent(rows));
      assertThat(arrived.rows()).isEqualTo(needed.size());
      assertThat(runs(arrived)).isEqualTo(runs(rows));
    }
  }

  /** Numbers as {@link RowRuns#writeTo} writes them: 7 bits a byte, the lowest first. */
  @ParameterizedTest
  @CsvSource({
    "'01 ffffffff0f 01', 'expected rows below 2^31-1, found 1 from row 4294967295'",
    "'01 05 ffffffff0f', 'expected rows below 2^31-1, found 4294967295 from row 5'",
    "'02 ffffffff07 00 00 01', 'expected rows below 2^31-1, found 1 from row 2147483647'",
    "'02 00 ffffffff07 01 01', 'found 1 from row 2147483648'",
    "'01 808080808001 01', 'expected a number of at most 5 bytes'",
    "'02 00 01', 'expected more numbers of rows, found the end'",
    "'ffffffff7f', 'expected more numbers of rows, found the end'",
    "'', 'expected more numbers of rows, found the end'"
  })
  void rowsThatCannotBeAreRefused(String bytes, String message) {
    ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(bytes.replace(" ", "")));
    assertThatThrownBy(() -> RowRuns.readFrom(in))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  private static ByteBuffer sent(RowRuns rows) {
    ByteBuffer bytes = ByteBuffer.allocate(rows.mostBytes());
    rows.writeTo(bytes);
    return bytes.flip();
  }

  private static List<String> runs(RowRuns rows) {
    List<String> runs = new ArrayList<>();
    rows.forEach((first, count, before) -> runs.add(first + "+" + count + " after " + before));
    return runs;
  }
}
