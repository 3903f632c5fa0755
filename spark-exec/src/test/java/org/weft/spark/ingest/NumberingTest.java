package org.weft.spark.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.spark.LocalSpark;
import org.weft.spark.ingest.cell.BadCell;
import org.weft.spark.ingest.key.KeyBounds;
import org.weft.spark.ingest.key.KeySummary;
import org.weft.spark.ingest.key.KeyedRows;
import org.weft.tensor.CooBlock;

/** Labels of rows that Spark may read again, as after the loss of an executor. */
final class NumberingTest {
  private static final AtomicInteger READS = new AtomicInteger();

  @TempDir Path folder;

  private static KeyedRows rows(IngestJob job, String... labels) throws BadCell {
    KeyedRows.Builder rows = job.rows();
    for (String label : labels) {
      byte[] text = label.getBytes(StandardCharsets.UTF_8);
      rows.cell(0, text, 0, text.length);
      rows.cell(1, text, 0, 1);
      rows.end(1);
    }
    return rows.build(0);
  }

  /** The blocks of entries of one partition of rows. */
  private List<CooBlock> entries(IngestJob job, Function<Integer, KeyedRows> read) throws BadCell {
    READS.set(0);
    JavaRDD<KeyedRows> rows = LocalSpark.context().parallelize(List.of(1), 1).map(read);
    KeyBounds bounds = KeyBounds.of(List.of(KeySummary.of(rows(job, "ab", "aa", "b"))), 2, 8);
    try (Numbering labels = Numbering.of(job, rows, bounds, null)) {
      assertThat(labels.sizes()).containsExactly(3, 2);
      return labels.inRanges(0, new long[] {0}).map(pair -> pair._2()).collect();
    }
  }

  @Test
  void rowsThatAreReadAgainHaveTheSameLabels() throws BadCell {
    IngestJob job = SampleJob.of(folder, Map.of());
    CooBlock block = entries(job, n -> rows(job, "ab", "aa", "b")).get(0);
    assertThat(List.of(block.coordinate(0, 0), block.coordinate(0, 1), block.coordinate(1, 2)))
        .containsExactly(1L, 0L, 1L);
  }

  @Test
  void rowsThatComeInAnotherOrderAreNotGivenEachOthersLabels() {
    IngestJob job = SampleJob.of(folder, Map.of());
    assertThatThrownBy(
            () ->
                entries(
                    job,
                    n ->
                        READS.getAndIncrement() == 0
                            ? rows(job, "ab", "aa", "b")
                            : rows(job, "aa", "ab", "b")))
        .hasStackTraceContaining("came in another order");
  }
}
