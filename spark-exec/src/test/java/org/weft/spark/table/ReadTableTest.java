package org.weft.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** Tensors read as tables. Entry (i, j, k) of the container is {@code 100 i + 10 j + k}. */
final class ReadTableTest {
  private static final int SLICES = 8;
  private static final int PART_ENTRIES = 4;

  @TempDir static Path folder;
  private static SparkSession spark;
  private static String container;

  @BeforeAll
  static void write() throws IOException {
    spark = LocalSpark.session();
    container = folder.resolve("x.weft").toString();
    write(
        ContainerOptions.defaults()
            .withModeNames(List.of("user", "item", "time"))
            .withPartEntries(PART_ENTRIES),
        Existing.REFUSE);
  }

  /** A part for each slice of the first mode. */
  private static void write(ContainerOptions options, Existing existing) throws IOException {
    CooBlock.Builder entries = new CooBlock.Builder(3, 16);
    for (int i = 0; i < SLICES; i++) {
      for (int e = 0; e < PART_ENTRIES; e++) {
        int j = e / 2;
        int k = e % 2 + i % 3;
        entries.add(new long[] {i, j, k}, 100 * i + 10 * j + k);
      }
    }
    try (TensorOutput output =
        TensorFiles.create(
            FileAccess.local(),
            container,
            existing,
            3,
            WriteOptions.defaults()
                .withContainer(options)
                .withLabels(Map.of(1, Labels.of(List.of("apple", "bread")))))) {
      output.write(entries.build());
      output.commit();
    }
  }

  private static Dataset<Row> tensor() {
    return spark.read().format("weft").load(container);
  }

  @Test
  void aTensorIsATableOfCoordinatesAndValue() {
    Dataset<Row> table = tensor();
    assertThat(table.schema().toDDL())
        .isEqualTo(
            "user BIGINT NOT NULL,item BIGINT NOT NULL,time BIGINT NOT NULL,value DOUBLE NOT NULL");
    List<Row> rows = table.collectAsList();
    assertThat(rows).hasSize(SLICES * PART_ENTRIES);
    assertThat(rows)
        .allSatisfy(
            row ->
                assertThat(row.getDouble(3))
                    .isEqualTo(100 * row.getLong(0) + 10 * row.getLong(1) + row.getLong(2)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user = 3                        | 1 | 4",
        "3 >= user                       | 4 | 16",
        "user > 1 AND user < 4           | 2 | 8",
        "user IN (0, 7, 99)              | 2 | 8",
        "user = 0 OR user = 6            | 2 | 8",
        "user <> 5                       | 7 | 28",
        "NOT (user < 6)                  | 2 | 8",
        "user = 3 AND item = 1           | 1 | 2",
        "time = 3                        | 2 | 4",
        "user > 7                        | 0 | 0",
        "user = -1                       | 0 | 0",
        "user > 9223372036854775806      | 0 | 0",
        "user IS NOT NULL                | 8 | 32",
      })
  void predicatesOnCoordinatesLeaveOutParts(String predicate, int parts, int rows) {
    Dataset<Row> found = tensor().where(predicate);
    assertThat(found.collectAsList()).hasSize(rows);
    assertThat(partitionsOf(found)).isEqualTo(parts);
    if (parts > 0) {
      assertThat(metric(found, ScanMetrics.PARTS_READ)).isEqualTo(parts);
      assertThat(metric(found, ScanMetrics.PARTS_PRUNED)).isEqualTo(SLICES - parts);
      assertThat(metric(found, ScanMetrics.ENTRIES_READ)).isEqualTo((long) parts * PART_ENTRIES);
    }
  }

  /** Damage to what a query does not look at goes unnoticed, because it is not read. */
  @Test
  void onlyTheArraysOfTheColumnsAreRead() throws Exception {
    java.nio.file.Path data =
        java.nio.file.Files.list(java.nio.file.Path.of(container, "data", "1"))
            .filter(file -> file.toString().endsWith(".bin"))
            .findFirst()
            .orElseThrow();
    byte[] good = java.nio.file.Files.readAllBytes(data);
    double sum = tensor().selectExpr("sum(value)").first().getDouble(0);
    long distinct = tensor().select("item", "time").distinct().count();
    int values = 0;
    int coordinates = 0;
    for (int at = 0; at < 7 * 64; at += 64) { // the arrays of the first part
      byte[] bad = good.clone();
      bad[at] ^= 1;
      java.nio.file.Files.write(data, bad);
      boolean byValue = fails(() -> tensor().selectExpr("sum(value)").first().getDouble(0), sum);
      boolean byCoordinate =
          fails(() -> tensor().select("item", "time").distinct().count(), distinct);
      assertThat(byValue && byCoordinate).isFalse();
      values += byValue ? 1 : 0;
      coordinates += byCoordinate ? 1 : 0;
    }
    java.nio.file.Files.write(data, good);
    assertThat(values).isEqualTo(1);
    assertThat(coordinates).isEqualTo(6);
  }

  private static <T> boolean fails(java.util.concurrent.Callable<T> query, T expected)
      throws Exception {
    try {
      assertThat(query.call()).isEqualTo(expected);
      return false;
    } catch (org.apache.spark.SparkException e) {
      return true;
    }
  }

  @Test
  void predicatesOnOtherColumnsAreSparks() {
    Dataset<Row> found = tensor().where("value > 650 AND user % 2 = 1");
    assertThat(found.collectAsList()).hasSize(PART_ENTRIES).allMatch(row -> row.getLong(0) == 7);
    assertThat(partitionsOf(found)).isEqualTo(SLICES);
  }

  @Test
  void columnsThatNobodyAsksForAreNotRead() {
    Dataset<Row> times = tensor().where("user = 2").select("time");
    assertThat(scan(times).readSchema().fieldNames()).containsExactly("time");
    assertThat(times.as(org.apache.spark.sql.Encoders.LONG()).collectAsList())
        .containsExactlyInAnyOrder(2L, 3L, 2L, 3L);
    Dataset<Row> counted = tensor().groupBy().count();
    assertThat(counted.first().getLong(0)).isEqualTo(SLICES * PART_ENTRIES);
    assertThat(metric(counted, ScanMetrics.ENTRIES_READ)).isZero(); // the manifest knows
  }

  @Test
  void sqlReadsAView() {
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW t USING weft OPTIONS (path '" + container + "')");
    List<Row> sums =
        spark
            .sql(
                "SELECT item, sum(value) s FROM t WHERE user BETWEEN 2 AND 3 GROUP BY item ORDER BY item")
            .collectAsList();
    // user 2: k 2, 3; user 3: k 0, 1
    assertThat(sums.get(0).getDouble(1)).isEqualTo(202 + 203 + 300 + 301);
    assertThat(sums.get(1).getDouble(1)).isEqualTo(212 + 213 + 310 + 311);
  }

  @Test
  void aCatalogMayKeepATable() {
    spark.sql("CREATE TABLE kept USING weft OPTIONS (path '" + container + "', base '1')");
    try {
      assertThat(spark.sql("SELECT sum(user) FROM kept WHERE item = 1").first().getLong(0))
          .isEqualTo(2 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8));
    } finally {
      spark.sql("DROP TABLE kept");
    }
  }

  @Test
  void labelsStandBesideCoordinates() {
    Dataset<Row> labelled = spark.read().format("weft").option("labels", "true").load(container);
    assertThat(labelled.columns()).containsExactly("user", "item", "item_label", "time", "value");
    assertThat(labelled.schema().apply("item_label").dataType()).isEqualTo(DataTypes.StringType);
    assertThat(labelled.where("item_label = 'bread'").collectAsList())
        .hasSize(SLICES * PART_ENTRIES / 2)
        .allMatch(row -> row.getLong(1) == 1 && row.getString(2).equals("bread"));
  }

  @Test
  void optionsNameColumnsAndTheBase() {
    Dataset<Row> renamed =
        spark
            .read()
            .format("weft")
            .option("modes", "a, b, c")
            .option("value", "v")
            .option("base", 1)
            .load(container)
            .where("a = 4 AND c >= 2");
    assertThat(renamed.columns()).containsExactly("a", "b", "c", "v");
    assertThat(partitionsOf(renamed)).isEqualTo(1);
    List<Row> rows = renamed.collectAsList();
    assertThat(rows).hasSize(2).allMatch(row -> row.getLong(0) == 4 && row.getLong(2) == 2);
    assertThat(rows).anyMatch(row -> row.getDouble(3) == 311);
  }

  @Test
  void aTableKeepsItsVersion() throws IOException {
    String again = folder.resolve("versions.weft").toString();
    String first = container;
    try {
      container = again;
      write(ContainerOptions.defaults(), Existing.REFUSE);
      Dataset<Row> before = tensor();
      write(ContainerOptions.defaults(), Existing.APPEND);
      assertThat(before.count()).isEqualTo(SLICES * PART_ENTRIES);
      assertThat(tensor().count()).isEqualTo(2 * SLICES * PART_ENTRIES);
      assertThat(spark.read().format("weft").option("version", 1).load(again).count())
          .isEqualTo(SLICES * PART_ENTRIES);
      assertThatThrownBy(() -> spark.read().format("weft").option("version", 9).load(again))
          .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.INPUT_NOT_FOUND));
    } finally {
      container = first;
    }
  }

  @Test
  void aReorderedTensorShowsOriginalCoordinates() throws IOException {
    String first = container;
    try {
      container = folder.resolve("reordered.weft").toString();
      write(
          ContainerOptions.defaults()
              .withPartEntries(PART_ENTRIES)
              .withPermutations(Map.of(0, new int[] {7, 6, 5, 4, 3, 2, 1, 0}, 1, new int[] {1, 0})),
          Existing.REFUSE);
      Dataset<Row> found =
          spark.read().format("weft").option("labels", true).load(container).where("mode0 = 2");
      assertThat(partitionsOf(found)).as("ranges are of stored coordinates").isEqualTo(SLICES);
      assertThat(found.collectAsList())
          .hasSize(PART_ENTRIES)
          .allSatisfy(
              row -> {
                long item = row.getLong(1);
                assertThat(row.getString(2)).isEqualTo(item == 0 ? "bread" : "apple");
                assertThat(row.getDouble(4)).isEqualTo(500 + 10 * (1 - item) + row.getLong(3));
              });
      Dataset<Row> all = spark.read().format("weft").load(container);
      String[] names = all.columns();
      all.where("mode0 = 2")
          .withColumn("mode0", org.apache.spark.sql.functions.expr("mode0 + 7L"))
          .write()
          .format("weft")
          .mode("append")
          .save(container);
      Dataset<Row> added = spark.read().format("weft").load(container);
      assertThat(added.count()).isEqualTo(all.count() + PART_ENTRIES);
      assertThat(added.where("mode0 = 9").drop("mode0").except(all.drop("mode0")).count()).isZero();
      assertThat(added.where("mode0 < 8").except(all).count()).isZero();
      assertThat(added.columns()).isEqualTo(names);
    } finally {
      container = first;
    }
  }

  @Test
  void textHasTheCoordinatesOfEveryOtherTable() throws IOException {
    Path text = folder.resolve("x.tns");
    Files.writeString(text, "# three entries\n1 1 1 0.5\n2 1 3 1.5\n2 1 3 2\n");
    Dataset<Row> table = spark.read().format("frostt").load(text.toString());
    assertThat(table.columns()).containsExactly("mode0", "mode1", "mode2", "value");
    assertThat(table.where("mode2 = 2").select("mode0", "value").collectAsList().toString())
        .isEqualTo("[[1,1.5], [1,2.0]]");
    Dataset<Row> asWritten =
        spark
            .read()
            .format("frostt")
            .option("base", 1)
            .option("modes", "i,j,k")
            .load(text.toString());
    assertThat(asWritten.where("k < 2").collectAsList().toString()).isEqualTo("[[1,1,1,0.5]]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft   | version | x     | expected version=N, found 'x'",
        "weft   | verson  | 1     | found option 'verson'",
        "weft   | labels  | maybe | expected labels=true, false or only",
        "weft   | base    | 2     | expected base=0 or 1",
        "weft   | modes   | a,b   | expected 3 names of modes, found 2",
        "weft   | value   | USER  | found 'USER' twice",
        "weft   | header  | none  | found option 'header'",
        "frostt | version | 1     | found option 'version'",
        "frostt | base    | 0     | found a folder .weft",
      })
  void wrongOptionsAreNamed(String format, String option, String value, String message) {
    assertThatThrownBy(() -> spark.read().format(format).option(option, value).load(container))
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(code(e)).isEqualTo(ErrorCode.USAGE));
  }

  @Test
  void aWrongLineIsOneErrorWithItsCode() throws IOException {
    Path text = folder.resolve("bad.tns");
    Files.writeString(text, "1 1 1\n0 1 1\n");
    assertThatThrownBy(() -> spark.read().format("frostt").load(text.toString()).collect())
        .hasStackTraceContaining("WEFT-302")
        .hasStackTraceContaining("bad.tns:2");
  }

  @Test
  void aSchemaThatIsNotTheTensorsIsRefused() {
    assertThatThrownBy(
            () ->
                spark.read().schema("a BIGINT, v STRING").format("weft").load(container).collect())
        .hasMessageContaining("expected the schema user BIGINT");
  }

  static ErrorCode code(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WeftException weft) {
        return weft.code();
      }
    }
    throw new AssertionError("no error of ours", failure);
  }

  private static int partitionsOf(Dataset<Row> table) {
    return scan(table).planInputPartitions().length;
  }

  private static TensorScan scan(Dataset<Row> table) {
    return scans(table).get(0);
  }

  private static List<TensorScan> scans(Dataset<Row> table) {
    List<TensorScan> scans = new ArrayList<>();
    plan(table)
        .foreach(
            node -> {
              if (node
                  instanceof org.apache.spark.sql.execution.datasources.v2.BatchScanExec scan) {
                scans.add((TensorScan) scan.scan());
              }
              return scala.runtime.BoxedUnit.UNIT;
            });
    return scans;
  }

  private static org.apache.spark.sql.execution.SparkPlan plan(Dataset<Row> table) {
    org.apache.spark.sql.execution.SparkPlan plan =
        ((org.apache.spark.sql.classic.Dataset<Row>) table).queryExecution().executedPlan();
    return plan instanceof org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec adaptive
        ? adaptive.executedPlan()
        : plan;
  }

  private static long metric(Dataset<Row> table, String name) {
    List<Long> values = new ArrayList<>();
    plan(table)
        .foreach(
            node -> {
              scala.Option<SQLMetric> metric = node.metrics().get(name);
              if (metric.isDefined()) {
                values.add(metric.get().value());
              }
              return scala.runtime.BoxedUnit.UNIT;
            });
    assertThat(values).as(name).hasSize(1);
    return values.get(0);
  }
}
