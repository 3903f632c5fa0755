package org.weft.storage.text;

import java.io.IOException;
import java.io.Serializable;
import org.weft.error.ErrorCode;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/** Matrix Market arrays: one value per line, column by column, whose place is its number. */
final class MatrixArrayReader extends TextReader {
  private final EntryLayout layout;
  private final boolean allowNonfinite;
  private final boolean longs;
  private final CooBlock.Builder builder;
  private final long[] maxCoordinates = {-1, -1};
  private final long cells;
  private final long rows;
  private final long[] coordinates = new long[2];
  private final DecimalParser decimals = new DecimalParser();
  private long row;
  private long column;

  /** Marks a header as that of an array. */
  record Layout(EntryLayout entries) implements Serializable {}

  MatrixArrayReader(SourceFile file, InputPlan plan, InputSplit split, EntryLayout layout)
      throws IOException {
    super(file, plan, split, layout, 0);
    this.layout = layout;
    this.allowNonfinite = plan.options().allowNonfinite();
    this.rows = layout.last(0) + 1;
    this.cells = plan.header().declaredRecords();
    this.longs = type == ValueType.LONG;
    this.builder = new CooBlock.Builder(2, (int) Math.min(blockEntries, split.length()), longs);
    this.row = firstRow(0);
  }

  /** Values that a file of this shape lists; negative if more than 2^63-1. */
  static long cells(long[] shape, EntryLayout.Symmetry symmetry) {
    java.math.BigInteger n = java.math.BigInteger.valueOf(shape[0]);
    java.math.BigInteger all = n.multiply(java.math.BigInteger.valueOf(shape[1]));
    java.math.BigInteger cells =
        switch (symmetry) {
          case GENERAL -> all;
          case SYMMETRIC -> all.add(n).shiftRight(1);
          case SKEW_SYMMETRIC -> all.subtract(n).shiftRight(1);
        };
    return cells.bitLength() > 63 ? -1 : cells.longValue();
  }

  private long firstRow(long ofColumn) {
    return switch (layout.symmetry()) {
      case GENERAL -> 0;
      case SYMMETRIC -> ofColumn;
      case SKEW_SYMMETRIC -> ofColumn + 1;
    };
  }

  @Override
  int size() {
    return builder.size();
  }

  /** Values for which there are cells: the first line that is none too many is {@link #entry}'s. */
  @Override
  int limit() {
    return (int) Math.min(Math.max(1, blockEntries - builder.size()), cells - parser.records());
  }

  @Override
  void parsed() {
    if (longs) {
      for (long value : parser.takeLongs()) {
        add(0, value);
      }
    } else {
      for (double value : parser.takeValues()) {
        add(value, 0);
      }
    }
  }

  @Override
  CooBlock take() {
    return builder.build();
  }

  @Override
  long maxCoordinate(int mode) {
    return maxCoordinates[mode];
  }

  @Override
  void entry(byte[] b, int at, long offset) {
    double value = decimals.parse(b, at);
    int end = decimals.end();
    int found = CoordinateReader.countColumns(b);
    if (found != 1) {
      throw errors.at(
          offset,
          ErrorCode.MALFORMED_INPUT,
          "expected 1 value, found "
              + Counts.plain(found, "column")
              + ": "
              + LineErrors.quoteLine(b, 0));
    }
    boolean integer = layout.field() == EntryLayout.Field.INTEGER;
    if (end < 0 || (integer && !ValueErrors.isInteger(b, at, end))) {
      throw errors.at(
          offset,
          ErrorCode.MALFORMED_INPUT,
          "expected "
              + (integer ? "an integer" : "a number")
              + ", found "
              + LineErrors.quoteToken(b, at));
    }
    if (!allowNonfinite && !Double.isFinite(value)) {
      throw errors.at(offset, ErrorCode.NONFINITE_VALUE, ValueErrors.nonfinite(b, at));
    }
    if (parser.records() >= cells) {
      throw errors.at(
          offset,
          ErrorCode.ENTRY_COUNT_MISMATCH,
          "expected the end of the file after the "
              + Counts.plain(cells, "value")
              + " that the header declares, found "
              + LineErrors.quoteLine(b, 0));
    }
    add(new long[0], value, b, at, end, offset);
  }

  /** Adds the next value of the column, of which the one that is not used is 0. */
  private void add(double value, long exact) {
    while (row >= rows) {
      column++;
      row = firstRow(column);
    }
    emit(row, column, value, exact);
    if (layout.symmetry() != EntryLayout.Symmetry.GENERAL && row != column) {
      boolean same = layout.symmetry() == EntryLayout.Symmetry.SYMMETRIC;
      emit(column, row, same ? value : -value, same ? exact : -exact);
    }
    row++;
  }

  private void emit(long i, long j, double value, long exact) {
    coordinates[0] = i;
    coordinates[1] = j;
    maxCoordinates[0] = Math.max(maxCoordinates[0], i);
    maxCoordinates[1] = Math.max(maxCoordinates[1], j);
    if (longs) {
      builder.addLong(coordinates, exact);
    } else {
      builder.add(coordinates, value);
    }
  }
}
