package org.weft.spark.model;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.weft.storage.model.ModelFolder;

/**
 * What a model computes of one row of each factor. Every model is a sum of terms. A term is a
 * weight times the outer product of a column of each factor.
 */
public sealed interface ModelValue extends Serializable permits CpValue, TuckerValue {
  /**
   * The value of the model in a folder: of its weights, or of its core.
   *
   * @throws org.weft.error.WeftException {@code INPUT_NOT_FOUND}, {@code SHAPE_MISMATCH}
   */
  static ModelValue read(ModelFolder folder) throws IOException {
    return folder.isTucker()
        ? new TuckerValue(folder.ranks(), folder.core())
        : new CpValue(folder.lambda());
  }

  /** The model's value; {@code rows}: a row for each mode, R or R_n long. */
  double at(double[][] rows);

  /**
   * What the row of one mode is multiplied by: {@code at(rows) = rows[mode] . query(mode, rows)}.
   *
   * @param rows a row for each mode; that of {@code mode} is not read
   */
  double[] query(int mode, double[][] rows);

  /** Number of terms. */
  int terms();

  /** The weight of a term. */
  double weight(int term);

  /** The column of the factor of {@code mode} in a term. */
  int column(int term, int mode);

  /** Number of columns of the factor of a mode. */
  int columns(int mode);

  /**
   * The inner products of the slices of this model with those of another, of rows of their factors:
   * the matrix W for which {@code (slice i of this) . (slice j of other) = a_i W b_j}.
   *
   * @param other a model of the same kind
   * @param products for each mode the columns of the factor of this model times those of the other:
   *     {@code A' B}, columns x columns; that of {@code mode} is not read
   */
  double[][] slices(int mode, ModelValue other, List<double[][]> products);
}
