package org.weft.sql;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.RelationProvider;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import scala.collection.immutable.Map;

/** A format whose tables are computed when they are read. Nothing can be saved in it. */
interface ComputedSource extends RelationProvider, CreatableRelationProvider, DataSourceRegister {
  /**
   * Saves nothing.
   *
   * @throws WeftException {@code USAGE}
   */
  @Override
  default BaseRelation createRelation(
      SQLContext context, SaveMode mode, Map<String, String> options, Dataset<Row> rows) {
    throw new WeftException(
        ErrorCode.USAGE,
        "format '"
            + shortName()
            + "': expected a format for saving, found one whose tables are computed; save entries of"
            + " a tensor with format 'weft', and other rows with 'parquet'");
  }
}
