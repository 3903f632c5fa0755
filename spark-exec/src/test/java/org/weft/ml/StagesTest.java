package org.weft.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.SQLTransformer;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.ml.tuning.TrainValidationSplit;
import org.apache.spark.ml.tuning.TrainValidationSplitModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** Estimators and models as stages of Spark's machine learning, in a session with its defaults. */
class StagesTest {
  private static final String[] MODES = {"user", "item", "week"};

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    LocalSpark.restart(Map.of("spark.sql.shuffle.partitions", "2"));
  }

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  /**
   * Users a and b buy apples in weeks 1 and 2, a twice as many; c buys pears and figs in week 3.
   */
  private static Dataset<Row> sales() {
    return LocalSpark.current()
        .sql(
            "SELECT * FROM VALUES ('a','apple',1,6L), ('a','apple',2,6L), ('b','apple',1,3L),"
                + " ('b','apple',2,3L), ('c','pear',3,5L), ('c','fig',3,1L)"
                + " AS t(user, item, week, count)");
  }

  private static Cp cp() {
    return new Cp().setModeCols(MODES).setValueCol("count").setRank(2).setTol(1e-12);
  }

  private static Dataset<Row> asked() {
    return LocalSpark.current()
        .sql("SELECT 'c' AS user, 'pear' AS item, 3 AS week UNION ALL SELECT 'x', 'pear', 3");
  }

  /** {@link PySparkTest} predicts and recommends in every build. */
  @Tag("long")
  @Test
  void aModelPredictsAndRecommends() {
    CpModel model = cp().fit(sales());

    assertThat(model.fit()).isCloseTo(1, within(1e-6));
    assertThat(model.rank()).isEqualTo(2);
    assertThat(model.factors("week").columns()).containsExactly("week", "coordinate", "weights");
    assertThat(model.factors("user").sort("user").collectAsList())
        .extracting(row -> row.getString(0))
        .containsExactly("a", "b", "c");
    List<Row> predicted = model.transform(asked()).sort("user").collectAsList();
    assertThat(predicted.get(0).getDouble(3)).isCloseTo(5, within(1e-5));
    assertThat(predicted.get(1).getDouble(3)).isNaN();
    assertThat(model.setColdStartStrategy("drop").transform(asked()).count()).isEqualTo(1);

    Row best = model.recommend(asked().select("user"), "item", 2).head();
    assertThat(best.getString(0)).isEqualTo("c");
    List<Row> items = best.getList(1);
    assertThat(items).extracting(row -> row.getString(0)).containsExactly("pear", "fig");
    assertThat(items.get(0).getDouble(1)).isCloseTo(5.0 / 3, within(1e-5));
    Row week = model.recommend(asked().select("user", "item"), "week", 1).head();
    assertThat(week.<Row>getList(2).get(0).getInt(0)).isEqualTo(3);
  }

  @Test
  void aPipelineIsSavedAndLoaded() throws IOException {
    SQLTransformer large =
        new SQLTransformer().setStatement("SELECT * FROM __THIS__ WHERE count > 1");
    Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {large, cp().setMaxIter(3)});
    pipeline.save(folder.resolve("pipeline").toString());
    PipelineModel model = Pipeline.load(folder.resolve("pipeline").toString()).fit(sales());
    model.save(folder.resolve("model").toString());
    PipelineModel loaded = PipelineModel.load(folder.resolve("model").toString());

    CpModel before = (CpModel) model.stages()[1];
    CpModel after = (CpModel) loaded.stages()[1];
    assertThat(after.uid()).isEqualTo(before.uid());
    assertThat(after.lambda()).isEqualTo(before.lambda());
    assertThat(after.fits()).isEqualTo(before.fits());
    assertThat(after.factors("item").sort("item").collectAsList())
        .isEqualTo(before.factors("item").sort("item").collectAsList())
        .hasSize(2);
    List<Row> predicted = model.transform(sales()).sort("user", "week").collectAsList();
    assertThat(loaded.transform(sales()).sort("user", "week").collectAsList())
        .isEqualTo(predicted)
        .hasSize(5);
    loaded.write().overwrite().save(folder.resolve("model").toString());
    assertThat(
            PipelineModel.load(folder.resolve("model").toString())
                .transform(sales())
                .sort("user", "week")
                .collectAsList())
        .isEqualTo(predicted);
  }

  @Tag("long")
  @Test
  void tuckerIsAStageToo() throws IOException {
    Tucker tucker =
        new Tucker().setModeCols(MODES).setValueCol("count").setRanks(2, 2, 2).setMaxIter(20);
    tucker.save(folder.resolve("tucker").toString());
    TuckerModel model = Tucker.load(folder.resolve("tucker").toString()).fit(sales());
    model.save(folder.resolve("model").toString());
    TuckerModel loaded = TuckerModel.load(folder.resolve("model").toString());

    assertThat(model.fit()).isCloseTo(1, within(1e-6));
    double[] nonnegative = tucker.setNonnegative(true).fit(sales()).core();
    assertThat(Arrays.stream(nonnegative).min().getAsDouble()).isNotNegative();
    assertThat(loaded.core()).isEqualTo(model.core()).hasSize(8);
    assertThat(loaded.ranks()).containsExactly(2, 2, 2);
    assertThat(loaded.transform(asked().where("user = 'c'")).head().getDouble(3))
        .isCloseTo(5, within(1e-5));
    assertThat(loaded.recommend(asked().select("user", "week"), "item", 1).head().<Row>getList(2))
        .extracting(row -> row.getString(0))
        .containsExactly("pear");
  }

  /** A mean, biases of users and items, and one component; cells of which a part is known. */
  private static Dataset<Row> ratings(String known) {
    return LocalSpark.current()
        .sql(
            "SELECT * FROM (SELECT 'u' || u.id AS user, i.id AS item, w.id AS week,"
                + " 3 + 0.5 * cos(u.id) + 0.3 * sin(2 * i.id)"
                + " + cos(3 * u.id) * sin(1.3 * i.id) * (1 + w.id) AS rating,"
                + " pmod(hash(u.id, i.id, w.id), 100) AS number"
                + " FROM range(14) u, range(12) i, range(3) w) WHERE "
                + known)
        .drop("number");
  }

  private static TensorCompletion completion() {
    return new TensorCompletion()
        .setModeCols(MODES)
        .setValueCol("rating")
        .setRank(1)
        .setRidge(1e-4)
        .setMissingWeight(0)
        .setMaxIter(15);
  }

  /** {@link PySparkTest} completes a table in every build. */
  @Tag("long")
  @Test
  void whatIsMissingIsCompleted() throws IOException {
    Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {completion()});
    pipeline.save(folder.resolve("pipeline").toString());
    PipelineModel fitted =
        Pipeline.load(folder.resolve("pipeline").toString()).fit(ratings("number < 60"));
    fitted.save(folder.resolve("model").toString());
    PipelineModel loaded = PipelineModel.load(folder.resolve("model").toString());
    TensorCompletionModel model = (TensorCompletionModel) fitted.stages()[0];
    TensorCompletionModel again = (TensorCompletionModel) loaded.stages()[0];
    Dataset<Row> missing = ratings("number >= 60");
    RegressionEvaluator error =
        new RegressionEvaluator().setLabelCol("rating").setPredictionCol("prediction");

    assertThat(missing.count()).isGreaterThan(150);
    assertThat(error.evaluate(loaded.transform(missing))).isLessThan(0.05);
    assertThat(model.rmse()).isLessThan(0.05).isEqualTo(model.heldOutErrors()[model.best() - 1]);
    assertThat(again.rmse()).isEqualTo(model.rmse());
    assertThat(again.best()).isEqualTo(model.best());
    assertThat(again.lambda()).isEqualTo(model.lambda()).hasSize(5);
    assertThat(again.trainingErrors()).isEqualTo(model.trainingErrors());
    assertThat(model.fit()).isEqualTo(model.fits()[model.best() - 1]).isGreaterThan(0.9);
    Dataset<Row> one = missing.where("user = 'u3'").select("user", "week").limit(1);
    assertThat(again.recommend(one, "item", 1).head().<Row>getList(2).get(0).getLong(0))
        .isEqualTo(bestItem(3));
  }

  /** The item with the highest rating of a user; weeks make no other one higher. */
  private static long bestItem(int user) {
    return LocalSpark.current()
        .sql(
            "SELECT id FROM range(12) ORDER BY 0.3 * sin(2 * id) + cos(3 * "
                + user
                + ") * sin(1.3 * id) * 2 DESC")
        .head()
        .getLong(0);
  }

  @Tag("long")
  @Test
  void otherStagesChooseTheRank() {
    Cp cp = cp().setColdStartStrategy("drop");
    ParamMap[] grid =
        new ParamGridBuilder()
            .addGrid(cp.rank(), scala.jdk.javaapi.CollectionConverters.asScala(List.of(1, 2)))
            .build();
    TrainValidationSplit split =
        new TrainValidationSplit()
            .setEstimator(cp)
            .setEstimatorParamMaps(grid)
            .setEvaluator(
                new RegressionEvaluator().setLabelCol("count").setPredictionCol("prediction"))
            .setTrainRatio(0.8)
            .setSeed(3);

    TrainValidationSplitModel chosen = split.fit(sales().union(sales()));

    double[] errors = chosen.validationMetrics();
    CpModel best = (CpModel) chosen.bestModel();
    assertThat(best.rank()).isEqualTo(errors[0] <= errors[1] ? 1 : 2);
    assertThat(best.parent().getOrDefault(cp.rank())).isEqualTo(best.rank());
    assertThat(cp.copy(ParamMap.empty()).uid()).isEqualTo(cp.uid());
  }

  @Test
  void schemasAreCheckedBeforeWork() {
    SparkSession spark = LocalSpark.current();
    Dataset<Row> sales = sales();
    assertError(() -> cp().setModeCols("user", "shop").fit(sales), "expected a column 'shop'");
    assertError(() -> new Cp().fit(sales), "expected modeCols, such as");
    assertError(() -> cp().setModeCols("user").fit(sales), "expected two columns or more");
    assertError(() -> cp().setValueCol("item").fit(sales), "found string; cast it");
    assertError(
        () ->
            cp().setModeCols("user", "m")
                .fit(spark.sql("SELECT 'a' AS user, map(1,2) AS m, 1L AS count")),
        "expected labels that can be compared in column 'm', found map<int,int>");
    assertError(() -> cp().setPredictionCol("count").fit(sales), "expected a column that is not");
    assertError(() -> cp().setPredictionCol("Count").fit(sales), "expected a column that is not");
    assertError(
        () -> new Tucker().setModeCols(MODES).setRanks(2, 2).fit(sales),
        "ranks: expected 3 numbers, one a mode, found 2");
    assertThatThrownBy(() -> new Tucker().setInit("nvecs")).hasMessageContaining("init");
    assertError(
        () ->
            new Tucker()
                .setModeCols(MODES)
                .setValueCol("count")
                .setRanks(2, 2, 2)
                .setInit("sthosvd")
                .setNonnegative(true)
                .fit(sales),
        "tucker: expected init random for nonnegative models, found sthosvd");
    CpModel model = cp().setMaxIter(1).fit(sales);
    assertError(() -> model.transform(sales.drop("week")), "expected a column 'week'");
    assertError(() -> model.recommend(sales, "shop", 1), "expected a mode of [user, item, week]");
    assertError(() -> model.recommend(sales, "item", 0), "expected at least 1 label");
    assertError(
        () -> model.recommend(sales.select("item"), "item", 1), "other than item, found item");
    assertThatThrownBy(() -> cp().setRank(0)).hasMessageContaining("rank");
    assertThatThrownBy(() -> completion().setHeldOut(1)).hasMessageContaining("heldOut");
    assertError(
        () -> completion().setHeldOut(0.999).fit(ratings("number < 2")),
        "complete: expected entries to learn from, found none of");
    assertError(
        () -> completion().fit(ratings("number < 0")),
        "complete: expected entries to learn from, found a tensor without entries");
    assertError(
        () -> completion().fit(ratings("number < 9").drop("week")), "expected a column 'week'");
  }

  private static void assertError(Runnable action, String message) {
    assertThatThrownBy(action::run).isInstanceOf(WeftException.class).hasMessageContaining(message);
  }
}
