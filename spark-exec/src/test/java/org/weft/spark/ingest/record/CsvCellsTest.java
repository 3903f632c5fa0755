package org.weft.spark.ingest.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.spark.ingest.cell.BadCell;

/** Records have the cells that Spark's parser finds, whatever is quoted. */
class CsvCellsTest {
  private static final int COLUMNS = 3;

  private static @Nullable List<String> cells(CsvCells cells, byte[] record) {
    Text text = new Text();
    text.set(record, 0, record.length);
    try {
      cells.read(text);
    } catch (BadCell bad) {
      return null;
    }
    List<String> found = new ArrayList<>();
    for (int cell = 0; cell < COLUMNS; cell++) {
      String blank = cells.isBlank(cell) ? "" : cells.string(cell);
      found.add(blank);
    }
    return found;
  }

  private static @Nullable List<String> expected(SparkCells spark, byte[] record) {
    String text = new String(record, StandardCharsets.UTF_8);
    if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), record)) {
      return null; // not UTF-8
    }
    @Nullable String[] cells = spark.read(text);
    return cells.length != COLUMNS
        ? null
        : Arrays.stream(cells).map(cell -> cell == null || cell.isBlank() ? "" : cell).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a,b,c",
        "a,,",
        ",,",
        "a,b",
        "a,b,c,d",
        "\"a\",b,c",
        "\"a,x\",\"b \"\"q\"\" \",\"\"",
        " \"a\",b,c",
        "\"a\" ,b,c",
        "a\"b,c,d",
        "a,\"b,c",
        "a,b\"\",c",
        "\"\"\"\",\" \",c",
        " a , b , c ",
        "\u00e4,\"\u4f8b,\u4f8b\",\u3000",
        "a\u0000,b,c"
      })
  void asSparkDoes(String record) {
    byte[] bytes = record.getBytes(StandardCharsets.UTF_8);
    assertThat(cells(new CsvCells(',', COLUMNS), bytes))
        .isEqualTo(expected(new SparkCells(','), bytes));
  }

  @Test
  void anyRecordAsSparkDoes() {
    byte[] letters = "ab ,,,\"\"\"\t\u00e4'\\#".getBytes(StandardCharsets.UTF_8);
    for (char separator : new char[] {',', '\t', ' '}) {
      CsvCells cells = new CsvCells(separator, COLUMNS);
      SparkCells spark = new SparkCells(separator);
      Random random = new Random(7);
      for (int n = 0; n < 20_000; n++) {
        byte[] record = new byte[1 + random.nextInt(14)];
        for (int at = 0; at < record.length; at++) {
          record[at] = letters[random.nextInt(letters.length)];
        }
        if (new String(record, StandardCharsets.UTF_8).isBlank()) {
          continue; // such a line is left out
        }
        assertThat(cells(cells, record))
            .as("record '%s'", new String(record, StandardCharsets.UTF_8))
            .isEqualTo(expected(spark, record));
      }
    }
  }
}
