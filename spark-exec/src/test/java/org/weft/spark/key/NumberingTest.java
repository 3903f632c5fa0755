package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;
import org.junit.jupiter.api.Test;
import org.weft.spark.LocalSpark;
import org.weft.tensor.CooBlock;

/** Labels of rows that Spark may read again, as after the loss of an executor. */
final class NumberingTest {
  private static final AtomicInteger READS = new AtomicInteger();

  private static KeyedRows rows(String... labels) {
    List<ByteDictionary> keys = List.of(new ByteDictionary(), new ByteDictionary());
    CooBlock.Builder rows = new CooBlock.Builder(2, labels.length);
    for (String label : labels) {
      byte[] text = label.getBytes(StandardCharsets.UTF_8);
      rows.set(0, keys.get(0).number(text, 0, text.length));
      rows.set(1, keys.get(1).number(text, 0, 1));
      rows.finish(1);
    }
    return new KeyedRows(rows.build(), keys, new int[] {0, 1}, 0);
  }

  /** The blocks of entries of one partition of rows. */
  private static List<CooBlock> entries(Function<Integer, KeyedRows> read) {
    READS.set(0);
    JavaRDD<KeyedRows> rows = LocalSpark.context().parallelize(List.of(1), 1).map(read);
    KeyBounds bounds = KeyBounds.of(List.of(KeySummary.of(rows("ab", "aa", "b"))), 2, 8);
    List<KeySpace> spaces =
        List.of(new KeySpace(0, KeyLabels.TEXT, 0), new KeySpace(1, KeyLabels.TEXT, 0));
    try (Numbering labels = Numbering.of("table", spaces, rows, bounds, null)) {
      assertThat(labels.sizes()).containsExactly(3, 2);
      return labels.inRanges(0, new long[] {0}).map(pair -> pair._2()).collect();
    }
  }

  @Test
  void rowsThatAreReadAgainHaveTheSameLabels() {
    CooBlock block = entries(n -> rows("ab", "aa", "b")).get(0);
    assertThat(List.of(block.coordinate(0, 0), block.coordinate(0, 1), block.coordinate(1, 2)))
        .containsExactly(1L, 0L, 1L);
  }

  @Test
  void rowsThatComeInAnotherOrderAreNotGivenEachOthersLabels() {
    assertThatThrownBy(
            () ->
                entries(
                    n ->
                        READS.getAndIncrement() == 0
                            ? rows("ab", "aa", "b")
                            : rows("aa", "ab", "b")))
        .hasStackTraceContaining("came in another order");
  }
}
