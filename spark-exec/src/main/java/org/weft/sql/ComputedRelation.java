package org.weft.sql;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.TableScan;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.weft.api.Weft;

/**
 * A table that Weft computes once, when its first rows are read. Executors keep the rows as long as
 * something refers to this.
 */
final class ComputedRelation extends BaseRelation implements TableScan {
  private final SQLContext context;
  private final StructType schema;
  private final Computation computation;
  private @Nullable JavaRDD<Row> rows;

  ComputedRelation(SQLContext context, StructType schema, Computation computation) {
    this.context = context;
    this.schema = schema;
    this.computation = computation;
  }

  /** What gives the rows. */
  interface Computation {
    Dataset<Row> rows(Weft weft);
  }

  @Override
  public SQLContext sqlContext() {
    return context;
  }

  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public synchronized RDD<Row> buildScan() {
    JavaRDD<Row> known = rows;
    if (known == null) {
      SparkSession spark = context.sparkSession();
      try (Weft weft = Weft.on(spark)) {
        known = computation.rows(weft).javaRDD().persist(StorageLevel.MEMORY_AND_DISK());
        known.count();
      }
      rows = known;
    }
    return known.rdd();
  }
}
