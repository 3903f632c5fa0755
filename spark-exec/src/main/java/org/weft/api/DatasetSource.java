package org.weft.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.Failures;
import org.weft.spark.SparkEngine;
import org.weft.spark.key.KeptRows;
import org.weft.spark.key.KeyBounds;
import org.weft.spark.key.KeyLabels;
import org.weft.spark.key.KeySpace;
import org.weft.spark.key.KeySummary;
import org.weft.spark.key.KeyedRows;
import org.weft.spark.key.LabelBytes;
import org.weft.spark.key.Numbering;
import org.weft.spark.model.LabelColumns;
import org.weft.spark.model.TableModel;
import org.weft.spark.table.InternalRows;
import org.weft.spark.table.KeyedTable;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A tensor of the rows of a Dataset, which has a column of labels for each mode and may have a
 * column of values. Executors number the labels in their order. Nothing that grows with the rows or
 * labels comes to the driver.
 *
 * @param modes the columns of labels
 * @param value the column of values, or null if every row counts 1
 */
record DatasetSource(
    SparkSession spark, Dataset<Row> rows, List<String> modes, @Nullable String value)
    implements Source {
  private static final String WHAT = "the tensor of a Dataset";

  static DatasetSource of(
      SparkSession spark, Dataset<Row> rows, List<String> modes, @Nullable String value) {
    List<String> wanted = new ArrayList<>(modes);
    if (value != null) {
      wanted.add(value);
    }
    List<String> present = Arrays.asList(rows.columns());
    for (String column : wanted) {
      if (!present.contains(column)) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected a column '" + column + "', found " + String.join(", ", present));
      }
    }
    if (modes.isEmpty() || modes.stream().distinct().count() < modes.size()) {
      throw new WeftException(
          ErrorCode.USAGE, "expected columns of modes, each once, found " + modes);
    }
    modes.forEach(mode -> LabelColumns.requireLabels(rows.schema(), mode));
    if (value != null) {
      LabelColumns.requireNumbers(rows.schema(), value);
    }
    return new DatasetSource(spark, rows, List.copyOf(modes), value);
  }

  @Override
  public List<String> modes(Weft weft) {
    return modes;
  }

  /** Loads the tensor alone: every mode has its own labels. */
  @Override
  public Loaded load(Weft weft) {
    int[] own = IntStream.range(0, modes.size()).toArray();
    return load(weft, List.of(this), List.of(own)).get(0);
  }

  /**
   * Loads the tensors of tables that share labels.
   *
   * @param spaces for each table and mode, the number of its labels, from 0; modes that share
   *     labels have the same number
   * @throws WeftException {@code USAGE} if modes that share labels have columns of two types
   */
  static List<Loaded> load(Weft weft, List<DatasetSource> tables, List<int[]> spaces) {
    Map<Integer, DataType> types = types(tables, spaces);
    List<KeptRows> kept = new ArrayList<>();
    try {
      for (int t = 0; t < tables.size(); t++) {
        kept.add(tables.get(t).kept(spaces.get(t)));
      }
      return kept.isEmpty() ? List.of() : numbered(weft, tables, spaces, types.size(), kept);
    } catch (Exception e) { // also those of Spark, which are not declared
      throw Failures.unwrap(e);
    } finally {
      kept.forEach(KeptRows::close); // the engine holds the entries
    }
  }

  private static List<Loaded> numbered(
      Weft weft, List<DatasetSource> tables, List<int[]> spaces, int count, List<KeptRows> kept) {
    JavaRDD<KeyedRows> rows = kept.stream().map(KeptRows::values).reduce(JavaRDD::union).get();
    List<KeySummary> summaries = kept.stream().flatMap(k -> k.summaries().stream()).toList();
    List<KeySpace> numbered =
        IntStream.range(0, count)
            .mapToObj(space -> new KeySpace(space, KeyLabels.TEXT, 0))
            .toList();
    int ranges = KeyBounds.usualRanges(JavaSparkContext.fromSparkContext(rows.context()));
    KeyBounds bounds = KeyBounds.of(summaries, count, ranges);
    Numbering numbering = weft.keep(Numbering.of(WHAT, numbered, rows, bounds, null));
    List<Loaded> loaded = new ArrayList<>();
    boolean made = false;
    try {
      int first = 0;
      for (int t = 0; t < tables.size(); t++) {
        int end = first + kept.get(t).values().getNumPartitions();
        loaded.add(tables.get(t).loaded(weft, spaces.get(t), numbering, first, end));
        first = end;
      }
      made = true;
      return loaded;
    } finally {
      if (!made) {
        numbering.close();
      }
    }
  }

  /** The type of each space. */
  private static Map<Integer, DataType> types(List<DatasetSource> tables, List<int[]> spaces) {
    Map<Integer, DataType> types = new TreeMap<>();
    for (int t = 0; t < tables.size(); t++) {
      for (int mode = 0; mode < spaces.get(t).length; mode++) {
        DataType own = tables.get(t).type(mode);
        DataType other = types.putIfAbsent(spaces.get(t)[mode], own);
        if (other != null) {
          requireType(tables.get(t).modes.get(mode), own, other);
        }
      }
    }
    return types;
  }

  private DataType type(int mode) {
    return rows.schema().apply(modes.get(mode)).dataType();
  }

  private KeptRows kept(int[] spaces) {
    List<String> names = new ArrayList<>(modes);
    if (value != null) {
      names.add(value);
    }
    Dataset<Row> selected = selected();
    KeyedTable table = KeyedTable.of(selected.schema(), spaces, new Missing(names, modes.size()));
    return KeptRows.of(table.rows(selected), "rows of a Dataset");
  }

  /** The tensor whose rows are partitions of those that are numbered. */
  private Loaded loaded(Weft weft, int[] spaces, Numbering numbering, int first, int end) {
    long[] sizes = numbering.sizes();
    TensorShape shape =
        TensorShape.of(IntStream.of(spaces).mapToLong(space -> sizes[space]).toArray());
    List<ModeLabels> labels = new ArrayList<>();
    for (int mode = 0; mode < spaces.length; mode++) {
      labels.add(new ModeLabels(labels(numbering, spaces[mode], type(mode)), null));
    }
    JavaRDD<CooBlock> entries = numbering.entries(first, end);
    return new Loaded(
        SparkEngine.tensor(weft.engine(), WHAT, entries, shape, ValueType.DOUBLE), labels);
  }

  /** Every label beside its coordinate. */
  private Dataset<Row> labels(Numbering numbering, int space, DataType type) {
    LabelBytes cells = LabelBytes.of(type);
    StructType schema =
        new StructType().add(TableModel.LABEL, type).add(TableModel.COORDINATE, DataTypes.LongType);
    Dataset<Row> table =
        InternalRows.table(
            spark,
            numbering
                .keys(space)
                .map(key -> new GenericInternalRow(cells(cells.cell(key.key()), key.coordinate()))),
            schema);
    // Spark does not know their size, and would shuffle all rows of a join to find out that they
    // are few.
    return numbering.bytes(space) <= spark.sessionState().conf().autoBroadcastJoinThreshold()
        ? functions.broadcast(table)
        : table;
  }

  private static Object[] cells(Object... cells) {
    return cells;
  }

  private static void requireType(String column, DataType found, DataType expected) {
    if (!found.equals(expected)) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected columns of one type where the statement compares their labels, found '"
              + column
              + "' of "
              + found.simpleString()
              + " beside "
              + expected.simpleString()
              + "; cast one of them");
    }
  }

  private Dataset<Row> selected() {
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < modes.size(); mode++) {
      columns.add(functions.col(TableModel.quoted(modes.get(mode))).as("m" + mode));
    }
    Column values =
        value == null
            ? functions.lit(1.0)
            : functions.col(TableModel.quoted(value)).cast(DataTypes.DoubleType);
    columns.add(values.as("v"));
    return rows.select(columns.toArray(Column[]::new));
  }

  /** The error of a cell without a label or a value. */
  private record Missing(List<String> names, int order) implements KeyedTable.MissingCell {
    private Missing {
      names = new ArrayList<>(names);
    }

    @Override
    public WeftException of(InternalRow row, int column) {
      String name = names.get(column);
      return new WeftException(
          ErrorCode.MALFORMED_INPUT,
          String.format(
              Locale.ROOT,
              "expected a %s in column '%s' in every row, found null; leave such rows out, WHERE %s"
                  + " IS NOT NULL",
              column < order ? "label" : "value",
              name,
              TableModel.quoted(name)));
    }
  }
}
