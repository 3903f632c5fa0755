package org.weft.ml;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.weft.spark.model.CpValue;
import org.weft.spark.model.ModelValue;
import org.weft.spark.model.TableModel;
import org.weft.spark.model.TuckerValue;

/**
 * Reads what {@link ModelWriter} wrote. The factors come to the executors at once, so that the
 * model may replace the one that it was read from.
 */
final class ModelReader<M extends TensorTransformer<M>> extends MLReader<M> {
  private final Class<M> type;
  private final Maker<M> maker;

  ModelReader(Class<M> type, Maker<M> maker) {
    this.type = type;
    this.maker = maker;
  }

  /** A model's constructor. */
  interface Maker<M> {
    M make(String uid, TableModel tables, Iterations iterations);
  }

  @Override
  public M load(String path) {
    DefaultParamsReader.Metadata metadata =
        DefaultParamsReader.loadMetadata(path, sparkSession(), type.getName());
    Row data = sparkSession().read().parquet(ModelWriter.data(path)).head();
    List<String> modes = data.getList(0);
    List<Integer> ranks = data.getList(2);
    List<Double> numbers = data.getList(3);
    List<Dataset<Row>> factors = new ArrayList<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      factors.add(
          TensorEstimator.held(sparkSession().read().parquet(ModelWriter.factor(path, mode))));
    }
    double[] values = numbers.stream().mapToDouble(Double::doubleValue).toArray();
    ModelValue value =
        ranks.isEmpty()
            ? new CpValue(values)
            : new TuckerValue(ranks.stream().mapToInt(Integer::intValue).toArray(), values);
    Iterations iterations =
        new Iterations(data.getList(1), data.getList(4), data.getList(5), data.getInt(6));
    M model = maker.make(metadata.uid(), new TableModel(modes, factors, value), iterations);
    metadata.getAndSetParams(model, metadata.getAndSetParams$default$2());
    return model;
  }
}
