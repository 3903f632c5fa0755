package org.weft.spark.table;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Rows as blocks of 0-based entries; every cell is checked. */
final class RowEntries implements Iterator<CooBlock> {
  private static final int BLOCK = 1 << 16;

  /** A mode has at most 2^63 - 1 slices. */
  private static final long LARGEST = Long.MAX_VALUE - 1;

  private final WriteColumns columns;
  private final boolean integral;
  private final Iterator<InternalRow> rows;
  private final int order;
  private final long[] largest;

  /**
   * @param integral whether values come as {@code bigint} rather than {@code double}
   */
  RowEntries(WriteColumns columns, boolean integral, Iterator<InternalRow> rows) {
    this.columns = columns;
    this.integral = integral;
    this.rows = rows;
    this.order = columns.modes().size();
    this.largest = new long[order];
    TensorShape shape = columns.shape();
    for (int mode = 0; mode < order; mode++) {
      largest[mode] = shape == null ? LARGEST : shape.size(mode) - 1;
    }
  }

  @Override
  public boolean hasNext() {
    return rows.hasNext();
  }

  @Override
  public CooBlock next() {
    if (!rows.hasNext()) {
      throw new NoSuchElementException();
    }
    CooBlock.Builder block = new CooBlock.Builder(order, 16, columns.type() == ValueType.LONG);
    while (block.size() < BLOCK && rows.hasNext()) {
      add(rows.next(), block);
    }
    return block.build();
  }

  private void add(InternalRow row, CooBlock.Builder block) {
    for (int mode = 0; mode < order; mode++) {
      requireCell(row, mode, columns.modes().get(mode));
      long coordinate = row.getLong(mode);
      if (coordinate < columns.base() || coordinate - columns.base() > largest[mode]) {
        throw wrong(
            ErrorCode.COORDINATE_OUT_OF_RANGE,
            row,
            columns.modes().get(mode),
            "a coordinate from " + columns.base() + " to " + (largest[mode] + columns.base()),
            Long.toString(coordinate));
      }
      block.set(mode, coordinate - columns.base());
    }
    requireCell(row, order, columns.value());
    if (integral) {
      addIntegral(row, block);
      return;
    }
    double value = row.getDouble(order);
    if (!Double.isFinite(value) && !columns.nonfinite()) {
      throw wrong(
          ErrorCode.NONFINITE_VALUE,
          row,
          columns.value(),
          "a finite value",
          value + " (the option allowNonfinite=true keeps it)");
    }
    block.finish(value);
  }

  private void addIntegral(InternalRow row, CooBlock.Builder block) {
    long value = row.getLong(order);
    boolean exact = (long) (double) value == value && value != Long.MAX_VALUE;
    if (columns.type() == ValueType.DOUBLE && !exact) {
      throw wrong(
          ErrorCode.WIDTH_OVERFLOW,
          row,
          columns.value(),
          "an integer that a double holds exactly",
          Long.toString(value));
    }
    block.finishLong(value);
  }

  private void requireCell(InternalRow row, int cell, String column) {
    if (row.isNullAt(cell)) {
      throw wrong(ErrorCode.MALFORMED_INPUT, row, column, "a number", "null");
    }
  }

  private WeftException wrong(
      ErrorCode code, InternalRow row, String column, String expected, String found) {
    List<String> cells = new ArrayList<>();
    for (int cell = 0; cell <= order; cell++) {
      cells.add(row.isNullAt(cell) ? "null" : number(row, cell));
    }
    return columns.wrong(code, cells, column, expected, found);
  }

  private String number(InternalRow row, int cell) {
    return cell < order || integral
        ? Long.toString(row.getLong(cell))
        : Double.toString(row.getDouble(cell));
  }
}
