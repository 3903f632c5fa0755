package org.weft.ml;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.ModelValue;
import org.weft.spark.model.TableModel;
import org.weft.spark.model.TuckerValue;

/**
 * Writes a model: {@code metadata/} as every stage of Spark; {@code data/}, a row with the names of
 * the modes, what iterations gave, and lambda or the core; and {@code factors/mode=N/}, Parquet
 * with {@code label}, {@code coordinate} and {@code weights}.
 */
final class ModelWriter extends MLWriter {
  static final StructType DATA =
      new StructType()
          .add("modes", array(DataTypes.StringType))
          .add("fits", array(DataTypes.DoubleType))
          .add("ranks", array(DataTypes.IntegerType))
          .add("numbers", array(DataTypes.DoubleType))
          .add("trainingErrors", array(DataTypes.DoubleType))
          .add("heldOutErrors", array(DataTypes.DoubleType))
          .add("kept", DataTypes.IntegerType);

  private final TensorTransformer<?> model;

  ModelWriter(TensorTransformer<?> model) {
    this.model = model;
  }

  private static DataType array(DataType element) {
    return DataTypes.createArrayType(element, false);
  }

  static String data(String path) {
    return path + "/data";
  }

  static String factor(String path, int mode) {
    return path + "/factors/mode=" + mode;
  }

  @Override
  public void saveImpl(String path) {
    DefaultParamsWriter.saveMetadata(model, path, sparkSession());
    TableModel tables = model.tables();
    Iterations iterations = model.iterations();
    Row row =
        RowFactory.create(
            tables.modes().toArray(),
            iterations.fits().toArray(),
            ranks(tables.value()).toArray(),
            numbers(tables.value()).toArray(),
            iterations.trainingErrors().toArray(),
            iterations.heldOutErrors().toArray(),
            iterations.kept());
    sparkSession().createDataFrame(List.of(row), DATA).coalesce(1).write().parquet(data(path));
    for (int mode = 0; mode < tables.modes().size(); mode++) {
      tables.factors().get(mode).write().parquet(factor(path, mode));
    }
  }

  private static List<Integer> ranks(ModelValue value) {
    return value instanceof TuckerValue tucker
        ? Arrays.stream(tucker.ranks()).boxed().toList()
        : List.of();
  }

  private static List<Double> numbers(ModelValue value) {
    double[] numbers =
        value instanceof TuckerValue tucker ? tucker.core() : ((CpValue) value).lambda();
    List<Double> boxed = new ArrayList<>();
    for (double number : numbers) {
      boxed.add(number);
    }
    return boxed;
  }
}
