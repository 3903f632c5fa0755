package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
}
