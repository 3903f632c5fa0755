package org.weft.compiler.program;

import java.util.function.Consumer;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Prints stored tensors as COMET does. A tensor whose levels are all full prints its values, row by
 * row in the order of its modes, whatever order they are stored in. Any other prints for each
 * level, outermost first, its {@code pos} and its {@code crd} array, then its values. Every array
 * is a line {@code data = } and a line of numbers, each followed by a comma; {@code -1} stands for
 * an array that a level does not have, and a dense level's {@code pos} is its size.
 */
final class TensorPrinter {
  private static final int FLUSH_CHARACTERS = 1 << 16;

  private final Consumer<String> output;
  private final StringBuilder text = new StringBuilder();

  TensorPrinter(Consumer<String> output) {
    this.output = output;
  }

  void print(TensorStorage tensor) {
    if (tensor.format().isDense()) {
      begin();
      if (tensor.format().isOrdinary()) {
        cells(tensor, 0, 0);
      } else {
        scattered(tensor);
      }
      end();
    } else {
      levels(tensor);
    }
    flush();
  }

  /** A single number as an array of one element. */
  void printAsTensor(double value) {
    begin();
    GeneralNumber.append(text, value);
    text.append(',');
    end();
    flush();
  }

  /** A single number on a line of its own. */
  void print(Number value) {
    number(value);
    text.append('\n');
    flush();
  }

  private void number(Number value) {
    if (value instanceof Long || value instanceof Integer) {
      text.append(value.longValue());
    } else {
      GeneralNumber.append(text, value.doubleValue());
    }
  }

  /** Values of the cells whose first modes have been chosen; {@code at} is their position. */
  private void cells(TensorStorage tensor, int mode, long at) {
    TensorFormat format = tensor.format();
    if (mode == format.order()) {
      value(tensor.vals(), format.valueType(), at);
      return;
    }
    long stride = 1;
    for (int level = format.order() - 1; format.modeOf(level) != mode; level--) {
      stride *= tensor.shape().size(format.modeOf(level));
    }
    for (long c = 0; c < tensor.shape().size(mode); c++) {
      cells(tensor, mode + 1, at + c * stride);
    }
  }

  /** Values of a dense tensor whose levels are not one per mode. */
  private void scattered(TensorStorage tensor) {
    long[] positions = new long[Math.toIntExact((long) tensor.shape().cells())];
    tensor.forEachPosition(
        (coordinates, position) -> {
          long at = 0;
          for (int m = 0; m < coordinates.length; m++) {
            at = at * tensor.shape().size(m) + coordinates[m];
          }
          positions[(int) at] = position;
        });
    for (long position : positions) {
      value(tensor.vals(), tensor.format().valueType(), position);
    }
  }

  private void levels(TensorStorage tensor) {
    TensorFormat format = tensor.format();
    TensorFormat narrow = format.narrowedFor(tensor.shape(), tensor.storedEntries());
    for (int level = 0; level < format.levelCount(); level++) {
      if (tensor.hasPos(level)) {
        array(tensor.pos(level));
      } else {
        boolean sized = format.level(level).properties().full() && !tensor.hasCrd(level);
        single(sized ? tensor.level(level).modeSize() : -1);
      }
      if (tensor.hasCrd(level)) {
        coordinates(tensor.crd(level), narrow.level(level).crdWidth());
      } else {
        single(-1);
      }
    }
    begin();
    for (long p = 0; p < tensor.storedEntries(); p++) {
      value(tensor.vals(), format.valueType(), p);
    }
    end();
  }

  private void array(NativeArray array) {
    begin();
    for (long p = 0; p < array.length(); p++) {
      text.append(array.getLong(p)).append(',');
      flushIfLong();
    }
    end();
  }

  /** Marks of free slots and padding are printed alike, however wide the array is. */
  private void coordinates(NativeArray array, Width narrow) {
    long mark = Width.of(array.type()).maximum();
    begin();
    for (long p = 0; p < array.length(); p++) {
      long coordinate = array.getLong(p);
      text.append(coordinate == mark ? narrow.maximum() : coordinate).append(',');
      flushIfLong();
    }
    end();
  }

  private void single(long number) {
    begin();
    text.append(number).append(',');
    end();
  }

  private void value(NativeArray values, ValueType type, long p) {
    if (type == ValueType.INT || type == ValueType.LONG) {
      text.append(values.getLong(p));
    } else {
      GeneralNumber.append(text, values.getDouble(p));
    }
    text.append(',');
    flushIfLong();
  }

  private void begin() {
    text.append("data = \n");
  }

  private void end() {
    text.append('\n');
  }

  private void flushIfLong() {
    if (text.length() > FLUSH_CHARACTERS) {
      flush();
    }
  }

  private void flush() {
    output.accept(text.toString());
    text.setLength(0);
  }
}
