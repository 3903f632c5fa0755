package org.weft.spark.table;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.tensor.CooBlock;

/** A column of a block as Spark reads it: nothing is copied, entries may be selected. */
abstract class EntryVector extends ColumnVector {
  final CooBlock block;
  private final int @Nullable [] selection;

  private EntryVector(DataType type, CooBlock block, int @Nullable [] selection) {
    super(type);
    this.block = block;
    this.selection = selection;
  }

  /**
   * @param selection entries to show, or null for all
   * @param labels of the mode of a column of labels
   */
  static EntryVector of(
      TensorColumns.Column column,
      long base,
      CooBlock block,
      int @Nullable [] selection,
      Labels labels) {
    return switch (column.kind()) {
      case COORDINATE -> new Coordinates(column, base, block, selection);
      case LABEL -> new LabelTexts(column, block, selection, labels);
      case NAME -> new Names(column, block, selection, labels);
      case VALUE -> new Values(column.type(), block, selection);
    };
  }

  final int entry(int row) {
    return selection == null ? row : selection[row];
  }

  private static final class Coordinates extends EntryVector {
    private final int mode;
    private final long base;

    Coordinates(
        TensorColumns.Column column, long base, CooBlock block, int @Nullable [] selection) {
      super(column.type(), block, selection);
      this.mode = column.mode();
      this.base = base;
    }

    @Override
    public long getLong(int row) {
      return block.coordinate(mode, entry(row)) + base;
    }

    @Override
    public int getInt(int row) {
      long coordinate = getLong(row);
      if (coordinate > Integer.MAX_VALUE) {
        throw new WeftException(
            ErrorCode.WIDTH_OVERFLOW,
            "expected coordinates of mode "
                + mode
                + " that fit the type int of their column, found "
                + coordinate
                + "; make the table with a column of type bigint");
      }
      return (int) coordinate;
    }
  }

  private static final class Values extends EntryVector {
    Values(DataType type, CooBlock block, int @Nullable [] selection) {
      super(type, block, selection);
    }

    @Override
    public double getDouble(int row) {
      return block.value(entry(row));
    }

    @Override
    public float getFloat(int row) {
      return (float) block.value(entry(row));
    }

    @Override
    public int getInt(int row) {
      return (int) block.longValue(entry(row));
    }

    @Override
    public long getLong(int row) {
      return block.longValue(entry(row));
    }
  }

  /** Coordinates without a label are null. */
  private static final class LabelTexts extends EntryVector {
    private final int mode;
    private final Labels labels;

    LabelTexts(
        TensorColumns.Column column, CooBlock block, int @Nullable [] selection, Labels labels) {
      super(column.type(), block, selection);
      this.mode = column.mode();
      this.labels = labels;
    }

    @Override
    public boolean hasNull() {
      return true;
    }

    @Override
    public boolean isNullAt(int row) {
      return block.coordinate(mode, entry(row)) >= labels.size();
    }

    @Override
    public UTF8String getUTF8String(int row) {
      return UTF8String.fromBytes(labels.utf8(block.coordinate(mode, entry(row))));
    }
  }

  /** Coordinates without a label are numbers from 1, which stand for labels wherever those are. */
  private static final class Names extends EntryVector {
    private final int mode;
    private final Labels labels;

    Names(TensorColumns.Column column, CooBlock block, int @Nullable [] selection, Labels labels) {
      super(column.type(), block, selection);
      this.mode = column.mode();
      this.labels = labels;
    }

    @Override
    public UTF8String getUTF8String(int row) {
      long coordinate = block.coordinate(mode, entry(row));
      return coordinate < labels.size()
          ? UTF8String.fromBytes(labels.utf8(coordinate))
          : UTF8String.fromString(Long.toString(coordinate + 1));
    }
  }

  @Override
  public void close() {}

  @Override
  public boolean hasNull() {
    return false;
  }

  @Override
  public int numNulls() {
    int nulls = 0;
    int rows = selection == null ? block.size() : selection.length;
    for (int row = 0; row < rows; row++) {
      nulls += isNullAt(row) ? 1 : 0;
    }
    return nulls;
  }

  @Override
  public boolean isNullAt(int row) {
    return false;
  }

  private UnsupportedOperationException notOfThisType() {
    return new UnsupportedOperationException("a column of " + dataType());
  }

  @Override
  public boolean getBoolean(int row) {
    throw notOfThisType();
  }

  @Override
  public byte getByte(int row) {
    throw notOfThisType();
  }

  @Override
  public short getShort(int row) {
    throw notOfThisType();
  }

  @Override
  public int getInt(int row) {
    throw notOfThisType();
  }

  @Override
  public long getLong(int row) {
    throw notOfThisType();
  }

  @Override
  public float getFloat(int row) {
    throw notOfThisType();
  }

  @Override
  public double getDouble(int row) {
    throw notOfThisType();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw notOfThisType();
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw notOfThisType();
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw notOfThisType();
  }

  @Override
  public UTF8String getUTF8String(int row) {
    throw notOfThisType();
  }

  @Override
  public byte[] getBinary(int row) {
    throw notOfThisType();
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw notOfThisType();
  }
}
