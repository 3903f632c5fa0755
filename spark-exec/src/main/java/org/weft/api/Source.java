package org.weft.api;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.PlacedTensor;
import org.weft.engine.StatementOperand;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.model.TableModel;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/** Where the entries of a tensor come from: a file, arrays, a table, or a computed statement. */
sealed interface Source permits Source.File, Source.Entries, Source.Computed, DatasetSource {
  /** Names of the modes. */
  List<String> modes(Weft weft);

  /** Brings the tensor to where its engine computes. */
  Loaded load(Weft weft);

  /**
   * A tensor that lies where its engine computes.
   *
   * @param operand the tensor as an operand of statements
   * @param labels the labels of each mode
   */
  record Loaded(StatementOperand operand, List<ModeLabels> labels) {}

  /**
   * The labels of a mode. A mode without labels has neither a table nor a list.
   *
   * @param table a table with the columns {@code label} and {@code coordinate}
   * @param listed the labels of a file, in the order of coordinates
   */
  record ModeLabels(@Nullable Dataset<Row> table, @Nullable Labels listed) {
    static final ModeLabels NONE = new ModeLabels(null, null);

    /**
     * The labels as text in this process; null for a mode without labels.
     *
     * @throws WeftException {@code MALFORMED_INPUT} for a label that is not UTF-8: its text would
     *     be that of others, too
     */
    @Nullable Labels text() {
      if (table == null) {
        return listed;
      }
      Labels.Builder text = new Labels.Builder();
      Column written = written(type());
      table
          .sort(TableModel.COORDINATE)
          .select(written, functions.is_valid_utf8(written))
          .collectAsList()
          .forEach(row -> text.add(valid(row.getString(0), row.getBoolean(1))));
      return text.build();
    }

    private static String valid(String label, boolean isUtf8) {
      if (!isUtf8) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            "expected labels in UTF-8, found other bytes in '"
                + label
                + "'; cast the column to binary");
      }
      return label;
    }

    /** The type of the labels of a table. */
    DataType type() {
      return Objects.requireNonNull(table).schema().apply(TableModel.LABEL).dataType();
    }

    /** The text of a label. Instants have the offset of their time zone; bytes are hexadecimal. */
    private static Column written(DataType type) {
      Column label = functions.col(TableModel.LABEL);
      if (type instanceof BinaryType) {
        return functions.hex(label);
      }
      Column text = label.cast(DataTypes.StringType);
      return type instanceof TimestampType
          ? functions.concat(text, functions.date_format(label, "XXX"))
          : text;
    }

    /** The label of a text that {@link #text} gave. */
    static Column read(DataType type) {
      Column text = functions.col(TableModel.LABEL);
      return type instanceof BinaryType ? functions.unhex(text) : text.cast(type);
    }

    /** Whether {@link #read} makes labels of {@code type}. */
    static boolean isRead(DataType type) {
      return Cast.canCast(DataTypes.StringType, type);
    }

    /** The labels of the modes that have labels, as text, by mode. */
    static Map<Integer, Labels> text(List<ModeLabels> modes) {
      Map<Integer, Labels> text = new HashMap<>();
      for (int mode = 0; mode < modes.size(); mode++) {
        Labels own = modes.get(mode).text();
        if (own != null) {
          text.put(mode, own);
        }
      }
      return text;
    }
  }

  /** The names of modes that have no others: {@code m0}, {@code m1}, ... */
  static List<String> numbered(int order) {
    return IntStream.range(0, order).mapToObj(mode -> "m" + mode).toList();
  }

  private static List<ModeLabels> none(int order) {
    return IntStream.range(0, order).mapToObj(mode -> ModeLabels.NONE).toList();
  }

  /** The tensor of a file. */
  record File(String uri) implements Source {
    @Override
    public List<String> modes(Weft weft) {
      List<String> names = TensorFiles.modeNames(weft.engine().files(), uri);
      FileAccess files = weft.engine().files();
      return names.isEmpty()
          ? numbered(TensorFiles.open(files, uri, ReadOptions.defaults()).header().order())
          : names;
    }

    @Override
    public Loaded load(Weft weft) {
      EngineTensor tensor = weft.engine().read(uri, ReadOptions.defaults(), ValueType.DOUBLE);
      Map<Integer, Labels> labels = TensorFiles.labels(weft.engine().files(), uri);
      return new Loaded(
          tensor,
          IntStream.range(0, tensor.statistics().shape().order())
              .mapToObj(mode -> new ModeLabels(null, labels.get(mode)))
              .toList());
    }
  }

  /** Entries in arrays. */
  record Entries(TensorShape shape, CooBlock block) implements Source {
    static Entries of(long[][] coordinates, double[] values, long... shape) {
      TensorShape sizes = TensorShape.of(shape);
      if (coordinates.length != shape.length) {
        throw mismatch(
            "coordinates of " + Counts.plain(shape.length, "mode"), "of " + coordinates.length);
      }
      CooBlock.Builder block = new CooBlock.Builder(shape.length, Math.max(1, values.length));
      long[] at = new long[shape.length];
      for (int e = 0; e < values.length; e++) {
        for (int mode = 0; mode < shape.length; mode++) {
          if (coordinates[mode].length != values.length) {
            throw mismatch(
                Counts.plain(values.length, "coordinate") + " of mode " + mode,
                "" + coordinates[mode].length);
          }
          at[mode] = coordinates[mode][e];
          if (at[mode] < 0 || at[mode] >= shape[mode]) {
            throw new WeftException(
                ErrorCode.COORDINATE_OUT_OF_RANGE,
                "entry "
                    + e
                    + ", mode "
                    + mode
                    + ": expected a coordinate from 0 to "
                    + (shape[mode] - 1)
                    + ", found "
                    + at[mode]);
          }
        }
        block.add(at, values[e]);
      }
      return new Entries(sizes, block.build());
    }

    static Entries matrix(double[][] rows) {
      int columns = rows.length == 0 ? 0 : rows[0].length;
      CooBlock.Builder block = new CooBlock.Builder(2, Math.max(1, rows.length * columns));
      for (int i = 0; i < rows.length; i++) {
        if (rows[i].length != columns) {
          throw mismatch(Counts.plain(columns, "value") + " in row " + i, "" + rows[i].length);
        }
        for (int j = 0; j < columns; j++) {
          if (rows[i][j] != 0) {
            block.add(new long[] {i, j}, rows[i][j]);
          }
        }
      }
      return new Entries(TensorShape.of(rows.length, columns), block.build());
    }

    static Entries vector(double[] values) {
      CooBlock.Builder block = new CooBlock.Builder(1, Math.max(1, values.length));
      for (int i = 0; i < values.length; i++) {
        if (values[i] != 0) {
          block.add(new long[] {i}, values[i]);
        }
      }
      return new Entries(TensorShape.of(values.length), block.build());
    }

    private static WeftException mismatch(String expected, String found) {
      return new WeftException(
          ErrorCode.SHAPE_MISMATCH, "expected " + expected + ", found " + found);
    }

    @Override
    public List<String> modes(Weft weft) {
      return numbered(shape.order());
    }

    @Override
    public Loaded load(Weft weft) {
      EngineTensor tensor =
          weft.engine().of("the tensor of arrays", shape, List.of(block), ValueType.DOUBLE);
      return new Loaded(tensor, none(shape.order()));
    }
  }

  /** The value of a statement. */
  record Computed(PlacedTensor tensor, List<String> names, List<ModeLabels> labels)
      implements Source {
    @Override
    public List<String> modes(Weft weft) {
      return names;
    }

    @Override
    public Loaded load(Weft weft) {
      return new Loaded(tensor, labels);
    }
  }
}
