package org.weft.spark.model;

import java.io.Serializable;

/** What a model computes of one row of each factor. */
public sealed interface ModelValue extends Serializable permits CpValue, TuckerValue {
  /** The model's value; {@code rows}: a row for each mode, R or R_n long. */
  double at(double[][] rows);

  /**
   * What the row of one mode is multiplied by: {@code at(rows) = rows[mode] . query(mode, rows)}.
   *
   * @param rows a row for each mode; that of {@code mode} is not read
   */
  double[] query(int mode, double[][] rows);
}
