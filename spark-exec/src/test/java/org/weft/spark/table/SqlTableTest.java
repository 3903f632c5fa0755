package org.weft.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.spark.LocalSpark;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/** Tensors in Spark's catalog: what SQL alone can do with them. */
final class SqlTableTest {
  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark = LocalSpark.session();
  }

  @BeforeEach
  @AfterEach
  void drop() {
    spark.sql("DROP TABLE IF EXISTS t");
    spark.sql("DROP VIEW IF EXISTS v");
  }

  private String target(String name) {
    return folder.resolve(name).toString();
  }

  private String at(String name, String... more) {
    return "OPTIONS (path '" + target(name) + "'" + String.join("", more) + ")";
  }

  private static void run(String sql) {
    spark.sql(sql);
  }

  private static String rows(String sql) {
    return spark.sql(sql).collectAsList().toString();
  }

  private Container open(String name) {
    return Container.open(FileAccess.local(), target(name));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void insertAppendsAndInsertOverwriteReplaces() {
    run("CREATE TABLE t (user BIGINT, item INT, value DOUBLE) USING weft " + at("x.weft"));
    assertThatThrownBy(() -> rows("SELECT * FROM t"))
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.INPUT_NOT_FOUND));
    run("INSERT INTO t VALUES (7, 3, 1.5), (2, 4, 2)");
    assertThat(rows("SELECT * FROM t ORDER BY user")).isEqualTo("[[2,4,2.0], [7,3,1.5]]");
    assertThat(spark.table("t").schema().toDDL()).isEqualTo("user BIGINT,item INT,value DOUBLE");
    run("INSERT INTO t (value, item, user) SELECT 0.5D, 9, 100");
    assertThat(open("x.weft").version()).isEqualTo(2);
    assertThat(open("x.weft").modeNames()).containsExactly("user", "item");
    assertThat(rows("SELECT value FROM t WHERE item = 9")).isEqualTo("[[0.5]]");
    run("INSERT OVERWRITE t SELECT user + 1, item, value * 2 FROM t WHERE user < 50");
    assertThat(rows("SELECT * FROM t ORDER BY user")).isEqualTo("[[3,4,4.0], [8,3,3.0]]");
    assertThat(open("x.weft").version()).isEqualTo(3);
    run("DROP TABLE t");
    assertThat(open("x.weft").statistics().entries())
        .as("the catalog forgets, it stays")
        .isEqualTo(2);
  }

  @Test
  void createTableAsSelectMakesATensor() throws IOException {
    String made =
        "CREATE TABLE t USING weft "
            + at("x.weft", ", shape '50,60', modeOrder '1,0', partEntries '100'")
            + " AS SELECT id % 50 AS a, CAST(id % 59 AS INT) AS b, CAST(id AS FLOAT) AS value"
            + " FROM range(0, 1000, 1, 3)";
    run(made);
    assertThat(rows("SELECT count(*), sum(value), max(b) FROM t"))
        .isEqualTo("[[1000,499500.0,58]]");
    assertThat(open("x.weft").shape()).isEqualTo(TensorShape.of(50, 60));
    assertThat(open("x.weft").format().modeOrder()).containsExactly(1, 0);
    assertThat(open("x.weft").partCount()).isGreaterThan(5);
    List<String> before = files();
    run("DROP TABLE t");
    assertThatThrownBy(() -> run(made)) // adding would double the values
        .hasMessageContaining("without columns or query")
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.OUTPUT_EXISTS));
    assertThat(files()).isEqualTo(before);
    run("CREATE TABLE t USING weft " + at("x.weft"));
    assertThat(rows("SELECT count(*) FROM t WHERE a = 7")).isEqualTo("[[20]]");
  }

  @Test
  void aFailedInsertLeavesTheVersionBefore() throws IOException {
    run("CREATE TABLE t USING weft " + at("x.weft") + " AS SELECT 1L AS i, 2L AS j, 1D AS value");
    List<String> before = files();
    assertThatThrownBy(() -> run("INSERT INTO t SELECT -id, 1, 1 FROM range(5)"))
        .hasMessageContaining("column 'i': expected a coordinate from 0")
        .satisfies(
            e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.COORDINATE_OUT_OF_RANGE));
    assertThatThrownBy(() -> run("INSERT OVERWRITE t SELECT 1L, CAST(NULL AS BIGINT), 1D"))
        .hasMessageContaining("column 'j': expected a number, found null");
    assertThat(files()).isEqualTo(before);
    run("DROP TABLE t");
    assertThatThrownBy(
            () ->
                run(
                    "CREATE TABLE t USING weft "
                        + at("y.weft")
                        + " AS SELECT id AS i, 1L AS j, raise_error('no') + 0D AS value FROM range(9)"))
        .hasStackTraceContaining("no");
    assertThat(files()).isEqualTo(before);
    assertThat(spark.catalog().tableExists("t")).isFalse();
  }

  @Test
  void textIsATableToo() throws IOException {
    run(
        "CREATE TABLE t USING frostt "
            + at("x.tns")
            + " AS SELECT 4L AS i, 0 AS j, 2.5D AS value UNION ALL SELECT 0, 9, 1");
    assertThat(Files.readString(folder.resolve("x.tns"))).isEqualTo("1 10 1\n5 1 2.5\n");
    assertThat(rows("SELECT j, value FROM t WHERE i = 4")).isEqualTo("[[0,2.5]]");
    assertThatThrownBy(() -> run("INSERT INTO t VALUES (1, 1, 1)"))
        .hasMessageContaining("files do not grow", "INSERT OVERWRITE");
    run("INSERT OVERWRITE t VALUES (1, 1, 1)");
    assertThat(Files.readString(folder.resolve("x.tns"))).isEqualTo("2 2 1\n");
  }

  /** What Python, R and Scala programs say without a class of ours. */
  @Test
  void tablesByName() throws Exception {
    String path = target("x.weft");
    var table = spark.sql("SELECT id AS i, id * 2 AS j, 1D AS value FROM range(10)");
    table.write().format("weft").option("path", path).saveAsTable("t");
    assertThatThrownBy(() -> table.write().format("weft").option("path", path).saveAsTable("t"))
        .hasMessageContaining("already exists");
    table.write().format("weft").mode("append").saveAsTable("t");
    table.write().insertInto("t");
    table.writeTo("t").option("sort", "false").append();
    assertThat(rows("SELECT count(*), sum(value) FROM t")).isEqualTo("[[40,40.0]]");
    table.writeTo("t").overwrite(org.apache.spark.sql.functions.lit(true));
    assertThat(rows("SELECT count(*), sum(value) FROM t")).isEqualTo("[[10,10.0]]");
    assertThat(open("x.weft").version()).isEqualTo(5);
    assertThatThrownBy(() -> table.writeTo("t").option("srot", "false").append())
        .hasMessageContaining("found option 'srot'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TABLE t USING weft AS SELECT 1L i, 1L j, 1D value | OPTIONS (path '...')",
        "CREATE TABLE t USING weft OPTIONS (path 'x.weft') AS SELECT 1L i, 1L j, 1D value | expected an absolute path",
        "CREATE TABLE t USING weft OPTIONS (path '@/x.parquet') AS SELECT 1L i, 1D value | expected a file name that ends in",
        "CREATE TABLE t USING weft OPTIONS (path '@/x.weft') AS SELECT 1.5D i, 1D value | column 'i': expected bigint, int, string, as columns of modes have",
        "CREATE TABLE t USING frostt OPTIONS (path '@/x.tns') AS SELECT 'a' i, 1D value | column 'i': expected bigint, int, as columns",
        "CREATE TABLE t USING weft OPTIONS (path '@/x.weft') AS SELECT 1L i, 1.5 value | column 'value': expected bigint, double, float, int, found decimal(2,1); cast it",
        "CREATE TABLE t USING weft OPTIONS (path '@/x.weft', shpe '2') AS SELECT 1L i, 1D value | found option 'shpe'",
        "CREATE TABLE t (i BIGINT, value DOUBLE) USING weft OPTIONS (path '@/x.weft') PARTITIONED BY (i) | PARTITIONED BY",
        "CREATE TABLE t USING weft OPTIONS (path '@/x.weft') | expected a file, found nothing",
        "CREATE TABLE t USING frostt OPTIONS (path '@/x.tns') AS SELECT 1L i, 1 value | column 'value': expected double, found int",
      })
  void whatCannotBeMadeSaysWhy(String sql, String message) throws IOException {
    assertThatThrownBy(() -> run(sql.replace("@", folder.toString())))
        .hasMessageContaining(message);
    assertThat(files()).isEmpty();
    assertThat(spark.catalog().tableExists("t")).isFalse();
  }

  @Test
  void aTableWithLabelsOrOfAVersionIsForReading() throws IOException {
    Files.writeString(folder.resolve("names"), "a\nb\n");
    run(
        "CREATE TABLE t USING weft "
            + at("x.weft", ", labels.i '" + target("names") + "'")
            + " AS SELECT 1L AS i, 2L AS j, 1D AS value");
    run("INSERT INTO t VALUES (0, 0, 4)"); // labels are given again: the same
    for (String option : List.of("labels 'true'", "version '1'")) {
      run("DROP TABLE t");
      run("CREATE TABLE t USING weft " + at("x.weft", ", " + option));
      assertThatThrownBy(() -> run("INSERT OVERWRITE t TABLE t"))
          .hasMessageContaining("without the options labels=true and version");
    }
    run("CREATE TEMPORARY VIEW v USING weft " + at("x.weft", ", labels 'true'"));
    assertThat(rows("SELECT i_label, value FROM v ORDER BY i")).isEqualTo("[[a,4.0], [b,1.0]]");
    assertThatThrownBy(() -> run("INSERT INTO v VALUES (0, 'a', 0, 4)")).hasMessageContaining("v");
  }
}
