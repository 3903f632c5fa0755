package org.weft.spark.ingest.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.Text;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.spark.LocalSpark;
import org.weft.spark.ingest.cell.BadCell;

/**
 * Cells of JSON lines beside those of Spark's {@code from_json}, which takes the first of several
 * values for all of them.
 */
class JsonCellsTest {
  private static final List<String> COLUMNS = List.of("user", "Ünïcode 名", "v", "deep");

  private static final List<String> RECORDS =
      List.of(
          "{\"user\": \"a\", \"v\": 1}",
          "{\"v\": 1.50, \"user\": \"b\\t\\u00e9\", \"other\": [1, 2]}",
          "{\"user\": null, \"v\": 1e3}",
          "{\"user\": \"\", \"v\": -0}",
          "{\"user\": \"  \", \"v\": true}",
          "{\"user\": 12345678901234567890, \"v\": 0.1000}",
          "{\"user\": \"x\", \"deep\": {\"b\": [1,  2.0], \"a\": null}, \"v\": [ ]}",
          "{\"user\": \"first\", \"user\": \"last\"}",
          "{\"USER\": \"other letters\", \"v\": \"3\"}",
          "{\"Ünïcode 名\": \"🙂\", \"v\": NaN}",
          "{'user': 'single', 'v': Infinity}",
          "{user: \"bare\"}",
          "{}",
          "{\"user\": \"a\", \"v\": 1",
          "{\"user\": \"a\", \"v\": 01}",
          "{\"user\": \"a\" \"v\": 1}",
          "{\"user\": \"} {\", 'v': '}{\\'}'}",
          "[]",
          "\"text\"",
          "null",
          "3",
          "not JSON",
          "{\"user\": \"\\ud800\"}",
          "{\"user\": \"tab\there\"}",
          "  {\"user\": \"blanks around\"}  ");

  private static @Nullable List<String> cells(JsonCells cells, String record) {
    try {
      cells.read(new Text(record));
    } catch (BadCell bad) {
      return null;
    }
    List<String> found = new ArrayList<>();
    for (int cell = 0; cell < COLUMNS.size(); cell++) {
      String text = cells.string(cell);
      assertThat(cells.isBlank(cell)).isEqualTo(text.isBlank());
      found.add(text.isBlank() ? "" : text);
    }
    return found;
  }

  private static List<@Nullable List<String>> expected() {
    SparkSession spark =
        SparkSession.builder().sparkContext(LocalSpark.context().sc()).getOrCreate();
    Map<String, String> options = JsonCells.options();
    List<@Nullable List<String>> expected = new ArrayList<>();
    for (Row row :
        spark
            .createDataset(RECORDS, Encoders.STRING())
            .select(
                functions
                    .from_json(functions.col("value"), JsonCells.schema(COLUMNS), options)
                    .as("p"))
            .select("p.*")
            .collectAsList()) {
      List<String> cells = new ArrayList<>();
      for (int cell = 0; cell < COLUMNS.size(); cell++) {
        String text = row.getString(cell);
        boolean missing = text == null || text.isBlank();
        cells.add(
            missing
                ? ""
                : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
      }
      expected.add(row.isNullAt(COLUMNS.size()) ? cells : null);
    }
    return expected;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"user\": \"a\"} {\"user\": \"b\"}",
        "{\"user\": \"a\"}{}",
        "{\"user\": \"a\"} trailing",
        "{\"user\": {\"deep\": [\"a\"]}},",
        "{\"user\": 'a'} # comment",
        "[{\"user\": \"a\"}]",
        "[{\"user\": \"a\"}, {\"user\": \"b\"}]",
        "[] {\"user\": \"a\"}"
      })
  void severalValuesInALineAreNoObject(String record) {
    assertThat(cells(new JsonCells(COLUMNS), record)).isNull();
  }

  @Test
  void recordsAreTakenApartAsSparkDoes() {
    JsonCells cells = new JsonCells(COLUMNS);
    List<@Nullable List<String>> expected = expected();
    assertThat(expected).as("some are no objects").contains((List<String>) null);
    for (int record = 0; record < RECORDS.size(); record++) {
      assertThat(cells(cells, RECORDS.get(record)))
          .as(RECORDS.get(record))
          .isEqualTo(expected.get(record));
    }
  }
}
