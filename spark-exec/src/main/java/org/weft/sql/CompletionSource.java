package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.weft.api.CompletionModel;
import org.weft.api.CompletionRun;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;

/**
 * {@code format("weft-complete")}: a model of the entries that are known. The columns of biases and
 * that of the mean are components behind the first R.
 *
 * <pre>{@code
 * spark.read.format("weft-complete").option("tensor", "ratings").option("rank", "8")
 *     .option("rows", "unrated").load()
 * }</pre>
 */
@AutoService(DataSourceRegister.class)
public final class CompletionSource extends ModelSource<CompletionModel> {
  static final String NAME = "weft-complete";
  private static final String BIASES = "biases";
  private static final String RIDGE = "ridge";
  private static final String HELD_OUT = "heldout";
  private static final String PATIENCE = "patience";
  private static final String MISSING_WEIGHT = "missingweight";

  /** For Spark, which finds formats by name. */
  public CompletionSource() {
    super(NAME, Set.of(CpSource.RANK, BIASES, RIDGE, HELD_OUT, PATIENCE, MISSING_WEIGHT));
  }

  @Override
  Function<Tensor, ModelRun<?, CompletionModel>> run(TableSettings settings) {
    int rank = settings.rank(CpSource.RANK);
    boolean biases = settings.flag(BIASES).orElse(true);
    return tensor -> {
      CompletionRun run = tensor.complete(rank).biases(biases);
      settings.number(RIDGE).ifPresent(run::ridge);
      settings.number(HELD_OUT).ifPresent(run::heldOut);
      settings.count(PATIENCE).ifPresent(run::patience);
      settings.number(MISSING_WEIGHT).ifPresent(run::missingWeight);
      return run;
    };
  }

  @Override
  double[] lambda(CompletionModel model, int mode) {
    return model.lambda();
  }
}
