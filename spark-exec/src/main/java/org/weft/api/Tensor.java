package org.weft.api;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.PlacedTensor;
import org.weft.engine.distributed.Piece;
import org.weft.error.ErrorCode;
import org.weft.error.Given;
import org.weft.error.WeftException;
import org.weft.spark.SparkEngine;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * A sparse tensor of a {@link Weft}. The first use of the tensor reads it, on the executors or in
 * this process, wherever the Weft computes.
 */
public final class Tensor {
  private final Weft weft;
  private final Source source;
  private Source.@Nullable Loaded loaded;
  private @Nullable EngineTensor packable;

  Tensor(Weft weft, Source source) {
    this.weft = weft;
    this.source = source;
  }

  /**
   * Returns the names of the modes. These are the columns of a table, the names that a file keeps,
   * or the labels of a statement's result. Modes without names are called m0, m1 and so on.
   */
  public List<String> modes() {
    return source.modes(weft);
  }

  /** Returns the size of each mode. This loads the tensor. */
  public long[] shape() {
    return loaded().operand().originalStatistics().shape().toArray();
  }

  /**
   * Returns the number of entries. Entries of equal coordinates are counted one by one. This loads
   * the tensor.
   */
  public long size() {
    return loaded().operand().originalStatistics().entries();
  }

  /**
   * Prepares a CP decomposition into {@code rank} components. The caller configures and runs it.
   *
   * @param rank at least 1
   */
  public CpdRun cpd(int rank) {
    return new CpdRun(this, rank);
  }

  /**
   * Prepares a Tucker decomposition. The caller configures and runs it.
   *
   * @param ranks columns of each factor, one number for each mode
   */
  public TuckerRun tucker(int... ranks) {
    return new TuckerRun(this, Given.required("ranks", ranks));
  }

  /**
   * Prepares a completion: a CP model of the entries that the tensor has. All other cells are
   * unknown, not zero. The caller configures and runs the completion.
   *
   * @param rank at least 1
   */
  public CompletionRun complete(int rank) {
    return new CompletionRun(this, rank);
  }

  /**
   * Returns the entries as a table, in no order. The table has a column for each mode and the
   * column {@code value}. The column of a mode has labels, or coordinates from 0 if the mode has no
   * labels. Nothing comes to the driver.
   *
   * @throws WeftException {@code USAGE} without Spark
   */
  public Dataset<Row> entries() {
    weft.requireSpark();
    int order = modes().size();
    StructType schema = new StructType();
    for (int mode = 0; mode < order; mode++) {
      schema = schema.add("c" + mode, DataTypes.LongType);
    }
    schema = schema.add("value", DataTypes.DoubleType);
    JavaRDD<Row> rows =
        SparkEngine.entries(loaded().operand().parts()).flatMap(block -> rows(block, order));
    Dataset<Row> entries = weft.requireSpark().createDataFrame(rows, schema);
    List<Column> columns = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      Source.ModeLabels labels = loaded().labels().get(mode);
      entries = ModelTables.labelled(weft.requireSpark(), entries, "c" + mode, "l" + mode, labels);
      columns.add(
          functions
              .col(labels.equals(Source.ModeLabels.NONE) ? "c" + mode : "l" + mode)
              .as(modes().get(mode)));
    }
    columns.add(functions.col("value"));
    return entries.select(columns.toArray(Column[]::new));
  }

  private static Iterator<Row> rows(CooBlock block, int order) {
    return new Iterator<>() {
      private int next;

      @Override
      public boolean hasNext() {
        return next < block.size();
      }

      @Override
      public Row next() {
        Object[] cells = new Object[order + 1];
        for (int mode = 0; mode < order; mode++) {
          cells[mode] = block.coordinate(mode, next);
        }
        cells[order] = block.value(next++);
        return RowFactory.create(cells);
      }
    };
  }

  /**
   * Calls {@code reader} with every entry, in this process. One block of entries is in memory at a
   * time.
   */
  public void forEach(EntryReader reader) {
    Given.required("reader", reader);
    weft.requireRunning();
    int order = modes().size();
    for (Iterator<Piece> pieces = loaded().operand().parts().pieces(); pieces.hasNext(); ) {
      CooBlock block = pieces.next().entries();
      for (int e = 0; e < block.size(); e++) {
        long[] at = new long[order];
        for (int mode = 0; mode < order; mode++) {
          at[mode] = block.coordinate(mode, e);
        }
        reader.entry(at, block.value(e));
      }
    }
  }

  /** Is called with entries. */
  @FunctionalInterface
  public interface EntryReader {
    /**
     * Takes an entry.
     *
     * @param coordinates from 0, one for each mode, in an array that the reader may keep
     */
    void entry(long[] coordinates, double value);
  }

  /**
   * Returns the entries of a small matrix as rows of an array. A vector is one row, and a number is
   * one row with one cell. All other cells are 0.
   *
   * @throws WeftException {@code SHAPE_MISMATCH} for a tensor of more than two modes, or of a mode
   *     that no array has room for
   */
  public double[][] toArray() {
    long[] shape = shape();
    if (shape.length > 2) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "expected a tensor of at most 2 modes, found " + shape.length + "; use forEach");
    }
    for (long size : shape) {
      if (size > Integer.MAX_VALUE) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            String.format(
                Locale.ROOT,
                "expected modes of at most %,d for an array, found %,d; use forEach",
                Integer.MAX_VALUE,
                size));
      }
    }
    int rows = shape.length == 2 ? Math.toIntExact(shape[0]) : 1;
    int columns = shape.length == 0 ? 1 : Math.toIntExact(shape[shape.length - 1]);
    double[][] cells = new double[rows][columns];
    forEach(
        (at, value) -> {
          int row = at.length == 2 ? (int) at[0] : 0;
          cells[row][at.length == 0 ? 0 : (int) at[at.length - 1]] += value;
        });
    return cells;
  }

  /** Returns mode sizes and {@link #size} of a loaded tensor. This loads nothing. */
  @Override
  public String toString() {
    return loaded == null
        ? "tensor, not loaded yet"
        : loaded.operand().originalStatistics().shape() + ", " + Counts.plain(size(), "entry");
  }

  Weft weft() {
    return weft;
  }

  Source source() {
    return source;
  }

  Source.Loaded loaded() {
    Source.Loaded known = loaded;
    if (known == null) {
      weft.requireRunning();
      known = source.load(weft);
      loaded = known;
    }
    return known;
  }

  /** The tensor as decompositions read it. */
  EngineTensor packable() {
    EngineTensor known = packable;
    if (known == null) {
      known = loaded().operand() instanceof EngineTensor tensor ? tensor : gathered();
      packable = known;
    }
    return known;
  }

  private EngineTensor gathered() {
    PlacedTensor placed = (PlacedTensor) loaded().operand();
    if (weft.spark() != null) {
      return SparkEngine.tensor(
          weft.engine(),
          placed.uri(),
          SparkEngine.entries(placed.parts()),
          placed.shape(),
          ValueType.DOUBLE);
    }
    List<CooBlock> blocks = new ArrayList<>();
    placed.parts().pieces().forEachRemaining(piece -> blocks.add(piece.entries()));
    return weft.engine().of(placed.uri(), placed.shape(), blocks, ValueType.DOUBLE);
  }
}
