package org.weft.spark.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.spark.key.KeptRows;
import org.weft.spark.key.KeyBounds;
import org.weft.spark.key.KeyLabels;
import org.weft.spark.key.KeySpace;
import org.weft.spark.key.KeyedRows;
import org.weft.spark.key.Numbering;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.tensor.CooBlock;

/**
 * Rows with coordinates in the place of labels: those that the labels have in the tensor that is
 * added to, the next ones for labels that are new. A new tensor numbers its labels in their order.
 * Cost: executors hold the rows as numbers, and each different label of some rows is sent once.
 * Close it to free them.
 */
final class LabelledRows implements AutoCloseable {
  private final @Nullable KeptRows kept;
  private final @Nullable Numbering labels;
  private final Dataset<Row> rows;

  private LabelledRows(@Nullable KeptRows kept, @Nullable Numbering labels, Dataset<Row> rows) {
    this.kept = kept;
    this.labels = labels;
    this.rows = rows;
  }

  /**
   * @param selected by {@link WriteColumns#select}
   * @param base that is added to, if any
   */
  static LabelledRows of(Dataset<Row> selected, WriteColumns columns, @Nullable Container base) {
    if (columns.labelled().isEmpty()) {
      return new LabelledRows(null, null, selected);
    }
    int[] spaces = new int[columns.modes().size()];
    Arrays.fill(spaces, KeyedRows.COORDINATES);
    int labelled = 0;
    for (int mode : columns.labelled()) {
      spaces[mode] = labelled++;
    }
    boolean integral = InternalRows.isIntegral(selected);
    KeyedTable table = KeyedTable.of(selected.schema(), spaces, new NoNumber(columns, integral));
    KeptRows kept = KeptRows.of(table.rows(selected), "rows for " + columns.uri());
    Numbering labels = null;
    try {
      List<KeySpace> modes =
          columns.labelled().stream().map(m -> new KeySpace(m, KeyLabels.TEXT, 0)).toList();
      JavaRDD<KeyedRows> rows = kept.values();
      int ranges = KeyBounds.usualRanges(JavaSparkContext.fromSparkContext(rows.context()));
      KeyBounds bounds = KeyBounds.of(kept.summaries(), modes.size(), ranges);
      labels = Numbering.of(columns.uri(), modes, rows, bounds, base);
      StructType schema = new StructType();
      for (int mode = 0; mode < spaces.length; mode++) {
        schema = schema.add("c" + mode, DataTypes.LongType);
      }
      schema = schema.add("v", integral ? DataTypes.LongType : DataTypes.DoubleType);
      long first = columns.base();
      JavaRDD<InternalRow> entries =
          labels
              .entries(0, rows.getNumPartitions())
              .flatMap(block -> new Entries(block, spaces, first));
      return new LabelledRows(
          kept, labels, InternalRows.table(selected.sparkSession(), entries, schema));
    } catch (Exception e) { // also those of Spark, which are not declared
      if (labels != null) {
        labels.close();
      }
      kept.close();
      throw e;
    }
  }

  /** The coordinates {@code c0}, {@code c1}, ..., and the value {@code v}. */
  Dataset<Row> rows() {
    return rows;
  }

  /** Writes the labels that are new. */
  void write(ParallelContainer.Target target, ContainerPiece pieces) {
    if (labels != null) {
      pieces.merge(labels.write(target));
    }
  }

  @Override
  public void close() {
    if (labels != null) {
      labels.close();
      Objects.requireNonNull(kept).close();
    }
  }

  /** Entries as rows of Spark SQL. */
  private static final class Entries implements Iterator<InternalRow> {
    private final CooBlock block;
    private final int[] spaces;
    private final long first;
    private int next;

    /**
     * @param first what the first slice is called; coordinates without labels count from it
     */
    Entries(CooBlock block, int[] spaces, long first) {
      this.block = block;
      this.spaces = spaces;
      this.first = first;
    }

    @Override
    public boolean hasNext() {
      return next < block.size();
    }

    @Override
    public InternalRow next() {
      int entry = next++;
      Object[] cells = new Object[spaces.length + 1];
      for (int mode = 0; mode < spaces.length; mode++) {
        long from = spaces[mode] == KeyedRows.COORDINATES ? 0 : first;
        cells[mode] = block.coordinate(mode, entry) + from;
      }
      if (block.hasLongValues()) {
        cells[spaces.length] = block.longValue(entry);
      } else {
        cells[spaces.length] = block.value(entry);
      }
      return new GenericInternalRow(cells);
    }
  }

  /** The error of a cell that is null in the place of a coordinate or a value. */
  private record NoNumber(WriteColumns columns, boolean integral)
      implements KeyedTable.MissingCell {
    private static final int SHOWN = 100;

    @Override
    public WeftException of(InternalRow row, int column) {
      List<String> cells = new ArrayList<>();
      int order = columns.modes().size();
      for (int cell = 0; cell <= order; cell++) {
        cells.add(row.isNullAt(cell) ? "null" : shown(row, cell, order));
      }
      String name = column < order ? columns.modes().get(column) : columns.value();
      return columns.wrong(ErrorCode.MALFORMED_INPUT, cells, name, "a number", "null");
    }

    private String shown(InternalRow row, int cell, int order) {
      if (columns.labelled().contains(cell)) {
        UTF8String label = row.getUTF8String(cell);
        return label.numChars() > SHOWN ? label.substring(0, SHOWN) + "..." : label.toString();
      }
      return cell < order || integral
          ? Long.toString(row.getLong(cell))
          : Double.toString(row.getDouble(cell));
    }
  }
}
