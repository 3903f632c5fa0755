package org.weft.spark.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.collection.Seq;

/**
 * The best labels of a mode. Each task multiplies the queries of some rows by blocks of the mode's
 * factor and keeps the best of each block, which are then merged. Cost: {@code O(rows I R)}.
 *
 * @param given modes whose labels rows have
 */
record Recommendations(TableModel model, int target, List<Integer> given) {
  private static final int BLOCK_ROWS = 4096;
  private static final String QUERY = "__weft_query";
  private static final String BLOCK = "__weft_block";
  private static final String SCORE = "prediction";

  Dataset<Row> best(Dataset<Row> rows, int count) {
    Column[] labels =
        given.stream()
            .map(mode -> functions.col(TableModel.quoted(model.modes().get(mode))))
            .toArray(Column[]::new);
    DataType scored = scored(TableModel.LABEL);
    UDF2<Seq<Object>, Seq<Row>, List<Row>> best = (query, block) -> best(query, block, count);
    Column found =
        functions
            .udf(best, DataTypes.createArrayType(scored))
            .apply(functions.col(QUERY), functions.col(BLOCK));
    Column all = functions.flatten(functions.collect_list(functions.col("__weft_best")));
    Column first = functions.slice(functions.sort_array(all, false), 1, count);
    return queries(rows.select(labels).distinct())
        .crossJoin(blocks())
        .withColumn("__weft_best", found)
        .groupBy(labels)
        .agg(functions.transform(first, this::named).as("recommendations"));
  }

  /** Score first: so are structs compared. */
  private StructType scored(String label) {
    DataType type = model.factors().get(target).schema().apply(TableModel.LABEL).dataType();
    return new StructType().add(SCORE, DataTypes.DoubleType).add(label, type);
  }

  private Column named(Column scored) {
    return functions.struct(
        scored.getField(TableModel.LABEL).as(model.modes().get(target)),
        scored.getField(SCORE).as(SCORE));
  }

  private Dataset<Row> queries(Dataset<Row> rows) {
    Dataset<Row> joined = rows;
    List<Column> weights = new ArrayList<>();
    for (int mode : given) {
      joined = model.joined(joined, mode, "inner");
      weights.add(functions.col(TableModel.weights(mode)));
    }
    double[][] means = means();
    ModelValue value = model.value();
    int at = target;
    int[] modes = given.stream().mapToInt(Integer::intValue).toArray();
    UDF1<Seq<Seq<Object>>, double[]> query =
        found -> {
          double[][] all = means.clone();
          double[][] known = TableModel.rows(found);
          for (int n = 0; n < modes.length; n++) {
            all[modes[n]] = known[n];
          }
          return value.query(at, all);
        };
    return joined.withColumn(
        QUERY,
        functions
            .udf(query, DataTypes.createArrayType(DataTypes.DoubleType))
            .apply(functions.array(weights.toArray(Column[]::new))));
  }

  /** Mean row of each factor that rows have no labels of; R numbers each. */
  private double[][] means() {
    double[][] means = new double[model.modes().size()][];
    for (int mode = 0; mode < means.length; mode++) {
      boolean known = mode == target || given.contains(mode);
      means[mode] = known ? new double[0] : mean(model.factors().get(mode));
    }
    return means;
  }

  private static double[] mean(Dataset<Row> factor) {
    return factor
        .select(functions.posexplode(functions.col(TableModel.WEIGHTS)))
        .groupBy("pos")
        .agg(functions.avg("col"))
        .sort("pos")
        .collectAsList()
        .stream()
        .mapToDouble(row -> row.getDouble(1))
        .toArray();
  }

  private Dataset<Row> blocks() {
    Column block =
        functions.floor(functions.col(TableModel.COORDINATE).divide(functions.lit(BLOCK_ROWS)));
    Column row =
        functions.struct(functions.col(TableModel.WEIGHTS), functions.col(TableModel.LABEL));
    return model
        .factors()
        .get(target)
        .groupBy(block.as("__weft_number"))
        .agg(functions.collect_list(row).as(BLOCK))
        .select(BLOCK);
  }

  private static List<Row> best(Seq<Object> query, Seq<Row> block, int count) {
    double[] weights = TableModel.row(query);
    PriorityQueue<Row> best = new PriorityQueue<>(Comparator.comparingDouble(r -> r.getDouble(0)));
    for (int n = 0; n < block.size(); n++) {
      Row row = block.apply(n);
      Seq<Object> factor = row.getSeq(0);
      double score = 0;
      for (int r = 0; r < weights.length; r++) {
        score += weights[r] * (Double) factor.apply(r);
      }
      best.add(RowFactory.create(score, row.get(1)));
      if (best.size() > count) {
        best.poll();
      }
    }
    return List.copyOf(best);
  }
}
