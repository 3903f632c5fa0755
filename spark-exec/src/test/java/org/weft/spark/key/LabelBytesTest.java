package org.weft.spark.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** Keys of cells of every type that Spark can sort. */
class LabelBytesTest {
  private static final String WORDS =
      "element_at(array('', 'a', 'A', 'b', 'ab', '\\0', '\\0\\0', 'a\\0', 'a\\0b', 'é', '日本', 'zz'),"
          + " 1 + CAST(rand(1) * 12 AS INT))";
  private static final String SMALL = "CAST(rand(2) * 7 - 3 AS INT)";

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  /** The same ones each time, in one partition, which Spark sorts without moving rows. */
  private static Dataset<Row> cells(String expression) {
    return LocalSpark.session().range(0, 400, 1, 1).selectExpr(expression + " AS cell");
  }

  /** The cells of {@code table} as Spark holds them. */
  private static List<Object> held(Dataset<Row> table, DataType type) {
    return Arrays.stream(
            ((org.apache.spark.sql.classic.Dataset<Row>) table)
                .queryExecution()
                .executedPlan()
                .executeCollect())
        .map(row -> row.copy().get(0, type))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WORDS,
        SMALL,
        "CAST(" + WORDS + " AS BINARY)",
        SMALL + " > 0",
        "CAST(" + SMALL + " AS TINYINT)",
        "CAST(" + SMALL + " AS SMALLINT)",
        "CAST((rand(3) - 0.5) * 1.8e19 AS BIGINT)",
        "CAST((rand(3) - 0.5) * 10 AS FLOAT)",
        "element_at(array(0D, -0D, 1D, -1D, double('NaN'), double('inf'), double('-inf'), 1e-310D),"
            + " 1 + CAST(rand(4) * 8 AS INT))",
        "element_at(array(float(0), float(-0D), float('NaN'), float(-2)), 1 + CAST(rand(4) * 4 AS INT))",
        "CAST((rand(5) - 0.5) * 1000 AS DECIMAL(9, 3))",
        "CAST((rand(5) - 0.5) * 1e20 AS DECIMAL(38, 10))",
        "date_add(DATE'1969-12-28', " + SMALL + ")",
        "TIMESTAMP'1969-12-31 23:59:59.9' + make_dt_interval(0, 0, 0, (rand(6) - 0.5))",
        "TIMESTAMP_NTZ'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, (rand(6) - 0.5))",
        "make_dt_interval(" + SMALL + ")",
        "make_ym_interval(" + SMALL + ")",
        "struct(" + WORDS + " AS a, " + SMALL + " AS b)",
        "struct(IF(rand(7) < 0.3, NULL, " + WORDS + ") AS a, array(" + SMALL + ") AS b)",
        "transform(sequence(1, 1 + CAST(rand(8) * 3 AS INT)), i -> IF(i = 2, NULL, " + WORDS + "))",
        "slice(array(" + WORDS + ", 'a', NULL), 1, CAST(rand(9) * 4 AS INT))",
        "array(array(" + SMALL + "), array(1, NULL))",
        "array(struct(" + WORDS + " AS a))"
      })
  void bytesAreInTheOrderOfSparkAndGiveTheCellsBack(String expression) {
    Dataset<Row> table = cells(expression);
    DataType type = table.schema().apply(0).dataType();
    LabelBytes labels = LabelBytes.of(type);
    List<Object> distinct = held(table.distinct().sort("cell"), type);
    List<byte[]> keys =
        distinct.stream().map(cell -> labels.bytes(labels.at(row(cell), 0))).toList();
    for (int at = 1; at < keys.size(); at++) {
      assertThat(Arrays.compareUnsigned(keys.get(at - 1), keys.get(at)))
          .as("%s before %s", distinct.get(at - 1), distinct.get(at))
          .isNegative();
    }
    List<byte[]> all =
        held(table, type).stream().map(cell -> labels.bytes(labels.at(row(cell), 0))).toList();
    assertThat(all.stream().map(Arrays::toString).distinct().count()).isEqualTo(keys.size());
    UnsafeProjection written = UnsafeProjection.create(new DataType[] {type});
    assertThat(keys)
        .map(key -> written.apply(row(labels.cell(key))).copy())
        .isEqualTo(distinct.stream().map(cell -> written.apply(row(cell)).copy()).toList());
  }

  private static InternalRow row(Object cell) {
    return new GenericInternalRow(new Object[] {cell});
  }

  @Test
  void textThatIsComparedOtherwiseIsRefused() {
    DataType type = cells("'a' COLLATE UNICODE_CI").schema().apply(0).dataType();
    assertThatThrownBy(() -> LabelBytes.of(type))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("expected labels that are compared by their bytes, found string")
        .hasMessageContaining("cast it to string collate UTF8_BINARY");
    assertThatThrownBy(() -> LabelBytes.of(DataTypes.createMapType(type, type)))
        .isInstanceOf(WeftException.class);
  }
}
