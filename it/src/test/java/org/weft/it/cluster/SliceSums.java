package org.weft.it.cluster;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A plain Spark job without anything of Weft: sums a {@code .tns} file's values by first
 * coordinate. Arguments: input, output folder, pause per map task in ms.
 */
public final class SliceSums {
  private SliceSums() {}

  public static void main(String[] arguments) {
    String input = arguments[0];
    String output = arguments[1];
    long pauseMillis = Long.parseLong(arguments[2]);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("slice sums"))) {
      JavaPairRDD<Long, Double> sums =
          spark
              .textFile(input, 8)
              .mapPartitions(
                  lines -> {
                    System.err.println("slice sums: task begins");
                    Thread.sleep(pauseMillis);
                    return lines;
                  })
              .mapToPair(
                  line -> {
                    String[] words = line.trim().split("\\s+");
                    return new Tuple2<>(
                        Long.parseLong(words[0]), Double.parseDouble(words[words.length - 1]));
                  })
              .reduceByKey(Double::sum, 2);
      sums.sortByKey().map(pair -> pair._1() + "\t" + pair._2()).saveAsTextFile(output);
    }
  }
}
