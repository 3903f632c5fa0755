package org.weft.engine.local;

import java.util.ArrayList;
import java.util.List;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Results of which several threads make one each, to be added up: the first is the whole result
 * itself, the others are private and shared by all passes. A cell is added up in the order of the
 * results, so that bits do not depend on timing. Memory: {@code (results - 1) I R} values, for the
 * largest I that was asked for.
 */
final class PrivateResults {
  private static final int CHUNK = 4096; // values that stay in the first-level cache

  private final MemoryScope scope;
  private final ValueType type;
  private final Workers workers;
  private final List<TensorStorage> buffers = new ArrayList<>();

  /**
   * @param most cells of the largest result
   * @param results that are made at a time
   * @param scope owner of the private results, which the caller closes after this
   */
  PrivateResults(long most, int results, ValueType type, Workers workers, MemoryScope scope) {
    this.scope = scope;
    this.type = type;
    this.workers = workers;
    for (int number = 1; number < results; number++) {
      buffers.add(TensorStorage.dense(scope, TensorShape.of(most), type));
    }
  }

  /** {@code result}, and as many private ones of its shape as make {@code count} in all. */
  List<TensorStorage> of(TensorStorage result, int count) {
    List<TensorStorage> all = new ArrayList<>(List.of(result));
    for (TensorStorage buffer : buffers.subList(0, count - 1)) {
      all.add(TensorStorage.denseView(scope, result.shape(), type, buffer.vals().address()));
    }
    return all;
  }

  /** Adds the other results to the first. Cost {@code O(results cells)}, among the threads. */
  void addUp(List<TensorStorage> results) {
    long cells = results.get(0).vals().length();
    int parts = results.size();
    workers.each(
        parts,
        part -> {
          long from = cells * part / parts;
          long to = cells * (part + 1) / parts;
          if (type == ValueType.DOUBLE) {
            addUp(results, from, to);
          } else {
            addUpEach(results, from, to);
          }
          return part;
        });
  }

  private static void addUp(List<TensorStorage> results, long from, long to) {
    double[] sums = new double[CHUNK];
    double[] other = new double[CHUNK];
    for (long at = from; at < to; at += CHUNK) {
      int count = (int) Math.min(CHUNK, to - at);
      long first = results.get(0).vals().address() + at * Double.BYTES;
      NativeMemory.copyToArray(first, sums, 0, count);
      for (TensorStorage result : results.subList(1, results.size())) {
        long address = result.vals().address() + at * Double.BYTES;
        NativeMemory.copyToArray(address, other, 0, count);
        for (int i = 0; i < count; i++) {
          sums[i] += other[i];
        }
      }
      NativeMemory.copyFromArray(sums, 0, first, count);
    }
  }

  private static void addUpEach(List<TensorStorage> results, long from, long to) {
    NativeArray first = results.get(0).vals();
    for (TensorStorage result : results.subList(1, results.size())) {
      for (long at = from; at < to; at++) {
        first.setDouble(at, first.getDouble(at) + result.vals().getDouble(at));
      }
    }
  }
}
