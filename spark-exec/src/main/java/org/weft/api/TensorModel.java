package org.weft.api;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.error.WeftException;
import org.weft.spark.model.TableModel;

/** What every model of a tensor has: a factor for each mode, and a value at any coordinates. */
public abstract sealed class TensorModel permits CpModel, CompletionModel, TuckerModel {
  private final ModelFactors factors;

  TensorModel(ModelFactors factors) {
    this.factors = factors;
  }

  /** Names of the modes. */
  public List<String> modes() {
    return factors.modes();
  }

  /**
   * The factor of a mode as a table: a column of the mode's name with its labels (null for modes
   * without), {@code coordinate} from 0, and {@code weights}, an array with a double for each
   * column of the factor.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there, and without Spark
   */
  public Dataset<Row> factors(String mode) {
    return factors.table(mode);
  }

  /**
   * The factor of a mode: mode size x columns.
   *
   * @throws WeftException {@code USAGE} for a mode that is not there
   */
  public double[][] matrix(String mode) {
    return factors.matrix(mode);
  }

  /**
   * The model's value at coordinates from 0, one for each mode.
   *
   * @throws WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code SHAPE_MISMATCH}
   */
  public double predict(long... coordinates) {
    return factors.predict(coordinates);
  }

  /**
   * {@code rows} with the model's value in another column, {@code prediction}: null where a label
   * is not one of the model's.
   *
   * @param rows with a column for each mode, of its name, that has the mode's labels, or
   *     coordinates of modes without labels
   * @throws WeftException {@code USAGE} for a column that {@code rows} lacks, and without Spark
   */
  public Dataset<Row> transform(Dataset<Row> rows) {
    return tables().predict(rows, "prediction");
  }

  /** The factors as tables, for what models give besides. */
  final TableModel tables() {
    return factors.tables();
  }
}
