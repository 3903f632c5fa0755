package org.weft.storage.npy;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.TensorWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Sorted entries to a dense array in C order; one cell is held back, to sum duplicates of it. The
 * array is one of int64 if its values are integers by their type, or if the first entries have long
 * values, and then all must.
 */
final class NpyWriter implements TensorWriter {
  private final OutputStream out;
  private final String name;
  private final TensorShape shape;
  private final boolean integral;
  private final NpyFile.ElementsOut elements;
  private final long cells;

  /** Cell held back, and cells before it that are written; -1 before the first entry. */
  private long held = -1;

  /** A double, or a long as its bits. */
  private long heldValue;

  /** Once there was an entry, or the end. */
  private @Nullable NpyType type;

  /** Whether the last write did not return: the array is given up, not filled. */
  private boolean failed;

  private boolean closed;

  NpyWriter(OutputStream out, String name, TensorShape shape, ValueType values) {
    this.out = out;
    this.name = name;
    this.shape = shape;
    this.integral = values.isIntegral();
    this.cells = (long) shape.cells();
    this.elements = new NpyFile.ElementsOut(out);
  }

  @Override
  public void write(CooBlock block) throws IOException {
    failed = true;
    if (block.size() > 0) {
      begin(block.hasLongValues());
    }
    for (int e = 0; e < block.size(); e++) {
      long cell = 0;
      for (int mode = 0; mode < shape.order(); mode++) {
        long coordinate = block.coordinate(mode, e);
        requireInside(mode, coordinate);
        cell = cell * shape.size(mode) + coordinate;
      }
      add(
          cell,
          type == NpyType.I8 ? block.longValue(e) : Double.doubleToRawLongBits(block.value(e)));
    }
    failed = false;
  }

  @Override
  public void writeRows(long firstRow, int columns, double[] values) throws IOException {
    long first = firstRow * columns;
    if (integral
        || type == NpyType.I8
        || shape.order() != 2
        || shape.size(1) != columns
        || first <= held) {
      TensorWriter.super.writeRows(firstRow, columns, values);
      return;
    }
    requireInside(0, firstRow);
    requireInside(0, firstRow + Math.max(0, values.length - 1) / columns);
    failed = true;
    if (values.length > 0) {
      begin(false);
      fillUpTo(first);
      elements.write(values, 0, values.length - 1);
      held = first + values.length - 1;
      heldValue = Double.doubleToRawLongBits(values[values.length - 1]);
    }
    failed = false;
  }

  private void requireInside(int mode, long coordinate) {
    if (coordinate < 0 || coordinate >= shape.size(mode)) {
      throw new WeftException(
          ErrorCode.COORDINATE_OUT_OF_RANGE,
          name + ": expected coordinates within " + shape + ", found " + coordinate);
    }
  }

  /** Writes the header before the first entry. */
  private void begin(boolean longs) throws IOException {
    if (type == null) {
      type = integral || longs ? NpyType.I8 : NpyType.F8;
      out.write(NpyHeader.of(type, shape.toArray()));
    } else if (type == NpyType.I8 && !integral && !longs) {
      throw new IllegalArgumentException(name + ": doubles among longs");
    }
  }

  /** Adds a double, or a long, by its bits. */
  private void add(long cell, long value) throws IOException {
    if (cell == held) {
      heldValue =
          type == NpyType.I8
              ? heldValue + value
              : Double.doubleToRawLongBits(
                  Double.longBitsToDouble(heldValue) + Double.longBitsToDouble(value));
    } else if (cell < held) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          name + ": a dense array is written from sorted entries, found one out of order");
    } else {
      fillUpTo(cell);
      heldValue = value;
    }
  }

  /** Writes the cell held back and zeros up to {@code cell}, which is held back from now on. */
  private void fillUpTo(long cell) throws IOException {
    if (held >= 0) {
      elements.writeLong(heldValue);
    }
    for (long at = held + 1; at < cell; at++) {
      elements.writeLong(0);
    }
    held = cell;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (out) {
      if (failed) {
        return;
      }
      if (type == null) {
        begin(integral);
      }
      fillUpTo(cells);
      elements.flush();
    }
  }
}
