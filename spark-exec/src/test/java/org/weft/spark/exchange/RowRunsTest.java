package org.weft.spark.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

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
