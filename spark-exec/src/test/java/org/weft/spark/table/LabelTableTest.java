package org.weft.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.spark.LocalSpark;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** Columns of labels: rows that say which labels an entry has, whatever the coordinates are. */
final class LabelTableTest {
  private static final String DAY_1 =
      "VALUES ('u5', 'pear', 1.0D), ('u3', 'fig', 2.0D), ('u3', 'pear', 4.0D) AS t(user, item, value)";
  private static final String DAY_2 =
      "VALUES ('u1', 'pear', 8.0D), ('u5', 'apple', 16.0D), ('u5', 'pear', 32.0D)"
          + " AS t(user, item, value)";

  /** Both days: {@code u5 pear} twice. */
  private static final String BOTH =
      "[[u1,pear,8.0], [u3,fig,2.0], [u3,pear,4.0], [u5,apple,16.0], [u5,pear,33.0]]";

  private static SparkSession spark;

  /** With {@code x.weft} of the first day, which stays as it is. */
  @TempDir static Path shared;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark = LocalSpark.session();
    append(DAY_1).save(shared.resolve("x.weft").toString());
  }

  @BeforeEach
  @AfterEach
  void drop() {
    spark.sql("DROP TABLE IF EXISTS t");
  }

  private String target() {
    return folder.resolve("x.weft").toString();
  }

  private Container open() {
    return Container.open(FileAccess.local(), target());
  }

  private List<String> labels(int mode) {
    return open().labels().original(mode).toList();
  }

  private static DataFrameWriter<Row> append(String rows) {
    return spark.sql("SELECT * FROM " + rows).write().format("weft").mode("append");
  }

  /** Sums by labels, sorted. */
  private String sums(String... options) {
    var reader = spark.read().format("weft").option("labels", "only");
    for (int o = 0; o < options.length; o += 2) {
      reader.option(options[o], options[o + 1]);
    }
    return reader
        .load(target())
        .groupBy("user", "item")
        .sum("value")
        .orderBy("user", "item")
        .collectAsList()
        .toString();
  }

  private List<String> files() throws IOException {
    return filesBelow(folder);
  }

  private static List<String> filesBelow(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(Path::toString).sorted().toList();
    }
  }

  @Test
  void labelsFindTheirCoordinatesAndNewOnesFollow() {
    append(DAY_1).save(target()); // nothing there: labels in their order
    assertThat(labels(0)).containsExactly("u3", "u5");
    assertThat(labels(1)).containsExactly("fig", "pear");
    append(DAY_2).save(target());
    assertThat(labels(0)).containsExactly("u3", "u5", "u1");
    assertThat(labels(1)).containsExactly("fig", "pear", "apple");
    assertThat(sums()).isEqualTo(BOTH);
    assertThat(sums("version", "1")).isEqualTo("[[u3,fig,2.0], [u3,pear,4.0], [u5,pear,1.0]]");
    // Columns of coordinates have the tensor's own, as before.
    assertThat(
            spark
                .read()
                .format("weft")
                .option("labels", true)
                .load(target())
                .where("user_label = 'u1'")
                .collectAsList()
                .toString())
        .isEqualTo("[[2,u1,1,pear,8.0]]");
  }

  /** Spark gives such a table no partitions. Modes without labels would take none later. */
  @Test
  void anEmptyTableIsATensorWhoseFirstLabelsFollow() {
    String none = "(SELECT * FROM " + DAY_2 + " WHERE false)";
    append(none).option("batch", "d0").save(target());
    assertThat(open().batches()).containsExactly("d0");
    assertThat(sums()).isEqualTo("[]");
    append(DAY_1).save(target());
    assertThat(labels(0)).containsExactly("u3", "u5");
    append(none).save(target());
    assertThat(sums()).isEqualTo("[[u3,fig,2.0], [u3,pear,4.0], [u5,pear,1.0]]");
    append(none).mode("overwrite").save(target());
    assertThat(sums()).isEqualTo("[]");
  }

  /** {@link #sqlInsertsLabels} writes a batch once in every build. */
  @Tag("long")
  @Test
  void aBatchIsWrittenOnceOrReplaced() throws IOException {
    append(DAY_1).option("batch", "d1").save(target());
    append(DAY_2).option("batch", "d2").save(target());
    List<String> before = files();
    for (String key : List.of("d1", "d2")) {
      append(DAY_2).option("batch", key).save(target());
    }
    assertThat(files()).as("a retried night changes nothing").isEqualTo(before);
    assertThat(sums()).isEqualTo(BOTH);
    append("VALUES ('u9', 'fig', 64.0D) AS t(user, item, value)")
        .option("batch", "d2")
        .option("replaceBatch", true)
        .save(target());
    assertThat(sums()).isEqualTo("[[u3,fig,2.0], [u3,pear,4.0], [u5,pear,1.0], [u9,fig,64.0]]");
    assertThat(open().batches()).containsExactlyInAnyOrder("d1", "d2");
    assertThat(labels(0)).as("coordinates stay").containsExactly("u3", "u5", "u1", "u9");
    assertThatThrownBy(() -> append(DAY_1).option("batch", " ").save(target()))
        .hasMessageContaining("found a blank key");
    assertThatThrownBy(() -> append(DAY_1).option("replaceBatch", true).save(target()))
        .hasMessageContaining("expected replaceBatch with batch=KEY");
  }

  @Test
  void sqlInsertsLabels() throws IOException {
    spark.sql(
        "CREATE TABLE t (user STRING, item STRING, value DOUBLE) USING weft OPTIONS (path '"
            + target()
            + "')");
    spark.sql("INSERT INTO t SELECT * FROM " + DAY_1);
    spark.sql("INSERT INTO t WITH (batch = 'd2') SELECT * FROM " + DAY_2);
    List<String> before = files();
    spark.sql("INSERT INTO t WITH (batch = 'd2') SELECT * FROM " + DAY_2);
    assertThat(files()).isEqualTo(before);
    assertThat(sums()).isEqualTo(BOTH);
    String grouped = "SELECT user, item, sum(value) FROM t GROUP BY ALL ORDER BY user, item";
    assertThat(spark.sql(grouped).collectAsList().toString()).isEqualTo(BOTH);
    assertThat(spark.sql("SELECT value FROM t WHERE user = 'u1'").collectAsList().toString())
        .isEqualTo("[[8.0]]");
    spark.sql("INSERT INTO t (value, item, user) VALUES (0.5D, 'kiwi', 'u0')");
    assertThat(labels(1)).containsExactly("fig", "pear", "apple", "kiwi");
    spark.sql("INSERT OVERWRITE t SELECT user, item, value FROM t WHERE item = 'pear'");
    assertThat(labels(0)).as("a new dictionary, in order").containsExactly("u1", "u3", "u5");
    // A table of what is there.
    spark.sql("DROP TABLE t");
    spark.sql("CREATE TABLE t USING weft OPTIONS (path '" + target() + "', labels 'only')");
    spark.sql("INSERT INTO t VALUES ('u3', 'pear', 1.0D)");
    assertThat(sums()).isEqualTo("[[u1,pear,8.0], [u3,pear,5.0], [u5,pear,33.0]]");
    assertThat(labels(0)).containsExactly("u1", "u3", "u5");
  }

  @Test
  void aBatchBelongsToOneInsert() {
    String table = "CREATE TABLE t (user STRING, value DOUBLE) USING weft OPTIONS (path '";
    assertThatThrownBy(() -> spark.sql(table + target() + "', batch 'd1')"))
        .hasMessageContaining("INSERT INTO t WITH (batch = 'KEY')");
    append(DAY_1).save(target());
    spark.sql(
        "CREATE TABLE t USING weft OPTIONS (path '" + target() + "', labels 'only', batch 'd1')");
    assertThatThrownBy(() -> spark.sql("INSERT INTO t VALUES ('a', 'b', 1.0D)"))
        .hasMessageContaining("INSERT INTO t WITH (batch = 'KEY')");
  }

  @Test
  void labelsAndCoordinatesMayMeet() {
    String rows = "VALUES ('b', 3L, 1.0D), ('a', 5L, 2.0D) AS t(user, hour, value)";
    append(rows).option("base", 1).save(target());
    assertThat(labels(0)).containsExactly("a", "b");
    assertThat(open().shape().toString()).isEqualTo("2 x 5");
    append("VALUES ('c', 24L, 4.0D), ('a', 5L, 8.0D) AS t(user, hour, value)")
        .option("base", 1)
        .save(target());
    Dataset<Row> all =
        spark.read().format("weft").option("labels", "only").option("base", 1).load(target());
    assertThat(all.orderBy("user", "hour", "value").collectAsList().toString())
        .isEqualTo("[[a,5,2.0], [a,5,8.0], [b,3,1.0], [c,24,4.0]]");
    assertThat(all.schema().toDDL())
        .isEqualTo("user STRING,hour BIGINT NOT NULL,value DOUBLE NOT NULL");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'b', CAST(NULL AS BIGINT), 1.0D | column 'hour': expected a number, found null in row (user=b, hour=null, value=1.0); nothing is written",
        "'b', 3L, CAST(NULL AS DOUBLE)   | column 'value': expected a number, found null in row (user=b, hour=3, value=null)",
        "'b', -1L, 1.0D                  | column 'hour': expected a coordinate from 0 to",
        "'b', 3L, double('NaN')          | column 'value': expected a finite value, found NaN",
      })
  void cellsBesideLabelsAreChecked(String cells, String message) throws IOException {
    String rows = "(SELECT " + cells + " UNION ALL SELECT 'a', 5L, 2.0D) AS t(user, hour, value)";
    assertThatThrownBy(() -> append(rows).save(target())).hasStackTraceContaining(message);
    assertThat(files()).isEmpty();
  }

  /** As in {@code ingest}, what is no UTF-8 becomes the replacement character. */
  @Test
  void bytesThatAreNoTextAreOneLabel() {
    String rows =
        "(SELECT CAST(X'61FF' AS STRING), 1.0D UNION ALL SELECT CAST(X'61FE' AS STRING), 2.0D"
            + " UNION ALL SELECT 'b', 4.0D) AS t(user, value)";
    append(rows).save(target());
    append(rows).save(target());
    assertThat(labels(0)).containsExactly("a\uFFFD", "b");
  }

  @Test
  void integersBesideLabelsStayExact() {
    append("VALUES ('b', 3L, 9007199254740993L), ('a', 5L, -7L) AS t(user, hour, value)")
        .save(target());
    Dataset<Row> all = spark.read().format("weft").option("labels", "only").load(target());
    assertThat(all.orderBy("user").collectAsList().toString())
        .isEqualTo("[[a,5,-7], [b,3,9007199254740993]]");
  }

  @Tag("long")
  @Test
  void manyLabelsOfManyPartitionsGrowATensorThatWasReordered() throws IOException {
    String rows =
        "(SELECT concat('u', id %% 300 + %d) user, concat('i', id %% 7) item, 1.0D value"
            + " FROM range(0, 2100, 1, 5))";
    append(String.format(rows, 0)).save(target());
    List<String> before = labels(0);
    reorder();
    append(String.format(rows, 200)).option("partEntries", 100).save(target());
    assertThat(labels(0)).startsWith(before.toArray(String[]::new)).hasSize(500);
    assertThat(labels(0)).doesNotHaveDuplicates();
    Dataset<Row> all = spark.read().format("weft").option("labels", "only").load(target());
    assertThat(all.count()).isEqualTo(4200);
    Dataset<Row> expected =
        spark
            .sql("SELECT * FROM " + String.format(rows, 0))
            .unionAll(spark.sql("SELECT * FROM " + String.format(rows, 200)));
    assertThat(all.select("user", "item", "value").exceptAll(expected).isEmpty()).isTrue();
  }

  /**
   * A version with the same entries, whose slices of mode 0 are stored from the last to the first.
   */
  private void reorder() throws IOException {
    FileAccess files = FileAccess.local();
    Container made = open();
    int size = (int) made.shape().size(0);
    int[] reversed = IntStream.range(0, size).map(c -> size - 1 - c).toArray();
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(made.shape())
            .withLabels(
                Map.of(
                    0,
                    Labels.of(backwards(made.labels().original(0).toList())),
                    1,
                    made.labels().original(1)))
            .withContainer(
                ContainerOptions.defaults()
                    .withModeNames(made.modeNames())
                    .withPermutations(Map.of(0, reversed)));
    InputPlan plan = TensorFiles.open(files, target(), ReadOptions.defaults());
    try (TensorOutput out = TensorFiles.create(files, target(), Existing.REPLACE, 2, options)) {
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(files, plan, split)) {
          while (reader.hasNext()) {
            CooBlock block = reader.next();
            CooBlock.Builder moved = new CooBlock.Builder(2, 16);
            for (int e = 0; e < block.size(); e++) {
              moved.set(0, size - 1 - block.coordinate(0, e));
              moved.set(1, block.coordinate(1, e));
              moved.finish(block.value(e));
            }
            out.write(moved.build());
          }
        }
      }
      out.commit();
    }
  }

  private static List<String> backwards(List<String> labels) {
    List<String> turned = new ArrayList<>(labels);
    Collections.reverse(turned);
    return turned;
  }

  @Test
  void rowsThatAreDifferentEachTimeKeepTheirLabels() {
    spark
        .sql(
            "SELECT concat('u', id, '-', CAST(rand() * 1000000 AS INT)) user, 1.0D value FROM range(500)")
        .write()
        .format("weft")
        .save(target());
    assertThat(open().statistics().entries()).isEqualTo(500);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT 'a' user, 'b' thing, 1D value  | expected a column 'item', found columns [user, thing, value]",
        "SELECT 'a' user, 1D value             | expected a column 'item'",
        "SELECT 'a' user, 'b' item, 'c' more, 1D value | expected a column for each mode",
        "SELECT 'a' user, 7L item, 1D value    | expected coordinates below 2 in mode item",
        "SELECT 'a' user, 1.5D item, 1D value  | , or labels of type string, found double",
        "SELECT 'a' user, ' ' item, 1D value   | column 'item': expected a label of one line of at most 1 MiB, found blank text in row (user=a, item= , value=1.0)",
        "SELECT 'a' user, CAST(NULL AS STRING) item, 1D value | found null in row",
        "SELECT concat('a', char(10), 'b') user, 'c' item, 1D value | found line ends or more text",
      })
  void whatCannotBeAddedIsNamedAndLeavesNothing(String sql, String message) throws IOException {
    List<String> before = filesBelow(shared);
    String path = shared.resolve("x.weft").toString();
    assertThatThrownBy(() -> spark.sql(sql).write().format("weft").mode("append").save(path))
        .hasMessageContaining(message);
    assertThat(filesBelow(shared)).isEqualTo(before);
  }

  @Test
  void labelsNeedModesThatHaveSome() throws IOException {
    spark.sql("SELECT 1L user, 2L item, 1D value").write().format("weft").save(target());
    List<String> before = files();
    assertThatThrownBy(() -> append(DAY_1).save(target()))
        .hasMessageContaining("mode user of the tensor has no labels, found labels (string)")
        .hasMessageContaining("give coordinates, or write a new tensor with labels")
        .satisfies(e -> assertThat(ReadTableTest.code(e)).isEqualTo(ErrorCode.USAGE));
    assertThat(files()).isEqualTo(before);
    assertThatThrownBy(
            () ->
                spark
                    .sql("SELECT * FROM " + DAY_1)
                    .write()
                    .format("frostt")
                    .save(folder.resolve("x.tns").toString()))
        .hasMessageContaining("expected coordinates of type bigint");
    assertThatThrownBy(
            () -> append(DAY_1).option("shape", "9,9").save(folder.resolve("y.weft").toString()))
        .hasMessageContaining("expected no option shape with columns of labels");
  }
}
