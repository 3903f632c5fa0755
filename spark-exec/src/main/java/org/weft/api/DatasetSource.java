package org.weft.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.SparkEngine;
import org.weft.spark.label.Dictionary;
import org.weft.spark.model.LabelColumns;
import org.weft.spark.model.TableModel;
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
  private static final int BLOCK_ENTRIES = 1 << 16;

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
    List<Dictionary> dictionaries = dictionaries(weft, List.of(this), List.of(own));
    return load(weft, own, dictionaries);
  }

  /**
   * Loads the tensor with labels that it shares with other tables.
   *
   * @param spaces for each mode, the number of its dictionary
   */
  Loaded load(Weft weft, int[] spaces, List<Dictionary> dictionaries) {
    Dataset<Row> coded = selected();
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < spaces.length; mode++) {
      int space = spaces[mode];
      Dataset<Row> keyed = coded.withColumnRenamed("m" + mode, "k" + space);
      coded =
          dictionaries.get(space).encode(spark, keyed).withColumnRenamed("i" + space, "c" + mode);
      columns.add(functions.col("c" + mode));
    }
    columns.add(functions.col("v"));
    int order = spaces.length;
    List<String> names = new ArrayList<>(modes);
    if (value != null) {
      names.add(value);
    }
    JavaRDD<CooBlock> entries =
        coded
            .select(columns.toArray(Column[]::new))
            .javaRDD()
            .mapPartitions(found -> new Blocks(found, order, names));
    TensorShape shape =
        TensorShape.of(
            IntStream.of(spaces).mapToLong(space -> dictionaries.get(space).size()).toArray());
    List<ModeLabels> labels = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      Dataset<Row> table =
          dictionaries
              .get(spaces[mode])
              .table(spark, "label", rows.schema().apply(modes.get(mode)).dataType());
      labels.add(new ModeLabels(table, null));
    }
    return new Loaded(
        SparkEngine.tensor(
            weft.engine(), "the tensor of a Dataset", entries, shape, ValueType.DOUBLE),
        labels);
  }

  /**
   * Collects the labels of several tables in dictionaries.
   *
   * @param spaces for each table and mode, the number of its dictionary, from 0; modes that share
   *     labels have the same number
   * @throws WeftException {@code USAGE} if they have columns of two types
   */
  static List<Dictionary> dictionaries(Weft weft, List<DatasetSource> tables, List<int[]> spaces) {
    Map<Integer, Dataset<Row>> keys = new TreeMap<>();
    for (int t = 0; t < tables.size(); t++) {
      for (int mode = 0; mode < spaces.get(t).length; mode++) {
        int space = spaces.get(t)[mode];
        Dataset<Row> own =
            tables
                .get(t)
                .rows
                .select(
                    functions
                        .col(TableModel.quoted(tables.get(t).modes.get(mode)))
                        .as("k" + space));
        Dataset<Row> all = keys.get(space);
        if (all != null) {
          requireType(tables.get(t).modes.get(mode), type(own), type(all));
        }
        keys.put(space, all == null ? own : all.union(own));
      }
    }
    List<Dictionary> dictionaries = new ArrayList<>();
    keys.forEach(
        (space, all) ->
            dictionaries.add(
                weft.keep(Dictionary.of(all.where("k" + space + " IS NOT NULL"), space))));
    return dictionaries;
  }

  private static DataType type(Dataset<Row> keys) {
    return keys.schema().apply(0).dataType();
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

  /** Packs rows of coordinates and a value into blocks of entries. */
  private static final class Blocks implements Iterator<CooBlock> {
    private final Iterator<Row> rows;
    private final int order;
    private final List<String> names;

    Blocks(Iterator<Row> rows, int order, List<String> names) {
      this.rows = rows;
      this.order = order;
      this.names = names;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public CooBlock next() {
      CooBlock.Builder block = new CooBlock.Builder(order, BLOCK_ENTRIES);
      long[] at = new long[order];
      while (rows.hasNext() && block.size() < BLOCK_ENTRIES) {
        Row row = rows.next();
        for (int mode = 0; mode < order; mode++) {
          at[mode] = required(row, mode).getLong(mode);
        }
        block.add(at, required(row, order).getDouble(order));
      }
      return block.build();
    }

    private Row required(Row row, int column) {
      if (row.isNullAt(column)) {
        String name = names.get(column);
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            String.format(
                Locale.ROOT,
                "expected a %s in column '%s' in every row, found null; leave such rows out, WHERE %s"
                    + " IS NOT NULL",
                column < order ? "label" : "value",
                name,
                TableModel.quoted(name)));
      }
      return row;
    }
  }
}
