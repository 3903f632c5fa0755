package org.weft.api;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.spark.model.TableModel;
import org.weft.spark.output.FactorRows;
import org.weft.spark.wire.Wire;
import org.weft.storage.Labels;
import org.weft.tensor.DenseMatrix;

/** Tables of Spark with labels: factors, and coordinates beside their labels. */
final class ModelTables {
  private static final int CHUNK_WEIGHTS = 1 << 16;
  private static final String COORDINATE = TableModel.COORDINATE;
  private static final String LABEL = TableModel.LABEL;

  private ModelTables() {}

  /** Columns {@code mode}, {@code coordinate} and {@code weights}, in the order of coordinates. */
  static Dataset<Row> factor(
      SparkSession spark, String mode, DenseMatrix factor, Source.ModeLabels labels) {
    return factor(spark, factor, labels).toDF(mode, COORDINATE, TableModel.WEIGHTS);
  }

  /** Columns {@code label}, {@code coordinate} and {@code weights}, in the order of coordinates. */
  static Dataset<Row> factor(SparkSession spark, DenseMatrix factor, Source.ModeLabels labels) {
    StructType schema =
        new StructType()
            .add(LABEL, DataTypes.StringType)
            .add(COORDINATE, DataTypes.LongType)
            .add(TableModel.WEIGHTS, DataTypes.createArrayType(DataTypes.DoubleType, false));
    List<FactorRows> chunks = chunks(factor, labels.listed());
    JavaRDD<Row> rows =
        Wire.distribute(
                JavaSparkContext.fromSparkContext(spark.sparkContext()),
                chunks,
                Math.max(1, chunks.size()))
            .flatMap(ModelTables::rows);
    Dataset<Row> table = spark.createDataFrame(rows, schema);
    if (labels.table() != null) {
      table = table.drop(LABEL).join(labels.table(), COORDINATE);
    }
    return table
        .select(functions.col(LABEL), functions.col(COORDINATE), functions.col(TableModel.WEIGHTS))
        .sort(COORDINATE);
  }

  private static List<FactorRows> chunks(DenseMatrix factor, @Nullable Labels labels) {
    int rank = factor.columns();
    int chunkRows = Math.max(1, CHUNK_WEIGHTS / Math.max(1, rank));
    List<FactorRows> chunks = new ArrayList<>();
    for (long first = 0; first < factor.rows(); first += chunkRows) {
      int count = (int) Math.min(chunkRows, factor.rows() - first);
      double[] weights = new double[count * rank];
      for (int row = 0; row < count; row++) {
        factor.copyRow(first + row, weights, row * rank);
      }
      Labels names = labels == null ? null : labels.range(first, count);
      chunks.add(new FactorRows(0, first, weights, names, new double[rank]));
    }
    return chunks;
  }

  private static Iterator<Row> rows(FactorRows chunk) {
    int rank = chunk.lambda().length;
    Labels labels = chunk.labels();
    return IntStream.range(0, chunk.weights().length / rank)
        .mapToObj(
            row -> {
              Double[] weights = new Double[rank];
              for (int r = 0; r < rank; r++) {
                weights[r] = chunk.weights()[row * rank + r];
              }
              String label = labels == null ? null : labels.label(row);
              return RowFactory.create(label, chunk.firstRow() + row, weights);
            })
        .iterator();
  }

  /** {@code table} with the labels of a column of coordinates in another column, if it has some. */
  static Dataset<Row> labelled(
      SparkSession spark,
      Dataset<Row> table,
      String coordinate,
      String label,
      Source.ModeLabels labels) {
    Dataset<Row> known = labels.table();
    if (labels.listed() != null) {
      known = listed(spark, labels.listed());
    }
    return known == null
        ? table
        : table.join(
            known.withColumnRenamed(COORDINATE, coordinate).withColumnRenamed(LABEL, label),
            coordinate);
  }

  /** Whether two modes have the same labels at the same coordinates. Tables stay where they are. */
  static boolean areSame(
      @Nullable SparkSession spark, Source.ModeLabels one, Source.ModeLabels other) {
    if (one.listed() != null && other.listed() != null) {
      return one.listed().sameAs(other.listed());
    }
    if (spark == null || one.equals(other)) {
      return one.equals(other);
    }
    Dataset<Row> here = table(spark, one);
    Dataset<Row> there = table(spark, other);
    return here.schema().apply(LABEL).dataType().equals(there.schema().apply(LABEL).dataType())
        && here.except(there).isEmpty()
        && there.except(here).isEmpty();
  }

  private static Dataset<Row> table(SparkSession spark, Source.ModeLabels labels) {
    Dataset<Row> known =
        labels.listed() == null
            ? Objects.requireNonNull(labels.table())
            : listed(spark, labels.listed());
    return known.select(LABEL, COORDINATE);
  }

  /** Labels as a table. */
  static Dataset<Row> listed(SparkSession spark, Labels labels) {
    DenseMatrix nothing = DenseMatrix.zeros(labels.size(), 1);
    return factor(spark, nothing, new Source.ModeLabels(null, labels)).drop(TableModel.WEIGHTS);
  }
}
