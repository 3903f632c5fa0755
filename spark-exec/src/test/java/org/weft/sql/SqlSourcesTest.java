package org.weft.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** Statements and decompositions by SQL alone, as clients without Weft's classes ask for them. */
class SqlSourcesTest {
  @TempDir static Path folder;
  private static SparkSession spark;

  @BeforeAll
  static void start() throws IOException {
    LocalSpark.restart(Map.of("spark.sql.shuffle.partitions", "2"));
    spark = LocalSpark.current();
    spark.sql(
        "CREATE TEMPORARY VIEW counts AS SELECT * FROM VALUES ('a','apple',6L), ('b','apple',3L),"
            + " ('c','pear',5L) AS t(user, item, count)");
    spark.sql(
        "CREATE TEMPORARY VIEW prices AS SELECT * FROM VALUES ('apple', 2.0D), ('pear', 10.0D)"
            + " AS t(item, price)");
    Files.writeString(folder.resolve("a.tns"), "1 1 2\n1 2 3\n2 2 4\n");
  }

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  @Test
  void aStatementIsATable() {
    Dataset<Row> paid =
        spark
            .read()
            .format("weft-eval")
            .option("expression", "P(user) = k * C(user,item) * p(item)")
            .option("operand.C", "counts")
            .option("operand.p", "prices")
            .option("operand.k", "0.5")
            .load();

    assertThat(paid.columns()).containsExactly("user", "value");
    assertThat(paid.where("value > 3").sort("user").collectAsList())
        .containsExactly(RowFactory.create("a", 6.0), RowFactory.create("c", 25.0));
    assertThat(paid.count()).isEqualTo(3);
  }

  /** Who makes a table without what it needs learns so then, not where the table is read. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "weft-cp       | tensor     |",
        "weft-tucker   | tensor     |",
        "weft-complete | tensor     |",
        "weft-eval     | expression |",
        "weft          | path       |",
        "frostt        | path       |",
        "weft-cp       | rank       | tensor 'counts'",
        "weft-tucker   | ranks      | tensor 'counts'",
        "weft-complete | rank       | tensor 'counts'",
        "weft-eval     | operand.A  | expression 'y(i) = A(i,j)'",
        "weft-cp       | no_such    | tensor 'no_such', rank '2'",
        "weft          | no_such    | path '/no_such/x.weft'",
        "frostt        | no_such    | path '/no_such/x.tns'",
      })
  void tablesWithoutWhatTheyNeedAreNotMade(String format, String missing, String given) {
    String options = given == null ? "" : " OPTIONS (" + given + ")";
    for (String kind : List.of("TABLE", "TEMPORARY VIEW")) {
      String text = "CREATE " + kind + " lacking USING `" + format + "`" + options;
      assertThatThrownBy(() -> spark.sql(text)).as(text).hasMessageContaining(missing);
    }
    if (given == null) {
      String text = "CREATE TABLE lacking (i BIGINT, value DOUBLE) USING `" + format + "`";
      assertThatThrownBy(() -> spark.sql(text)).as(text).hasMessageContaining(missing);
    }
    assertThat(spark.catalog().tableExists("lacking")).isFalse();
  }

  @Test
  void viewsAndFunctionsNeedNoProgram() {
    spark.sql(
        "CREATE TEMPORARY VIEW squares USING `weft-eval` OPTIONS (expression 'C(i,k) = A(i,j) *"
            + " A(j,k)', `operand.A` '"
            + folder.resolve("a.tns")
            + "')");
    List<Row> rows = spark.sql("SELECT * FROM squares ORDER BY i, k").collectAsList();
    assertThat(rows)
        .containsExactly(
            RowFactory.create(0L, 0L, 4.0),
            RowFactory.create(0L, 1L, 18.0),
            RowFactory.create(1L, 1L, 16.0));
    assertThat(
            spark
                .sql(
                    "SELECT user, value FROM weft_eval('y(user) = C(user,item) * p(item)', 'C',"
                        + " 'counts', 'p', 'prices') WHERE user = 'b'")
                .collectAsList())
        .containsExactly(RowFactory.create("b", 6.0));
    List<Row> top =
        spark
            .sql(
                "SELECT label, weight FROM weft_cp('counts', 2, 'tolerance', 0, 'iterations', 5)"
                    + " WHERE mode = 'user' AND component = 0 ORDER BY abs(weight) DESC LIMIT 1")
            .collectAsList();
    assertThat(top.get(0).getString(0)).isIn("a", "c");
  }

  /** {@link #viewsAndFunctionsNeedNoProgram} decomposes in every build. */
  @Tag("long")
  @Test
  void aDecompositionIsATableOfWeights() {
    Dataset<Row> model =
        spark
            .read()
            .format("weft-cp")
            .option("tensor", "counts")
            .option("modes", "user, item")
            .option("value", "count")
            .option("rank", 2)
            .option("iterations", 5)
            .option("tolerance", 0)
            .load();
    assertThat(model.count()).isEqualTo((3 + 2) * 2);
    Row value =
        model
            .where("mode = 'user' AND label = 'c'")
            .as("u")
            .join(
                model.where("mode = 'item' AND label = 'pear'").as("i"),
                org.apache.spark.sql.functions.expr("u.component = i.component"))
            .selectExpr("sum(u.lambda * u.weight * i.weight)", "max(u.fit)")
            .head();
    assertThat(value.getDouble(0)).isCloseTo(5, within(1e-6));
    assertThat(value.getDouble(1)).isCloseTo(1, within(1e-6));
  }

  /** {@link #theCoreOfATuckerModelIsATable} reads the factors in every build. */
  @Tag("long")
  @Test
  void aTuckerModelIsATable() {
    Dataset<Row> model =
        spark.sql("SELECT * FROM weft_tucker('counts', '2, 2', 'iterations', 4)").cache();
    assertThat(model.columns())
        .containsExactly("mode", "label", "coordinate", "component", "weight", "lambda", "fit");
    assertThat(model.count()).isEqualTo((3 + 2) * 2);
    // Singular values: those of ((6, 0), (3, 0), (0, 5)).
    List<Row> lambdas =
        model
            .where("mode = 'item'")
            .select("lambda", "fit")
            .distinct()
            .sort("lambda")
            .collectAsList();
    assertThat(lambdas).hasSize(2);
    assertThat(lambdas.get(0).getDouble(0)).isCloseTo(5, within(1e-9));
    assertThat(lambdas.get(1).getDouble(0)).isCloseTo(Math.sqrt(45), within(1e-9));
    assertThat(lambdas.get(0).getDouble(1)).isCloseTo(1, within(1e-6));
  }

  @Test
  void theCoreOfATuckerModelIsATable() {
    String function = "weft_tucker('counts', '2,2', 'iterations', 4, 'seed', 3%s)";
    spark.sql("SELECT * FROM " + function.formatted("")).createOrReplaceTempView("factors");
    Dataset<Row> core = spark.sql("SELECT * FROM " + function.formatted(", 'core', true"));
    assertThat(core.columns()).containsExactly("component0", "component1", "value");
    assertThat(core.count()).isEqualTo(2 * 2);
    String nonnegative = ", 'core', true, 'init', 'random', 'nonnegative', true";
    Row least = spark.sql("SELECT min(value) FROM " + function.formatted(nonnegative)).head();
    assertThat(least.getDouble(0)).isNotNegative();
    core.createOrReplaceTempView("core");
    double value =
        spark
            .sql(
                "SELECT sum(core.value * u.weight * i.weight) FROM core JOIN factors u ON"
                    + " u.component = component0 JOIN factors i ON i.component = component1 WHERE"
                    + " u.mode = 'user' AND u.label = 'c' AND i.mode = 'item' AND i.label = 'pear'")
            .head()
            .getDouble(0);
    assertThat(value).isCloseTo(5, within(1e-6));
  }

  @Test
  void aCompletionIsATable() {
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW ratings AS SELECT user, item, (user + 1) * (item + 2) AS"
            + " stars FROM (SELECT explode(sequence(0, 7)) AS user), (SELECT explode(sequence(0,"
            + " 6)) AS item) WHERE user + item <> 9");
    Map<String, String> options =
        Map.of("tensor", "ratings", "rank", "1", "heldOut", "0", "iterations", "2");
    Dataset<Row> model = spark.read().format("weft-complete").options(options).load();
    // A component, a column of biases for each mode, and the mean.
    assertThat(model.select("component").distinct().count()).isEqualTo(1 + 2 + 1);

    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW unrated AS SELECT * FROM VALUES ('x', 7, 2), ('y', 3,"
            + " 6), ('z', 99, 0) AS t(note, user, item)");
    Dataset<Row> asked =
        spark.sql(
            "SELECT * FROM weft_complete('ratings', 1, 'rows', 'unrated', 'biases', false, 'ridge',"
                + " 0.00001, 'heldOut', 0, 'iterations', 15) ORDER BY note");
    assertThat(asked.columns()).containsExactly("note", "user", "item", "prediction");
    List<Row> values = asked.collectAsList();
    assertThat(values.get(0).getDouble(3)).isCloseTo(8 * 4, within(0.1));
    assertThat(values.get(1).getDouble(3)).isCloseTo(4 * 8, within(0.1));
    assertThat(values.get(2).isNullAt(3)).isTrue();
  }

  /** {@link #aCompletionIsATable} has rows in every build. */
  @Tag("long")
  @Test
  void rowsGetTheValuesOfAnyModel() {
    for (String function : List.of("weft_cp('counts', 2", "weft_tucker('counts', '2,2'")) {
      List<Row> rows =
          spark
              .sql(
                  "SELECT user, item, count, prediction FROM "
                      + function
                      + ", 'rows', 'counts', 'tolerance', 0, 'iterations', 5)")
              .collectAsList();
      assertThat(rows)
          .hasSize(3)
          .allSatisfy(
              row -> assertThat(row.getDouble(3)).isCloseTo((double) row.getLong(2), within(1e-5)));
    }
  }

  @Test
  void optionsOfEveryDecompositionAreChecked() {
    assertError(
        "weft-tucker", Map.of("tensor", "counts"), "expected option 'ranks', such as 8,8,4");
    assertError("weft-tucker", Map.of("tensor", "counts", "ranks", "2,x"), "such as 8,8,4; found");
    assertError("weft-tucker", Map.of("tensor", "counts", "rank", "2"), "expected options among");
    Map<String, String> start =
        Map.of("tensor", "counts", "ranks", "2,2", "nonnegative", "true", "init", "sthosvd");
    assertThatThrownBy(() -> spark.read().format("weft-tucker").options(start).load().count())
        .hasMessageContaining("tucker: expected init random for nonnegative models, found sthosvd");
    assertError(
        "weft-tucker",
        Map.of("tensor", "counts", "ranks", "2,2", "core", "true", "rows", "counts"),
        "expected 'core' or 'rows', found both");
    assertError("weft-complete", Map.of("tensor", "counts"), "expected option 'rank', such as 16");
    Map<String, String> biases = Map.of("tensor", "counts", "rank", "2", "biases", "yes");
    assertError("weft-complete", biases, "expected true or false for option 'biases', found 'yes'");
    assertError(
        "weft-complete", Map.of("tensor", "3", "rank", "2"), "expected a table or a path as");
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW guessed AS SELECT 'a' AS user, 1 AS prediction");
    assertError(
        "weft-cp",
        Map.of("tensor", "counts", "rank", "2", "rows", "guessed"),
        "expected 'rows' without a column 'prediction'");
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW nameless AS SELECT 'a' AS nobody");
    Map<String, String> nameless = Map.of("tensor", "counts", "rank", "2", "rows", "nameless");
    assertThatThrownBy(() -> spark.read().format("weft-cp").options(nameless).load().count())
        .hasMessageContaining("expected 'rows' with a column for each mode, ")
        .hasMessageContaining(", found nobody");
    assertThatThrownBy(() -> spark.sql("SELECT * FROM weft_tucker('counts')").count())
        .hasMessageContaining("weft_tucker: expected tensor, ranks and then pairs");
  }

  @Test
  void optionsAreCheckedBeforeWork() {
    assertError("weft-eval", Map.of(), "expected option 'expression', such as");
    assertError(
        "weft-eval",
        Map.of("expression", "y(i) = A(i,j)"),
        "expected option 'operand.A', such as a path or a table's name; found none");
    assertError(
        "weft-eval",
        Map.of("expresion", "x"),
        "expected options among expression, operand.NAME, found 'expresion'");
    assertError(
        "weft-eval",
        Map.of("expression", "y(i) = A(i,j)", "operand.A", "counts", "operand.B", "counts"),
        "expected options operand.NAME for A, found 'operand.b'");
    assertError("weft-cp", Map.of("tensor", "counts"), "expected option 'rank', such as 16; found");
    assertError("weft-cp", Map.of("tensor", "counts", "rank", "0"), "of at least 1, such as 16");
    Map<String, String> huge = Map.of("tensor", "counts", "rank", "1e12");
    assertThatThrownBy(() -> spark.read().format("weft-cp").options(huge).load().count())
        .hasMessageContaining("a rank of 1 to 46340");
    assertError(
        "weft-cp", Map.of("tensor", "counts", "rank", "x"), "expected a number for option 'rank'");
    assertThatThrownBy(() -> spark.sql("SELECT * FROM weft_cp('counts')").count())
        .hasMessageContaining("weft_cp: expected tensor, rank and then pairs")
        .hasMessageContaining("found 1 argument");
    assertThatThrownBy(() -> spark.sql("SELECT * FROM weft_eval('s = A(i)', 'A', NULL)").count())
        .hasMessageContaining("weft_eval: expected constants as arguments, found NULL");
  }

  /** None is dropped, read as another number, or replaced by another without a word. */
  @Test
  void optionsAreTakenAsTheyAre() {
    String path = folder.resolve("a.tns").toString();
    for (String columns : List.of("modes", "value")) {
      assertError(
          "weft-cp",
          Map.of("tensor", path, "rank", "1", columns, "i"),
          "expected a table as 'tensor' with '" + columns + "', found the path " + path);
    }
    assertError(
        "weft-eval",
        Map.of("expression", "y(i) = A(i,j) * a(j,i)", "operand.A", path, "operand.a", "counts"),
        "expected names of operands that differ in more than case, found A and a");
    assertError("weft-cp", Map.of("tensor", " ", "rank", "1"), "expected option 'tensor', such");
    for (String wrong : List.of("1e300", "9223372036854775808", "1.5")) {
      Map<String, String> seed = Map.of("tensor", "counts", "rank", "1", "seed", wrong);
      assertThatThrownBy(() -> spark.read().format("weft-cp").options(seed).load().count())
          .hasMessageContaining("less than 2^63 for option 'seed', found '" + wrong + "'");
    }
    List<List<Row>> models = new ArrayList<>();
    for (long seed = 1L << 53; seed < (1L << 53) + 2; seed++) {
      String sql = "SELECT weight FROM weft_cp('counts', 2, 'iterations', 1, 'seed', " + seed + ")";
      models.add(spark.sql(sql).collectAsList());
    }
    assertThat(models.get(0)).isNotEqualTo(models.get(1));
    for (String twice : List.of("'seed', 1, 'SEED', 2", "'rank', 1")) {
      assertThatThrownBy(() -> spark.sql("SELECT * FROM weft_cp('counts', 2, " + twice + ")"))
          .hasMessageContaining("weft_cp: expected each name once, found another ");
    }
  }

  @Test
  void nothingIsSavedInAComputedFormat() {
    for (String format : List.of("weft-eval", "weft-cp", "weft-tucker", "weft-complete")) {
      assertThatThrownBy(() -> spark.table("counts").write().format(format).save())
          .hasMessageContaining("format '" + format + "': expected a format for saving")
          .hasMessageContaining("'weft'");
    }
    assertError(
        "weft-eval",
        Map.of("expression", "y(i) = A(i,j)", "operand.A", "counts", "path", "/tmp/t"),
        "found 'path'; a computed table has no place: define it with CREATE TEMPORARY VIEW");
  }

  @Test
  void aModeMayHaveTheNameOfAColumnOfFactors() {
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW named AS SELECT 'a' AS coordinate, 'p' AS weights, 2 AS"
            + " count UNION ALL SELECT 'b', 'p', 3");
    List<Row> rows =
        spark
            .sql("SELECT mode, label FROM weft_cp('named', 1, 'iterations', 1) ORDER BY 1, 2")
            .collectAsList();
    assertThat(rows)
        .extracting(Row::toString)
        .containsExactly("[coordinate,a]", "[coordinate,b]", "[weights,p]");
  }

  @Tag("long")
  @Test
  void optionsOfASampledDecompositionAreChecked() {
    Map<String, String> arls =
        Map.of("tensor", "counts", "rank", "2", "method", "arls", "iterations", "2");
    assertThat(spark.read().format("weft-cp").options(arls).load().count()).isPositive();
    for (String wrong :
        List.of("method newton", "sample 0", "sample x", "polish 0", "polish 1.5")) {
      Map<String, String> options = new HashMap<>(arls);
      options.put(wrong.split(" ")[0], wrong.split(" ")[1]);
      assertThatThrownBy(() -> spark.read().format("weft-cp").options(options).load().count())
          .isInstanceOf(WeftException.class)
          .hasMessageContaining(wrong.split(" ")[1]);
    }
  }

  private static void assertError(String format, Map<String, String> options, String message) {
    assertThatThrownBy(() -> spark.read().format(format).options(options).load())
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(message);
  }
}
