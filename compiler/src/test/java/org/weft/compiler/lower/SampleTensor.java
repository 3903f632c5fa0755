package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** A test operand: its entries as a map, and the same entries as COO input with duplicates. */
record SampleTensor(
    TensorFormat format, TensorShape shape, Map<List<Long>, Double> entries, CooBlock input) {

  /** Random entries; {@code density} is the chance of a cell, a few of them given twice. */
  static SampleTensor random(
      RandomGenerator random, TensorFormat format, TensorShape shape, double density) {
    Map<List<Long>, Double> entries = new TreeMap<>(SampleTensor::compare);
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), 16);
    for (List<Long> cell : cells(shape)) {
      if (random.nextDouble() < density) {
        double value = value(random);
        int times = random.nextInt(8) == 0 ? 2 : 1;
        for (int time = 0; time < times; time++) {
          block.add(cell.stream().mapToLong(c -> c).toArray(), value);
        }
        entries.put(cell, value * times);
      }
    }
    return new SampleTensor(format, shape, entries, block.build());
  }

  private static double value(RandomGenerator random) {
    double magnitude = random.nextInt(20) == 0 ? 0 : (1 + random.nextInt(32)) / 16.0;
    return random.nextInt(3) == 0 ? -magnitude : magnitude;
  }

  /** All coordinates of a shape in row-major order. */
  static List<List<Long>> cells(TensorShape shape) {
    List<List<Long>> cells = new ArrayList<>(List.of(List.of()));
    for (int mode = 0; mode < shape.order(); mode++) {
      List<List<Long>> longer = new ArrayList<>();
      for (List<Long> cell : cells) {
        for (long c = 0; c < shape.size(mode); c++) {
          List<Long> next = new ArrayList<>(cell);
          next.add(c);
          longer.add(next);
        }
      }
      cells = longer;
    }
    return cells;
  }

  static int compare(List<Long> a, List<Long> b) {
    for (int i = 0; i < a.size(); i++) {
      int order = Long.compare(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  TensorStorage pack(MemoryScope scope) {
    return Packing.pack(scope, shape, format, List.of(input));
  }

  /** Whether a cell is stored: in a dense tensor every one is. */
  boolean isStored(List<Long> cell) {
    return format.isDense() || entries.containsKey(cell) || block(cell);
  }

  /** Random-access levels store every coordinate under a stored one. */
  private boolean block(List<Long> cell) {
    return StoredStructure.of(format, shape, entries.keySet()).contains(cell);
  }

  double value(List<Long> cell) {
    return entries.getOrDefault(cell, 0.0);
  }

  static boolean isFloat(TensorFormat format) {
    return format.valueType() == ValueType.FLOAT;
  }
}
