package org.weft.sql;

import com.google.auto.service.AutoService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.weft.api.ModelRun;
import org.weft.api.Tensor;
import org.weft.api.TuckerModel;
import org.weft.api.TuckerRun;

/**
 * {@code format("weft-tucker")}: a Tucker decomposition. A component of a mode is a column of its
 * factor, and {@code lambda} is the 2-norm of the slice of the core that belongs to the column.
 * With {@code core} it is the core: a row for each entry, with a column of each factor.
 *
 * <pre>{@code
 * spark.read.format("weft-tucker").option("tensor", "sales").option("ranks", "8,8,4").load()
 * }</pre>
 */
@AutoService(DataSourceRegister.class)
public final class TuckerSource extends ModelSource<TuckerModel> {
  static final String NAME = "weft-tucker";
  static final String RANKS = "ranks";
  private static final String CORE = "core";
  private static final String INIT = "init";
  private static final String NONNEGATIVE = "nonnegative";

  /** For Spark, which finds formats by name. */
  public TuckerSource() {
    super(NAME, Set.of(RANKS, CORE, INIT, NONNEGATIVE));
  }

  @Override
  Function<Tensor, ModelRun<?, TuckerModel>> run(TableSettings settings) {
    int[] ranks = ranks(settings);
    boolean nonnegative = settings.flag(NONNEGATIVE).orElse(false);
    return tensor -> {
      TuckerRun run = tensor.tucker(ranks);
      settings.text(INIT).ifPresent(run::init);
      return nonnegative ? run.nonnegative() : run;
    };
  }

  private static int[] ranks(TableSettings settings) {
    String given = settings.required(RANKS, "8,8,4");
    try {
      return Arrays.stream(given.split(","))
          .map(String::strip)
          .mapToInt(Integer::parseInt)
          .toArray();
    } catch (NumberFormatException e) {
      throw settings.wrong(
          "expected option 'ranks' as one number for each mode, such as 8,8,4; found " + given);
    }
  }

  @Override
  Shown<TuckerModel> shown(SparkSession spark, TableSettings settings) {
    if (!settings.flag(CORE).orElse(false)) {
      return super.shown(spark, settings);
    }
    if (settings.text(ROWS).isPresent()) {
      throw settings.wrong("expected 'core' or 'rows', found both");
    }
    StructType schema = new StructType();
    for (int mode = 0; mode < ranks(settings).length; mode++) {
      schema = schema.add("component" + mode, DataTypes.IntegerType);
    }
    StructType columns = schema.add("value", DataTypes.DoubleType);
    return new Shown<>(columns, model -> spark.createDataFrame(entries(model), columns));
  }

  /** All entries of the core, row-major: the components of each mode, and the value. */
  private static List<Row> entries(TuckerModel model) {
    int[] ranks = model.ranks();
    double[] core = model.core();
    List<Row> rows = new ArrayList<>(core.length);
    for (int at = 0; at < core.length; at++) {
      Object[] row = new Object[ranks.length + 1];
      row[ranks.length] = core[at];
      int rest = at;
      for (int mode = ranks.length - 1; mode >= 0; mode--) {
        row[mode] = rest % ranks[mode];
        rest /= ranks[mode];
      }
      rows.add(RowFactory.create(row));
    }
    return rows;
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
