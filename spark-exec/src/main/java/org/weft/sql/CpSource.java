package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.weft.api.CpModel;
import org.weft.api.CpdRun;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;

/**
 * {@code format("weft-cp")}: a CP decomposition.
 *
 * <pre>{@code
 * spark.read.format("weft-cp").option("tensor", "sales").option("modes", "user,item,week")
 *     .option("value", "count").option("rank", "16").load()
 * }</pre>
 */
@AutoService(DataSourceRegister.class)
public final class CpSource extends ModelSource<CpModel> {
  static final String NAME = "weft-cp";
  static final String RANK = "rank";
  private static final String NONNEGATIVE = "nonnegative";
  private static final String METHOD = "method";
  private static final String SAMPLE = "sample";
  private static final String POLISH = "polish";

  /** For Spark, which finds formats by name. */
  public CpSource() {
    super(NAME, Set.of(RANK, NONNEGATIVE, METHOD, SAMPLE, POLISH));
  }

  @Override
  Function<Tensor, ModelRun<?, CpModel>> run(TableSettings settings) {
    int rank = settings.rank(RANK);
    boolean nonnegative = settings.flag(NONNEGATIVE).orElse(false);
    return tensor -> {
      CpdRun run = tensor.cpd(rank);
      settings.text(METHOD).ifPresent(run::method);
      settings.number(SAMPLE).ifPresent(run::sample);
      settings.count(POLISH).ifPresent(run::polish);
      return nonnegative ? run.nonnegative() : run;
    };
  }

  @Override
  double[] lambda(CpModel model, int mode) {
    return model.lambda();
  }
}
