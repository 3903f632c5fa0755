package org.weft.it.cluster;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** What a client of Spark Connect asks, given the server's port and the path of a matrix. */
final class ConnectQueries {
  private ConnectQueries() {}

  public static void main(String[] arguments) throws Exception {
    String matrix = arguments[1];
    try (SparkSession spark =
        SparkSession.builder().remote("sc://127.0.0.1:" + arguments[0]).getOrCreate()) {
      print(
          spark
              .read()
              .format("weft-eval")
              .option("expression", "C(i,k) = A(i,j) * A(j,k)")
              .option("operand.A", matrix)
              .load()
              .orderBy("i", "k"));
      print(spark.sql("SELECT * FROM weft_eval('s = A(i,j)', 'A', '" + matrix + "')"));
      spark
          .sql("SELECT * FROM VALUES ('n', 'a', 3), ('n', 'b', 4) AS t(shop, item, price)")
          .createOrReplaceTempView("sales");
      print(spark.sql("SELECT DISTINCT mode, label FROM weft_cp('sales', 1) ORDER BY mode, label"));
      print(spark.read().format("weft-cp").option("tensor", "sales").option("rank", 1).load());
      try {
        print(spark.sql("SELECT * FROM weft_eval('s = A(i', 'A', '" + matrix + "')"));
      } catch (Exception e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private static void print(Dataset<Row> rows) {
    rows.collectAsList().forEach(row -> System.out.println(row.mkString(" ")));
  }
}
