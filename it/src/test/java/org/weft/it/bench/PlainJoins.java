package org.weft.it.bench;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.tensor.DenseMatrix;
import scala.Tuple2;

/**
 * What a Spark program without Weft does, by joins on the shared label: text in, text out. By RDDs
 * a row of a factor is one array; by DataFrames it is a column for each component, which Spark
 * compiles.
 */
final class PlainJoins {
  private PlainJoins() {}

  /** {@code M(i,r) = sum X(i,j,k) B(j,r) C(k,r)} by RDDs. */
  static void mttkrpByRdds(
      JavaSparkContext context, String in, DenseMatrix b, DenseMatrix c, String out) {
    JavaPairRDD<Integer, double[]> rowsOfB = rows(context, b);
    JavaPairRDD<Integer, double[]> rowsOfC = rows(context, c);
    context
        .textFile(in)
        .mapToPair(PlainJoins::byColumn)
        .join(rowsOfB)
        .mapToPair(pair -> scaled(pair._2()))
        .join(rowsOfC)
        .mapToPair(pair -> multiplied(pair._2()))
        .reduceByKey(PlainJoins::sum)
        .map(PlainJoins::text)
        .saveAsTextFile(out);
  }

  /** An entry by its second coordinate: others and value. */
  private static Tuple2<Integer, double[]> byColumn(String line) {
    String[] words = line.split(" ");
    double[] entry = {
      Integer.parseInt(words[0]) - 1, Integer.parseInt(words[2]) - 1, Double.parseDouble(words[3])
    };
    return new Tuple2<>(Integer.parseInt(words[1]) - 1, entry);
  }

  private static Tuple2<Integer, Tuple2<Integer, double[]>> scaled(Tuple2<double[], double[]> at) {
    double[] row = at._2().clone();
    for (int r = 0; r < row.length; r++) {
      row[r] *= at._1()[2];
    }
    return new Tuple2<>((int) at._1()[1], new Tuple2<>((int) at._1()[0], row));
  }

  private static Tuple2<Integer, double[]> multiplied(
      Tuple2<Tuple2<Integer, double[]>, double[]> at) {
    double[] row = at._1()._2().clone();
    for (int r = 0; r < row.length; r++) {
      row[r] *= at._2()[r];
    }
    return new Tuple2<>(at._1()._1(), row);
  }

  private static double[] sum(double[] one, double[] other) {
    double[] sum = one.clone();
    for (int r = 0; r < sum.length; r++) {
      sum[r] += other[r];
    }
    return sum;
  }

  private static String text(Tuple2<Integer, double[]> row) {
    StringBuilder line = new StringBuilder().append(row._1() + 1);
    for (double value : row._2()) {
      line.append(' ').append(value);
    }
    return line.toString();
  }

  private static JavaPairRDD<Integer, double[]> rows(JavaSparkContext context, DenseMatrix matrix) {
    List<Tuple2<Integer, double[]>> rows = new ArrayList<>();
    for (int i = 0; i < matrix.rows(); i++) {
      double[] row = new double[matrix.columns()];
      matrix.copyRow(i, row, 0);
      rows.add(new Tuple2<>(i, row));
    }
    return context.parallelizePairs(rows);
  }

  /** The same by DataFrames. */
  static void mttkrpByTables(
      SparkSession spark, String in, DenseMatrix b, DenseMatrix c, String out) {
    Dataset<Row> joined =
        entries(spark, in, "i", "j", "k")
            .join(table(spark, b, "j", "b"), "j")
            .join(table(spark, c, "k", "c"), "k");
    Column[] sums = new Column[b.columns()];
    for (int r = 0; r < sums.length; r++) {
      Column product = functions.col("v").multiply(functions.col("b" + r));
      sums[r] = functions.sum(product.multiply(functions.col("c" + r))).as("m" + r);
    }
    Column[] others = java.util.Arrays.copyOfRange(sums, 1, sums.length);
    write(joined.groupBy("i").agg(sums[0], others), out);
  }

  /** {@code C(i,k) = sum A(i,j) B(j,k)} by RDDs. */
  static void spgemmByRdds(JavaSparkContext context, String a, String b, String out) {
    matrix(context, a, 1)
        .join(matrix(context, b, 0))
        .mapToPair(
            pair ->
                new Tuple2<>(
                    new Tuple2<>(pair._2()._1()._1(), pair._2()._2()._1()),
                    pair._2()._1()._2() * pair._2()._2()._2()))
        .reduceByKey(Double::sum)
        .map(cell -> (cell._1()._1() + 1) + " " + (cell._1()._2() + 1) + " " + cell._2())
        .saveAsTextFile(out);
  }

  /** The same by DataFrames. */
  static void spgemmByTables(SparkSession spark, String a, String b, String out) {
    Dataset<Row> left = entries(spark, a, "i", "j").withColumnRenamed("v", "a");
    Dataset<Row> right = entries(spark, b, "j", "k").withColumnRenamed("v", "b");
    Column product = functions.col("a").multiply(functions.col("b"));
    write(left.join(right, "j").groupBy("i", "k").agg(functions.sum(product)), out);
  }

  private static JavaPairRDD<Integer, Tuple2<Integer, Double>> matrix(
      JavaSparkContext context, String in, int key) {
    JavaRDD<String> lines = context.textFile(in);
    return lines.mapToPair(
        line -> {
          String[] words = line.split(" ");
          return new Tuple2<>(
              Integer.parseInt(words[key]) - 1,
              new Tuple2<>(Integer.parseInt(words[1 - key]) - 1, Double.parseDouble(words[2])));
        });
  }

  private static Dataset<Row> entries(SparkSession spark, String in, String... modes) {
    StructType schema = new StructType();
    for (String mode : modes) {
      schema = schema.add(mode, DataTypes.IntegerType);
    }
    schema = schema.add("v", DataTypes.DoubleType);
    return spark.read().option("delimiter", " ").schema(schema).csv(in);
  }

  /** Rows numbered from 1, as entries are. */
  private static Dataset<Row> table(
      SparkSession spark, DenseMatrix matrix, String key, String name) {
    StructType schema = new StructType().add(key, DataTypes.IntegerType);
    for (int r = 0; r < matrix.columns(); r++) {
      schema = schema.add(name + r, DataTypes.DoubleType);
    }
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < matrix.rows(); i++) {
      Object[] cells = new Object[matrix.columns() + 1];
      cells[0] = i + 1;
      for (int r = 0; r < matrix.columns(); r++) {
        cells[r + 1] = matrix.get(i, r);
      }
      rows.add(RowFactory.create(cells));
    }
    return spark.createDataFrame(rows, schema);
  }

  private static void write(Dataset<Row> result, String out) {
    result.write().option("delimiter", " ").csv(out);
  }
}
