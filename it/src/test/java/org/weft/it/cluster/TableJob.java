package org.weft.it.cluster;

import org.apache.spark.sql.SparkSession;

/**
 * A Spark program that knows tensors by name alone, as SQL and Python programs do. Arguments: a
 * container with labels to read, a container to make, a text file to make.
 */
public final class TableJob {
  private TableJob() {}

  public static void main(String[] arguments) throws java.io.IOException {
    try (SparkSession spark = SparkSession.builder().appName("tables").getOrCreate()) {
      spark
          .read()
          .format("weft")
          .option("labels", true)
          .load(arguments[0])
          .createOrReplaceTempView("t");
      spark.sql(
          "CREATE TABLE w USING weft OPTIONS (path '"
              + arguments[1]
              + "') AS SELECT shop, day, value FROM t WHERE shop < 10");
      spark.sql("INSERT INTO w SELECT shop, day, value FROM t WHERE shop >= 10");
      spark
          .sql("SELECT shop, sum(value) AS value FROM w GROUP BY shop")
          .write()
          .format("frostt")
          .save(arguments[2]);
      System.out.println(
          "found "
              + spark.sql("SELECT count(*), sum(value) FROM w").first()
              + spark.sql("SELECT min(shop_label) FROM t WHERE shop > 0").first());
    }
  }
}
