package org.weft.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;
import org.weft.spark.key.KeyedRows;

/** Rows of tables of Spark SQL on their way to labels. */
class KeyedTableTest {
  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  /** The labels of {@code table}, whose first column has them, by partition. */
  private static List<List<String>> labels(Dataset<Row> table) {
    KeyedTable keyed =
        KeyedTable.of(
            table.schema(),
            new int[] {0, KeyedRows.COORDINATES},
            (row, column) -> new WeftException(ErrorCode.MALFORMED_INPUT, "null"));
    return keyed.rows(table).map(KeyedTableTest::labels).collect();
  }

  private static List<String> labels(KeyedRows rows) {
    List<String> labels = new ArrayList<>();
    for (int row = 0; row < rows.rows().size(); row++) {
      byte[] key = rows.keys().get(0).get((int) rows.rows().coordinate(0, row));
      assertThat(rows.rows().coordinate(1, row)).isEqualTo(rows.rows().longValue(row));
      labels.add(new String(key, StandardCharsets.UTF_8));
    }
    return labels;
  }

  /** A task that ran again after a loss would else give rows the labels of others. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void rowsThatAShuffleGivesInAnyOrderComeInOne(boolean adaptive) {
    LocalSpark.session().conf().set("spark.sql.adaptive.enabled", adaptive);
    try {
      Dataset<Row> table =
          LocalSpark.session()
              .range(0, 1000, 1, 4)
              .selectExpr("concat('u', (id * 37) % 1000) AS label", "id", "id AS value");
      List<String> inOrder = labels(table).get(0);
      List<String> sorted = new ArrayList<>(inOrder);
      Collections.sort(sorted);
      assertThat(inOrder).startsWith("u0", "u37", "u74").isNotEqualTo(sorted);

      for (List<String> partition : labels(table.repartition(3))) {
        assertThat(partition).isSorted();
      }
      assertThat(labels(table.groupBy("label").max("id", "value")).get(0)).isSorted();
    } finally {
      LocalSpark.session().conf().unset("spark.sql.adaptive.enabled");
    }
  }
}
