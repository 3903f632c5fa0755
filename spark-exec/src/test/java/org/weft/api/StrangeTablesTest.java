package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** Tables whose columns have types and names that others do not expect, and operands alike. */
class StrangeTablesTest {
  @TempDir Path folder;

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  private static Dataset<Row> sales() {
    return LocalSpark.session()
        .sql(
            "SELECT * FROM VALUES ('a', 1, 2.0D), ('b', 1, 3.0D), ('b', 2, 5.0D)"
                + " AS t(user, week, count)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user           | DATE'2024-01-01' | expected a number in column 'count', found date",
        "user | CAST(5 AS STRING) | expected a number in column 'count', found string",
        "user           | array(1)         | expected a number in column 'count', found array<int>",
        "map('k', week) | 1                | expected labels that can be compared in column 'label'",
        "array(parse_json('1')) | 1        | found array<variant>"
      })
  void aColumnOfAnotherTypeIsRefusedAtOnce(String label, String value, String message) {
    Dataset<Row> rows = sales().selectExpr(label + " AS label", value + " AS count");
    try (Weft weft = Weft.on(LocalSpark.current())) {
      WeftException refused =
          catchThrowableOfType(
              WeftException.class, () -> weft.tensor(rows, List.of("label"), "count"));
      assertThat(refused).hasMessageContaining(message);
      assertThat(refused.code()).isEqualTo(ErrorCode.USAGE);
    }
  }

  @ParameterizedTest
  @CsvSource({"coordinate", "weights", "label"})
  void aModeMayHaveTheNameOfAColumnOfFactors(String name) {
    Dataset<Row> rows = sales().withColumnRenamed("user", name);
    try (Weft weft = Weft.on(LocalSpark.current())) {
      CpModel model = weft.tensor(rows, List.of(name, "week"), "count").cpd(2).run();

      assertThat(model.factors(name).columns()).containsExactly(name, "coordinate", "weights");
      List<Row> predicted = model.transform(rows).sort("count").collectAsList();
      assertThat(predicted.get(2).getDouble(3)).isCloseTo(5, within(1e-6));
      assertThat(model.recommend(rows.select(name), "week", 1).count()).isEqualTo(2);
    }
  }

  @Test
  void labelsOfAnotherTypeAreComparedOrRefused() {
    Dataset<Row> rows = sales();
    try (Weft weft = Weft.on(LocalSpark.current())) {
      CpModel model = weft.tensor(rows, List.of("user", "week"), "count").cpd(2).run();

      assertThat(model.predict(Map.of("user", "b", "week", 2L))).isCloseTo(5, within(1e-6));
      assertThat(model.predict(Map.of("user", "b", "week", "2"))).isCloseTo(5, within(1e-6));
      assertThatThrownBy(() -> model.predict(Map.of("user", 7, "week", 2)))
          .hasMessage("user: expected a label of the model, found '7'");
      assertThatThrownBy(() -> model.predict(Map.of("user", "b", "week", "two")))
          .hasMessage("week: expected a label of the model, found 'two'");
      assertThatThrownBy(() -> model.predict(Map.of("user", "b", "week", LocalDate.EPOCH)))
          .hasMessage("week: expected a label of type int, found one of type date");
      assertThatThrownBy(() -> model.predict(Map.of("user", "b", "week", new Object() {})))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("week: expected a label of type int, found ");
      assertThatThrownBy(() -> model.transform(rows.withColumn("user", functions.lit(7))))
          .hasMessage(
              "expected labels of type string in column 'user', as in the model, found int; cast"
                  + " it");
      assertThatThrownBy(
              () -> model.recommend(rows.selectExpr("CAST(week AS STRING) week"), "user", 1))
          .hasMessageContaining("expected labels of type int in column 'week'");
      assertThat(model.transform(rows.withColumn("week", functions.col("week").cast("double"))))
          .satisfies(widened -> assertThat(widened.where("prediction > 4").count()).isEqualTo(1));
      assertThatThrownBy(() -> model.transform(rows.drop("week")))
          .hasMessage("expected a column 'week', found user, count");
    }
  }

  @Test
  void valuesOfStatementsMeetByLabelsOrAreRefused() {
    Dataset<Row> rows = sales();
    Dataset<Row> others = rows.withColumn("user", functions.expr("IF(user = 'a', 'c', 'b')"));
    try (Weft weft = Weft.on(LocalSpark.current())) {
      Tensor first = weft.eval("y(i) = A(i,j)", Map.of("A", rows));
      Tensor second = weft.eval("y(i) = A(i,j)", Map.of("A", others));
      Tensor same = weft.eval("y(i) = 2 * A(i,j)", Map.of("A", rows));

      assertThat(weft.eval("z(i) = P(i) + Q(i)", Map.of("P", first, "Q", same)).toArray())
          .isDeepEqualTo(new double[][] {{6, 24}});
      assertThatThrownBy(() -> weft.eval("z(i) = P(i) + Q(i)", Map.of("P", first, "Q", second)))
          .hasMessageContaining("label i: expected modes with the same labels, found other labels");
    }
  }

  @Test
  void aTableThatSparkKnowsToBeEmptyIsATensor() {
    Dataset<Row> none = sales().where("false");
    assertThat(none.javaRDD().getNumPartitions()).isZero();
    try (Weft weft = Weft.on(LocalSpark.current())) {
      Tensor tensor = weft.tensor(none, List.of("user", "week"), "count");
      assertThat(tensor.shape()).containsExactly(0, 0);
      assertThat(tensor.entries().count()).isZero();
      assertThat(tensor.cpd(2).run().fit()).isEqualTo(1);
      assertThat(weft.eval("y(i) = A(i,j)", Map.of("A", none)).entries().count()).isZero();
      assertThat(weft.eval("s = A(i,j)", Map.of("A", none)).toArray())
          .isDeepEqualTo(new double[][] {{0}});
    }
  }

  @Test
  void operandsThatAreNoneAreRefused() {
    try (Weft weft = Weft.local()) {
      Map<String, Object> none = new HashMap<>();
      none.put("A", null);
      assertThatThrownBy(() -> weft.eval("y(i) = A(i)", none))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("operand A: expected a Tensor")
          .hasMessageContaining("found null");
      assertThatThrownBy(() -> weft.eval("y(i) = A(i,j)", Map.of("A", new double[] {1, 2})))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected a tensor with 2 modes");
      CpdRun run = weft.tensor(new double[][] {{1, 2}}).cpd(1).constrain(-1, Constraint.SIMPLEX);
      assertThatThrownBy(run::run)
          .hasMessageContaining("expected constraints of modes 0 to 1, found one of mode -1");
      Tensor far = weft.tensor(new long[][] {{1L << 40}}, new double[] {1}, 1L << 41);
      assertThatThrownBy(far::toArray)
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("use forEach");
    }
  }

  @Test
  void savedLabelsAreTheSameInAnotherTimeZoneAndAsBytes() {
    LocalSpark.restart(Map.of("spark.sql.session.timeZone", "Europe/Berlin"));
    SparkSession spark = LocalSpark.current();
    Dataset<Row> rows =
        spark.sql(
            "SELECT timestamp_seconds(1729987200 + 3600 * id) AS hour, unhex(hex(200 + id)) AS key,"
                + " id + 1.0 AS value FROM range(4)");
    String uri = folder.resolve("hours").toString();
    try (Weft weft = Weft.on(spark)) {
      weft.tensor(rows, List.of("hour", "key"), "value").cpd(4).tolerance(0).run().save(uri);
      spark.conf().set("spark.sql.session.timeZone", "America/New_York");
      List<Row> predicted = weft.model(uri).transform(rows).sort("value").collectAsList();

      assertThat(predicted).hasSize(4);
      for (int n = 0; n < 4; n++) {
        assertThat(predicted.get(n).getDouble(3)).isCloseTo(n + 1, within(1e-6));
      }
      Dataset<Row> structs = rows.selectExpr("struct(key, 1) AS pair", "hour", "value");
      CpModel model = weft.tensor(structs, List.of("pair", "hour"), "value").cpd(1).run();
      assertThatThrownBy(() -> model.save(uri + "-structs"))
          .hasMessageContaining("mode pair: expected labels that text can hold, found struct<");
      assertThatThrownBy(() -> model.predict(Map.of("pair", "a", "hour", java.time.Instant.EPOCH)))
          .hasMessageContaining("pair: expected a label of type struct<");
    } finally {
      LocalSpark.stop();
    }
  }

  /** They are labels as others are, until text has to stand for them. */
  @Test
  void labelsThatAreNotUtf8AreNotSavedAsOthers() {
    Dataset<Row> rows =
        LocalSpark.session()
            .sql(
                "SELECT unhex(concat('F', id, '41')) AS user, id AS week, id + 1.0 AS count"
                    + " FROM range(3)");
    Dataset<Row> texts = rows.withColumn("user", functions.expr("CAST(user AS STRING)"));
    String uri = folder.resolve("model").toString();
    try (Weft weft = Weft.on(LocalSpark.current())) {
      CpModel model = weft.tensor(texts, List.of("user", "week"), "count").cpd(3).run();
      assertThat(model.factors("user").count()).isEqualTo(3);
      WeftException refused = catchThrowableOfType(WeftException.class, () -> model.save(uri));
      assertThat(refused)
          .hasMessageContaining("expected labels in UTF-8, found other bytes in '\ufffdA'");
      assertThat(refused.code()).isEqualTo(ErrorCode.MALFORMED_INPUT);
      assertThat(Path.of(uri)).doesNotExist();
      weft.tensor(rows, List.of("user", "week"), "count").cpd(3).tolerance(0).run().save(uri);
      List<Row> predicted = weft.model(uri).transform(rows).sort("week").collectAsList();
      for (int n = 0; n < 3; n++) {
        assertThat(predicted.get(n).getDouble(3)).isCloseTo(n + 1, within(1e-6));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'NULL', 'count', 'expected a value in column ''count'' in every row, found null'",
    "double('NaN'), count, the sum of the squares of the",
    "double('Infinity'), count, the sum of the squares of the",
    "'NULL', user, 'expected a label in column ''user'' in every row, found null'",
    "'CAST(NULL AS INT)', week, 'expected a label in column ''week'' in every row, found null'"
  })
  void aCellWithoutALabelOrNumberIsOneError(String cell, String column, String message) {
    Dataset<Row> rows =
        sales().withColumn(column, functions.expr("IF(user = 'a', " + cell + ", " + column + ")"));
    try (Weft weft = Weft.on(LocalSpark.current())) {
      Tensor x = weft.tensor(rows, List.of("user", "week"), "count");
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> x.cpd(1).run(), () -> x.tucker(1, 1).run(), () -> x.complete(1).run())) {
        assertThatThrownBy(call).isInstanceOf(WeftException.class).hasMessageContaining(message);
      }
    }
  }

  @Test
  void aWeftIsClosedAfterItsSession() {
    Dataset<Row> rows = sales();
    Weft weft = Weft.on(LocalSpark.current());
    Tensor tensor = weft.tensor(rows, List.of("user", "week"), "count");
    assertThat(tensor.cpd(1).iterations(1).run().matrix("user")).hasDimensions(2, 1);
    LocalSpark.stop();
    weft.close();
    weft.close();
    assertThatThrownBy(() -> tensor.cpd(1).run())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("this Weft is closed");
  }

  /** Whatever needs the session says that it is gone; what lies in this process is still there. */
  @Test
  void aStoppedSessionIsOneError() {
    Dataset<Row> rows = sales();
    SparkSession spark = LocalSpark.current();
    Weft weft = Weft.on(spark);
    Tensor table = weft.tensor(rows, List.of("user", "week"), "count");
    Tensor fresh = weft.tensor(rows, List.of("user", "week"), "count");
    Tensor array = weft.tensor(new double[][] {{1, 2}});
    CpModel model = table.cpd(1).iterations(1).run();
    String saved = folder.resolve("saved").toString();
    model.save(saved);
    LocalSpark.stop();
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("on", () -> Weft.on(spark));
    calls.put("tensor", () -> weft.tensor(rows, List.of("user"), "count").shape());
    calls.put("first use", fresh::shape);
    calls.put("entries", table::entries);
    calls.put("forEach", () -> table.forEach((at, value) -> {}));
    calls.put("toArray", table::toArray);
    calls.put("cpd", () -> table.cpd(1).run());
    calls.put("tucker", () -> table.tucker(1, 1).run());
    calls.put("complete", () -> table.complete(1).run());
    calls.put("array", () -> array.cpd(1).run());
    calls.put("array's entries", array::entries);
    calls.put("eval", () -> weft.eval("y(i) = A(i,j)", Map.of("A", table)).toArray());
    calls.put("file", () -> weft.tensor("no.tns").shape());
    calls.put("factors", () -> model.factors("user"));
    calls.put("transform", () -> model.transform(rows));
    calls.put("recommend", () -> model.recommend(rows, "user", 1));
    calls.put("save", () -> model.save(saved + "-again"));
    calls.put("model", () -> weft.model(saved));
    calls.forEach(
        (name, call) ->
            assertThatThrownBy(call)
                .as(name)
                .isInstanceOfSatisfying(
                    WeftException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.CLUSTER_UNAVAILABLE))
                .hasMessageContaining("expected the Spark session of this Weft to run"));
    assertThat(model.matrix("user")).hasDimensions(2, 1);
    assertThat(model.predict(0, 0)).isPositive();
    weft.close();
  }
}
