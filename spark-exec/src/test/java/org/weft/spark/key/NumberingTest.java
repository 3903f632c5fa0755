package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
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
        .hasStackTraceContaining("same rows in another order");
  }

  /** As executors do that are lost: kept blocks and written shuffles are gone. */
  private static void loseAll() {
    SparkContext spark = LocalSpark.context().sc();
    LocalSpark.context().getPersistentRDDs().values().forEach(kept -> kept.unpersist(true));
    MapOutputTrackerMaster written = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    IntStream.range(0, spark.newShuffleId())
        .filter(written::containsShuffle)
        .forEach(written::unregisterAllMapAndMergeOutput);
  }

  private static List<String> labelsAfterLoss(Function<Integer, KeyedRows> read) {
    READS.set(0);
    JavaRDD<KeyedRows> rows = LocalSpark.context().parallelize(List.of(1), 1).map(read);
    KeyBounds bounds = KeyBounds.of(List.of(KeySummary.of(rows("ab", "b"))), 2, 8);
    List<KeySpace> spaces =
        List.of(new KeySpace(0, KeyLabels.TEXT, 0), new KeySpace(1, KeyLabels.TEXT, 0));
    try (Numbering labels = Numbering.of("table", spaces, rows, bounds, null)) {
      loseAll();
      return labels
          .keys(0)
          .map(key -> key.coordinate() + " " + new String(key.key(), StandardCharsets.UTF_8))
          .collect();
    }
  }

  @Test
  void labelsThatAreLostAreMadeAgain() {
    assertThat(labelsAfterLoss(n -> rows("ab", "b"))).containsExactly("0 ab", "1 b");
  }

  @Test
  void labelsOfOtherRowsDoNotTakeThePlaceOfLostOnes() {
    assertThatThrownBy(
            () ->
                labelsAfterLoss(
                    n -> READS.getAndIncrement() == 0 ? rows("ab", "b") : rows("aa", "b")))
        .hasStackTraceContaining("and gave other rows");
  }

  @Test
  void valuesThatAreSummedAgainInAnotherOrderAreNoOtherRows() {
    List<ByteDictionary> keys = List.of(new ByteDictionary());
    CooBlock one = CooBlock.ofColumns(new int[][] {{0}}, new double[] {0.1 + 0.2}, 1);
    CooBlock other = CooBlock.ofColumns(new int[][] {{0}}, new double[] {0.3}, 1);
    assertThat(new KeyedRows(one, keys, new int[] {0}, 0).fingerprint())
        .isEqualTo(new KeyedRows(other, keys, new int[] {0}, 0).fingerprint());
  }

  @Test
  void keysOfManyBytesHaveTasksEnough() {
    ByteDictionary keys = new ByteDictionary();
    for (int key = 0; key < 1000; key++) {
      byte[] text = String.format("%04d", key).repeat(1000).getBytes(StandardCharsets.UTF_8);
      keys.number(text, 0, text.length);
    }
    int[] numbers = IntStream.range(0, 1000).toArray();
    CooBlock block = CooBlock.ofColumns(new int[][] {numbers}, new double[1000], 1000);
    KeySummary one = KeySummary.of(new KeyedRows(block, List.of(keys), new int[] {0}, 0));
    List<KeySummary> many =
        IntStream.range(0, 400)
            .mapToObj(
                n ->
                    new KeySummary(
                        1000,
                        0,
                        one.spaces(),
                        one.keys(),
                        one.bytes(),
                        new byte[][][] {
                          {String.format("%04d", n).getBytes(StandardCharsets.UTF_8)}
                        }))
            .toList();
    assertThat(KeyBounds.of(many, 1, 2).ranges(0)).as("1.6 GB of keys").isGreaterThan(4);
  }
}
