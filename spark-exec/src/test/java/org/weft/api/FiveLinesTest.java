package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.LocalSpark;

/** The programs of the page of the API, in sessions that know nothing of Weft. */
class FiveLinesTest {
  private static final Map<String, Map<String, String>> SESSIONS =
      Map.of(
          "default",
          Map.of(),
          "kryo, registration required",
          Map.of(
              "spark.serializer",
              "org.apache.spark.serializer.KryoSerializer",
              "spark.kryo.registrationRequired",
              "true"),
          "jars of table formats, no broadcasts",
          Map.of(
              "spark.sql.extensions",
              Neighbours.class.getName(),
              "spark.sql.catalog.spark_catalog",
              Neighbours.Catalog.class.getName(),
              "spark.sql.autoBroadcastJoinThreshold",
              "-1"));

  @AfterAll
  static void stop() {
    LocalSpark.stop();
  }

  /** Users a and b buy apples in weeks 1 and 2; c buys pears in week 3. */
  private static Dataset<Row> sales(SparkSession spark) {
    List<Row> rows = new ArrayList<>();
    for (String user : List.of("a", "b")) {
      for (int week : new int[] {1, 2}) {
        rows.add(RowFactory.create(user, "apple", week, 2L));
        rows.add(RowFactory.create(user, "apple", week, 1L));
      }
    }
    rows.add(RowFactory.create("c", "pear", 3, 5L));
    return spark.createDataFrame(
        rows,
        new StructType()
            .add("user", DataTypes.StringType)
            .add("item", DataTypes.StringType)
            .add("week", DataTypes.IntegerType)
            .add("count", DataTypes.LongType));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"default", "kryo, registration required", "jars of table formats, no broadcasts"})
  void aTableIsDecomposedInFiveLines(String session) {
    LocalSpark.restart(SESSIONS.get(session));
    SparkSession spark = LocalSpark.current();
    Dataset<Row> df = sales(spark);
    try (Weft weft = Weft.on(spark)) {
      Tensor x = weft.tensor(df, List.of("user", "item", "week"), "count");
      assertThat(x).hasToString("tensor, not loaded yet");
      CpModel m = x.cpd(2).tolerance(1e-12).run();
      List<Row> users = m.factors("user").collectAsList();

      assertThat(x.shape()).containsExactly(3, 2, 3);
      assertThat(x).hasToString("3 x 2 x 3, 9 entries");
      assertThat(m.toString()).startsWith("model of user x item x week, fit ");
      assertThat(m.fit()).isCloseTo(1, within(1e-6));
      assertThat(users).extracting(row -> row.getString(0)).containsExactly("a", "b", "c");
      assertThat(users).extracting(row -> row.getLong(1)).containsExactly(0L, 1L, 2L);
      assertThat(users.get(0).getList(2)).isEqualTo(users.get(1).getList(2)).hasSize(2);
      assertThat(m.factors("week").schema().apply("week").dataType())
          .isEqualTo(DataTypes.IntegerType);
      List<Row> predicted =
          m.transform(
                  spark.sql(
                      "SELECT 'c' AS user, 'pear' AS item, 3 AS week UNION ALL SELECT 'x', 'pear',"
                          + " 3"))
              .sort("user")
              .collectAsList();
      assertThat(predicted.get(0).getDouble(3)).isCloseTo(5, within(1e-5));
      assertThat(predicted.get(1).isNullAt(3)).isTrue();
      assertThat(m.predict(0, 0, 1)).isCloseTo(3, within(1e-5));
      assertThat(m.predict(2, 1, 2)).isCloseTo(5, within(1e-5));
      assertThat(m.predict(2, 0, 0)).isCloseTo(0, within(1e-5));
    }
    assertThat(df.agg(Map.of("count", "sum")).head().getLong(0)).isEqualTo(17);
    assertThat(Neighbours.parsed > 0).isEqualTo(session.startsWith("jars"));
    Neighbours.parsed = 0;
  }

  @Test
  void modesAreConstrainedByNumberAndByName() {
    LocalSpark.restart(SESSIONS.get("default"));
    try (Weft weft = Weft.on(LocalSpark.current())) {
      Tensor x = weft.tensor(sales(LocalSpark.current()), List.of("user", "item", "week"), "count");
      CpdRun run = x.cpd(2).constrain(0, Constraint.NONNEGATIVE).tolerance(1e-10);
      CpModel model = run.constrain("week", Constraint.SIMPLEX).ridge(1e-9).iterations(12).run();

      assertThat(model.fit()).isGreaterThan(0.9);
      for (Row user : model.factors("user").collectAsList()) {
        assertThat(user.<Double>getList(2)).allMatch(value -> value >= 0);
      }
      for (Row week : model.factors("week").collectAsList()) {
        double sum = week.<Double>getList(2).stream().mapToDouble(value -> value).sum();
        assertThat(sum).isCloseTo(1, within(1e-6));
      }
      assertThatThrownBy(() -> x.cpd(2).constrain("day", Constraint.SIMPLEX))
          .hasMessageContaining("expected a mode of [user, item, week], found 'day'");
      assertThatThrownBy(() -> Constraint.smooth(-1)).hasMessageContaining("a weight above 0");
    }
  }

  @Test
  void statementsRunOnTablesWhoseLabelsMeet() {
    statementsRun("kryo, registration required");
  }

  @Tag("long")
  @Test
  void statementsRunInASessionWithItsDefaults() {
    statementsRun("default");
  }

  private static void statementsRun(String session) {
    LocalSpark.restart(SESSIONS.get(session));
    SparkSession spark = LocalSpark.current();
    StructType prices =
        new StructType().add("item", DataTypes.StringType).add("price", DataTypes.DoubleType);
    Dataset<Row> price =
        spark.createDataFrame(
            List.of(RowFactory.create("fig", 7.0), RowFactory.create("pear", 2.0)), prices);
    try (Weft weft = Weft.on(spark)) {
      Dataset<Row> paid =
          weft.eval(
                  "P(user) = C(user,item) * B(item)",
                  Map.of("C", sales(spark).drop("week"), "B", price))
              .entries();

      assertThat(paid.columns()).containsExactly("user", "value");
      assertThat(paid.where("value <> 0").collectAsList())
          .containsExactly(RowFactory.create("c", 10.0));
      assertThat(
              weft.eval(
                      "C(i,j) = A(i,k) * B(k,j)",
                      Map.of("A", new double[][] {{1, 2}}, "B", new double[][] {{3}, {4}}))
                  .toArray())
          .isDeepEqualTo(new double[][] {{11}});
    }
  }

  /** Columns that one statement gives a common label have common coordinates. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "S(i,j) = E(i,j) + E(j,i)      | [a,b,2.0] [a,c,7.0] [b,a,2.0] [b,c,3.0] [c,a,7.0] [c,b,3.0] [c,d,5.0] [d,c,5.0]",
        "P(i,k) = F(i,j) * E(j,k)      | [a,c,3.0] [z,b,2.0] [z,c,7.0]"
      })
  void columnsOfOneLabelHaveOneOrder(String statement, @Nullable String expected) {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> edges =
        spark.sql(
            "SELECT * FROM VALUES ('a', 'b', 2.0D), ('a', 'c', 7.0D), ('b', 'c', 3.0D), ('c', 'd',"
                + " 5.0D) AS E(src, dst, value)");
    Dataset<Row> firsts =
        spark.sql("SELECT * FROM VALUES ('a', 'b', 1.0D), ('z', 'a', 1.0D) AS F(src, dst, value)");
    Map<String, Object> operands = new java.util.HashMap<>(Map.of("E", edges));
    if (statement.contains("F(")) {
      operands.put("F", firsts);
    }
    try (Weft weft = Weft.on(spark)) {
      List<String> rows =
          weft.eval(statement, operands).entries().where("value <> 0").collectAsList().stream()
              .map(Row::toString)
              .sorted()
              .toList();
      assertThat(String.join(" ", rows)).isEqualTo(expected == null ? "" : expected);
    }
  }

  /** The other cases of {@link #columnsOfOneLabelHaveOneOrder}. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "P(i,k) = E(i,j) * E(j,k)      | [a,c,6.0] [a,d,35.0] [b,d,15.0]",
        "t = E(i,j) * E(j,k) * E(i,k)  | [42.0]",
        "y(j) = E(i,i) * E(i,j)        | "
      })
  void columnsOfOneLabelHaveOneOrderInProducts(String statement, @Nullable String expected) {
    columnsOfOneLabelHaveOneOrder(statement, expected);
  }

  @Test
  void columnsOfOneLabelHaveOneType() {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> numbers = spark.sql("SELECT 1 AS src, 'b' AS dst, 1.0D AS value");
    try (Weft weft = Weft.on(spark)) {
      assertThatThrownBy(() -> weft.eval("C(i,k) = N(i,j) * N(j,k)", Map.of("N", numbers)))
          .hasMessageContaining("expected columns of one type")
          .hasMessageContaining("'dst' of string beside int");
    }
  }

  @Test
  void arraysNeedNoSpark() {
    try (Weft weft = Weft.local()) {
      long[][] at = {{0, 1, 1}, {0, 1, 0}};
      Tensor a = weft.tensor(at, new double[] {2, 3, 4}, 2, 2);
      assertThat(
              weft.eval("y(i) = A(i,j) * x(j)", Map.of("A", a, "x", new double[] {1, 10}))
                  .toArray())
          .isDeepEqualTo(new double[][] {{2, 34}});
      CpModel model = a.cpd(2).tolerance(0).iterations(200).run();
      assertThat(model.predict(1, 1)).isCloseTo(3, within(1e-3));
      assertThat(model.matrix("m1")).hasDimensions(2, 2);
      assertThat(a.tucker(2, 2).run().predict(1, 1)).isCloseTo(3, within(1e-9));
      assertThat(a.tucker(2, 2).init("Random").run().predict(1, 1)).isCloseTo(3, within(1e-9));
      assertThat(a.tucker(1, 1).nonnegative().run().core()[0]).isPositive();
      assertThatThrownBy(() -> a.tucker(2, 2).init("nvecs"))
          .hasMessage("tucker: expected an init among sthosvd, random, found 'nvecs'");
      assertThatThrownBy(() -> a.tucker(2, 2).nonnegative().init("sthosvd").run())
          .hasMessage("tucker: expected init random for nonnegative models, found sthosvd");
      assertThat(weft.eval("B(i,j) = 2 * A(i,j)", Map.of("A", a)).cpd(2).run().rank()).isEqualTo(2);
      assertThatThrownBy(() -> model.factors("m1"))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("Weft.on(spark)");
      assertThatThrownBy(() -> model.matrix("m2"))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected a mode of [m0, m1], found 'm2'");
      assertThatThrownBy(() -> weft.eval("y(i) = A(i,j) * x(j)", Map.of("A", a)))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected an operand x");
      assertThatThrownBy(() -> weft.eval("B(i,j) = 2 * A(i,j)", Map.of("A", a, "x", a)))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected operands of the statement (A), found x");
    }
  }

  /** The engine holds the entries. */
  @Test
  void rowsWithoutCoordinatesAreNotHeldNeitherAfterAFailure() {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> rows = sales(spark);
    Dataset<Row> wrong = spark.sql("SELECT 'fig' AS item, CAST(NULL AS STRING) AS shop, 1.0D AS v");
    try (Weft weft = Weft.on(spark)) {
      assertThat(weft.tensor(rows, List.of("user", "item")).shape()).hasSize(2);
      Dataset<Row> pairs = rows.select("user", "item", "count");
      assertThatThrownBy(
              () -> weft.eval("C(i,k) = A(i,j) * B(j,k)", Map.of("A", pairs, "B", wrong)))
          .hasMessageContaining("expected a label in column 'shop'");
      assertThat(
              LocalSpark.context().getPersistentRDDs().values().stream()
                  .map(kept -> String.valueOf(kept.name())))
          .noneMatch(name -> name.startsWith("rows"))
          .filteredOn(name -> name.startsWith("labels"))
          .hasSize(1);
    }
  }

  @Test
  void aRowWithoutALabelIsRefused() {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> rows =
        sales(spark).union(spark.sql("SELECT 'a', CAST(NULL AS STRING), 1, CAST(2 AS BIGINT)"));
    try (Weft weft = Weft.on(spark)) {
      Tensor x = weft.tensor(rows, List.of("user", "item"));
      assertThatThrownBy(x::shape)
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected a label in column 'item' in every row");
      Tensor counts =
          weft.tensor(
              rows.selectExpr("user", "IF(item IS NULL, CAST(NULL AS INT), 1) n"),
              List.of("user"),
              "n");
      assertThatThrownBy(counts::shape)
          .hasMessageContaining("a value in column 'n' in every row")
          .hasMessageContaining("WHERE `n` IS NOT NULL");
      assertThatThrownBy(() -> weft.tensor(rows, List.of("user", "shop")))
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("expected a column 'shop'");
    }
  }

  @Test
  void ofTwoJobsInOneSessionOneIsCancelled() throws Exception {
    SparkSession spark = LocalSpark.session();
    Dataset<Row> df = sales(spark);
    CountDownLatch bothRun = new CountDownLatch(2);
    try (Weft first = Weft.on(spark);
        Weft second = Weft.on(spark);
        Workers workers = new Workers()) {
      CpdRun endless = run(first, df, bothRun).tolerance(0).iterations(1_000_000);
      CpdRun other = run(second, df, bothRun).tolerance(0).iterations(10);
      Future<CpModel> cancelled = workers.start(endless);
      Future<CpModel> kept = workers.start(other);
      bothRun.await();
      endless.cancel();

      assertThatThrownBy(cancelled::get)
          .cause()
          .isInstanceOf(WeftException.class)
          .hasMessageContaining("the decomposition was cancelled")
          .extracting(e -> ((WeftException) e).code())
          .isEqualTo(ErrorCode.INTERRUPTED);
      assertThat(kept.get().fits()).hasSize(10);
      assertThat(kept.get().fit()).isGreaterThan(0.9);
      assertThatThrownBy(endless::run).hasMessageContaining("was cancelled");
    }
  }

  private static CpdRun run(Weft weft, Dataset<Row> rows, CountDownLatch begun) {
    AtomicBoolean first = new AtomicBoolean(true);
    return weft.tensor(rows, List.of("user", "item", "week"), "count")
        .cpd(2)
        .onIteration(
            (iteration, fit, seconds) -> {
              if (first.getAndSet(false)) {
                begun.countDown();
                await(begun);
              }
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Threads that end with the test. */
  private static final class Workers implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    Future<CpModel> start(CpdRun run) {
      return threads.submit(run::run);
    }

    @Override
    public void close() {
      threads.shutdownNow();
    }
  }

  static Stream<Function<Tensor, ModelRun<?, ?>>> runs() {
    return Stream.of(
        tensor -> tensor.cpd(1), tensor -> tensor.tucker(1, 1), tensor -> tensor.complete(1));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void aRunInOneProcessIsHeardAndCancelled(Function<Tensor, ModelRun<?, ?>> method) {
    try (Weft weft = Weft.local()) {
      Tensor a = weft.tensor(new double[][] {{1, 2, 5}, {3, 4, 1}, {1, 1, 1}});
      List<String> heard = new ArrayList<>();
      ModelRun<?, ?> run = method.apply(a);
      run.tolerance(0);
      run.onStep(heard::add);
      run.onIteration(
          (iteration, fit, seconds) -> {
            heard.add("iteration " + iteration);
            if (iteration == 3) {
              run.cancel();
            }
          });
      assertThatThrownBy(run::run).hasMessageContaining("was cancelled");
      assertThat(heard).endsWith("iteration 1", "iteration 2", "iteration 3");
      assertThat(heard.subList(0, heard.indexOf("iteration 1"))).contains("plan and compile");
    }
  }
}
