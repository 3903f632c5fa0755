package org.weft.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.spark.LocalSpark;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/** Tables written as tensors. */
final class WriteTableTest {
  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark = LocalSpark.session();
  }

  /** 2,000 entries of a 97 x 89 x 7 tensor in no order, no two at the same place. */
  private static Dataset<Row> table() {
    return spark.sql(
        "SELECT id * 31 % 97 AS user, CAST(id % 89 AS INT) AS item, CAST(id % 7 AS SMALLINT) AS time,"
            + " id / 8.0D AS value FROM range(0, 2000, 1, 3)");
  }

  private String target(String name) {
    return folder.resolve(name).toString();
  }

  private static Container open(String path) {
    return Container.open(FileAccess.local(), path);
  }

  private static Dataset<Row> read(String path) {
    return spark.read().format("weft").load(path);
  }

  private static void assertSameRows(Dataset<Row> found, Dataset<Row> expected) {
    assertThat(texts(found)).isEqualTo(texts(expected));
  }

  private static List<String> texts(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().toList();
  }

  @Test
  void aTableComesBackAsItWas() {
    String path = target("x.weft");
    table().write().format("weft").option("partEntries", 100).save(path);
    assertThat(read(path).columns()).containsExactly("user", "item", "time", "value");
    assertSameRows(read(path), table());
    Container made = open(path);
    assertThat(made.isDistinct()).as("every part has slices of its own").isTrue();
    assertThat(made.shape()).isEqualTo(TensorShape.of(97, 89, 7));
    assertThat(made.partCount()).isGreaterThan(10);
    assertThat(made.statistics().entries()).isEqualTo(2000);
    Dataset<Row> few = read(path).where("user = 40");
    assertSameRows(few, table().where("user = 40"));
    assertThat(few.rdd().getNumPartitions()).isOne();
  }

  @Test
  void columnsOptionsAndTheBaseShapeTheTensor() throws IOException {
    Path names = folder.resolve("names.txt");
    Files.writeString(names, "a\nb\nc\n");
    String path = target("x.weft");
    Path twice = folder.resolve("twice.txt");
    Files.writeString(twice, "a\nb\na\n");
    assertThatThrownBy(
            () ->
                spark
                    .sql("SELECT 0L AS i, 0L AS j, 1D AS value")
                    .write()
                    .format("weft")
                    .option("labels.i", twice.toString())
                    .save(path))
        .hasMessageContaining(twice + ":3: expected a label that no other line has, found 'a'");
    spark
        .sql("SELECT 2 AS j, 0.5F AS w, 3L AS i UNION ALL SELECT 1, 1.5F, 1L")
        .write()
        .format("weft")
        .option("modes", "i,j")
        .option("value", "w")
        .option("base", 1)
        .option("shape", "4,5")
        .option("modeOrder", "1,0")
        .option("labels.i", names.toString())
        .option("sort", false)
        .save(path);
    assertThat(open(path).shape()).isEqualTo(TensorShape.of(4, 5));
    assertThat(open(path).format().modeOrder()).containsExactly(1, 0);
    Dataset<Row> back = spark.read().format("weft").option("labels", true).load(path);
    assertThat(back.schema().toDDL())
        .isEqualTo("i BIGINT NOT NULL,i_label STRING,j BIGINT NOT NULL,value FLOAT NOT NULL");
    assertThat(back.orderBy("i").collectAsList().toString())
        .isEqualTo("[[0,a,0,1.5], [2,c,1,0.5]]");
  }

  @ParameterizedTest
  @CsvSource({"BIGINT, 9007199254740993", "INT, -7", "FLOAT, 0.25", "DOUBLE, 0.1"})
  void valuesKeepTheirType(String type, String value) {
    String path = target("x.weft");
    Dataset<Row> one = spark.sql("SELECT 1L i, 2L j, CAST('" + value + "' AS " + type + ") value");
    one.write().format("weft").save(path);
    assertThat(read(path).schema().apply("value").dataType().sql()).isEqualTo(type);
    assertThat(read(path).first().get(2)).isEqualTo(one.first().get(2));
  }

  @Test
  void saveModesAreTheContainers() {
    String path = target("x.weft");
    Dataset<Row> half = table().where("user < 50");
    half.write().format("weft").mode(SaveMode.Append).save(path); // nothing there: a first version
    assertThatThrownBy(() -> table().write().format("weft").save(path))
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.OUTPUT_EXISTS));
    table().write().format("weft").mode(SaveMode.Ignore).save(path);
    assertThat(open(path).version()).isEqualTo(1);
    // In another order of columns: names decide.
    table()
        .where("user >= 50")
        .select("value", "time", "item", "user")
        .write()
        .format("weft")
        .mode(SaveMode.Append)
        .save(path);
    assertThat(open(path).version()).isEqualTo(2);
    assertThat(open(path).isDistinct()).isTrue();
    assertSameRows(read(path), table());
    // A tensor may be replaced by what is read from it.
    read(path).where("time = 3").write().format("weft").mode(SaveMode.Overwrite).save(path);
    assertThat(open(path).version()).isEqualTo(3);
    assertSameRows(read(path), table().where("time = 3"));
    assertSameRows(spark.read().format("weft").option("version", 1).load(path), half);
  }

  @Test
  void anEmptyTableIsATensorWithoutEntries() {
    String path = target("x.weft");
    table().where("user < 0").write().format("weft").option("shape", "97,89,7").save(path);
    assertThat(read(path).count()).isZero();
    assertThat(read(path).collectAsList()).isEmpty();
    assertThat(open(path).shape()).isEqualTo(TensorShape.of(97, 89, 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-5L        | 2.0D            | COORDINATE_OUT_OF_RANGE | column 'i': expected a coordinate from 0 to 9, found -5 in row (i=-5, j=7, value=2.0)",
        "10L        | 2.0D            | COORDINATE_OUT_OF_RANGE | column 'i': expected a coordinate from 0 to 9, found 10",
        "CAST(NULL AS BIGINT) | 2.0D  | MALFORMED_INPUT         | column 'i': expected a number, found null in row (i=null, j=7, value=2.0)",
        "3L         | CAST(NULL AS DOUBLE) | MALFORMED_INPUT    | column 'value': expected a number, found null in row (i=3, j=7, value=null)",
        "3L         | CAST('NaN' AS DOUBLE) | NONFINITE_VALUE   | column 'value': expected a finite value, found NaN",
      })
  void aWrongCellNamesColumnRowAndCodeAndLeavesNothing(
      String coordinate, String value, ErrorCode code, String message) throws IOException {
    String path = target("x.weft");
    Dataset<Row> table =
        spark.sql(
            "SELECT id % 10 AS i, id AS j, 1.0D AS value FROM range(0, 500, 1, 4) UNION ALL SELECT "
                + coordinate
                + ", 7L, "
                + value);
    boolean sort = code == ErrorCode.MALFORMED_INPUT;
    assertThatThrownBy(
            () ->
                table
                    .write()
                    .format("weft")
                    .option("sort", sort)
                    .option("shape", "10,1000")
                    .save(path))
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(e.toString()).contains(": " + code.label() + ": "));
    assertThat(filesBelow(folder)).isEmpty();
    assertThatThrownBy(
            () -> table.write().format("frostt").option("shape", "10,1000").save(target("x.tns")))
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(code));
    assertThat(filesBelow(folder)).isEmpty();
  }

  private static List<String> filesBelow(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(Path::toString).toList();
    }
  }

  @Test
  void aFailedAppendLeavesTheVersionBefore() throws IOException {
    String path = target("x.weft");
    table().write().format("weft").save(path);
    List<String> before = filesBelow(folder);
    Dataset<Row> failing =
        spark.sql(
            "SELECT id AS user, 1 AS item, 1 AS time, IF(id = 900, raise_error('no'), 1.0D) AS value"
                + " FROM range(0, 1000, 1, 4)");
    assertThatThrownBy(
            () -> failing.write().format("weft").option("sort", false).mode("append").save(path))
        .hasStackTraceContaining("no");
    assertThat(filesBelow(folder)).containsExactlyInAnyOrderElementsOf(before);
    assertThat(read(path).count()).isEqualTo(2000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.tns", "x.tns.gz", "x.mtx", "x.wtb"})
  void tablesBecomeFiles(String name) {
    String path = target(name);
    Dataset<Row> matrix = table().select("user", "item", "value");
    matrix.write().format("frostt").save(path);
    Dataset<Row> back = spark.read().format("frostt").option("modes", "user,item").load(path);
    assertSameRows(back, matrix);
    assertThatThrownBy(() -> matrix.write().format("frostt").save(path))
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.OUTPUT_EXISTS));
    matrix.limit(0).write().format("frostt").mode(SaveMode.Ignore).save(path);
    matrix.where("user < 9").write().format("frostt").mode(SaveMode.Overwrite).save(path);
    assertSameRows(
        spark.read().format("frostt").option("modes", "user,item").load(path),
        matrix.where("user < 9"));
  }

  @Test
  void textIsSortedAndCountsFromOne() throws IOException {
    String path = target("x.tns");
    spark
        .sql("SELECT 4L i, 0L j, 2.5D value UNION ALL SELECT 0L, 9L, 1.0D")
        .write()
        .format("frostt")
        .save(path);
    assertThat(Files.readString(Path.of(path))).isEqualTo("1 10 1\n5 1 2.5\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT 1L i, 2L j, 'a' value        | x.weft | | | column 'value': expected values of a number type but decimal, found string",
        "SELECT 1.5D i, 2L j, 1D value       | x.weft | | | column 'i': expected coordinates of type bigint",
        "SELECT 1L i, 2L j, 1D weight        | x.weft | | | expected a column 'value', found columns [i, j, weight]",
        "SELECT 1L i, 2L j, 3L k, 1D value   | x.weft | modes | i,j | expected a column for each mode and 'value'",
        "SELECT 1L i, 2L j, 1D value         | x.weft | modes | i,k | expected a column 'k'",
        "SELECT 1L i, 2L j, 1D value         | x.weft | shape | 3   | expected 2 mode sizes in shape",
        "SELECT 1L i, 2L j, 1D value         | x.weft | shape | a,b | expected shape=N,N",
        "SELECT 1L i, 2L j, 1D value         | x.weft | labels.k | f | found labels.k",
        "SELECT 1L i, 2L j, 1D value         | x.tns  | | | expected a folder that ends in .weft",
        "SELECT 1L i, 2L j, 1D value         | x.parquet | | | expected a file name that ends in",
      })
  void wrongColumnsAndOptionsAreNamed(
      String sql, String name, String option, String value, String message) throws IOException {
    assertThatThrownBy(
            () ->
                spark
                    .sql(sql)
                    .write()
                    .format("weft")
                    .option(option == null ? "sort" : option, option == null ? "true" : value)
                    .save(target(name)))
        .hasMessageContaining(message);
    assertThat(filesBelow(folder)).isEmpty();
  }

  @Test
  void partitionByIsRefused() {
    assertThatThrownBy(
            () -> table().write().format("weft").partitionBy("user").save(target("x.weft")))
        .hasMessageContaining("found partitionBy");
  }
}
