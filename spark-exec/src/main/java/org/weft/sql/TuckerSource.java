package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;
import org.weft.api.TuckerModel;

/**
 * {@code format("weft-tucker")}: a Tucker decomposition. A component of a mode is a column of its
 * factor, and {@code lambda} is the 2-norm of the slice of the core that belongs to the column.
 *
 * <pre>{@code
 * spark.read.format("weft-tucker").option("tensor", "sales").option("ranks", "8,8,4").load()
 * }</pre>
 */
@AutoService(DataSourceRegister.class)
public final class TuckerSource extends ModelSource<TuckerModel> {
  static final String NAME = "weft-tucker";
  static final String RANKS = "ranks";

  /** For Spark, which finds formats by name. */
  public TuckerSource() {
    super(NAME, Set.of(RANKS));
  }

  @Override
  Function<Tensor, ModelRun<?, TuckerModel>> run(TableSettings settings) {
    String given = settings.required(RANKS, "8,8,4");
    int[] ranks;
    try {
      ranks =
          Arrays.stream(given.split(",")).map(String::strip).mapToInt(Integer::parseInt).toArray();
    } catch (NumberFormatException e) {
      throw settings.wrong(
          "expected option 'ranks' as one number for each mode, such as 8,8,4; found " + given);
    }
    return tensor -> tensor.tucker(ranks);
  }

  @Override
  double[] lambda(TuckerModel model, int mode) {
    int[] ranks = model.ranks();
    double[] core = model.core();
    int stride = 1;
    for (int after = mode + 1; after < ranks.length; after++) {
      stride *= ranks[after];
    }
    double[] squares = new double[ranks[mode]];
    for (int at = 0; at < core.length; at++) {
      squares[at / stride % ranks[mode]] += core[at] * core[at];
    }
    return Arrays.stream(squares).map(Math::sqrt).toArray();
  }
}
