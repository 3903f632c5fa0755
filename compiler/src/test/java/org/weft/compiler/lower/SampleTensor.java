package org.weft.compiler.lower;

import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A test operand: its values and entries by cell, and the same entries as COO input with
 * duplicates. Cells are numbered in row-major order.
 */
record SampleTensor(
    TensorFormat format, TensorShape shape, double[] values, BitSet entries, CooBlock input) {

  /** Random entries; {@code density} is the chance of a cell, a few of them given twice. */
  static SampleTensor random(
      RandomGenerator random, TensorFormat format, TensorShape shape, double density) {
    double[] values = new double[cells(shape)];
    BitSet entries = new BitSet();
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), 16);
    for (int cell = 0; cell < values.length; cell++) {
      if (random.nextDouble() < density) {
        double value = value(random);
        int times = random.nextInt(8) == 0 ? 2 : 1;
        for (int time = 0; time < times; time++) {
          block.add(coordinates(shape, cell), value);
        }
        values[cell] = value * times;
        entries.set(cell);
      }
    }
    return new SampleTensor(format, shape, values, entries, block.build());
  }

  private static double value(RandomGenerator random) {
    double magnitude = random.nextInt(20) == 0 ? 0 : (1 + random.nextInt(32)) / 16.0;
    return random.nextInt(3) == 0 ? -magnitude : magnitude;
  }

  /** How many cells a shape has. */
  static int cells(TensorShape shape) {
    int cells = 1;
    for (int mode = 0; mode < shape.order(); mode++) {
      cells = Math.multiplyExact(cells, Math.toIntExact(shape.size(mode)));
    }
    return cells;
  }

  /** The cell at some coordinates; -1 if they are outside of the shape. */
  static int cell(TensorShape shape, long[] coordinates) {
    int cell = 0;
    for (int mode = 0; mode < coordinates.length; mode++) {
      if (coordinates[mode] < 0 || coordinates[mode] >= shape.size(mode)) {
        return -1;
      }
      cell = cell * (int) shape.size(mode) + (int) coordinates[mode];
    }
    return cell;
  }

  static long[] coordinates(TensorShape shape, int cell) {
    long[] coordinates = new long[shape.order()];
    int rest = cell;
    for (int mode = shape.order() - 1; mode >= 0; mode--) {
      coordinates[mode] = rest % (int) shape.size(mode);
      rest /= (int) shape.size(mode);
    }
    return coordinates;
  }

  TensorStorage pack(MemoryScope scope) {
    return Packing.pack(scope, shape, format, List.of(input));
  }

  static boolean isFloat(TensorFormat format) {
    return format.valueType() == ValueType.FLOAT;
  }
}
