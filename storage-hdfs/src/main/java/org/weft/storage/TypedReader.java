package org.weft.storage;

import java.io.IOException;
import java.util.Arrays;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * The entries of any reader as values of the type that they are read for: one that the type does
 * not hold is an error, and longs are long. Readers of text refuse such a value before, by its
 * line.
 */
final class TypedReader implements BlockReader {
  private final BlockReader reader;
  private final InputPlan plan;
  private final ValueType type;

  TypedReader(BlockReader reader, InputPlan plan) {
    this.reader = reader;
    this.plan = plan;
    this.type = plan.options().type();
  }

  @Override
  public boolean hasNext() {
    return reader.hasNext();
  }

  @Override
  public CooBlock next() {
    CooBlock block = reader.next();
    for (int e = 0; e < block.size(); e++) {
      boolean holds =
          block.hasLongValues() ? type.holds(block.longValue(e)) : type.holds(block.value(e));
      if (!holds) {
        throw refused(block, e);
      }
    }
    return type == ValueType.LONG ? block.withLongValues() : block;
  }

  private WeftException refused(CooBlock block, int e) {
    String value =
        block.hasLongValues() ? Long.toString(block.longValue(e)) : Double.toString(block.value(e));
    long[] at = new long[block.order()];
    Arrays.setAll(at, mode -> block.coordinate(mode, e));
    boolean placed = plan.options().wanted() != ReadOptions.Wanted.VALUES;
    String found = value + (placed ? " at " + Arrays.toString(at) + " (counted from 0)" : "");
    return new WeftException(ErrorCode.VALUE_OUT_OF_RANGE, plan.uri() + ": " + type.refusal(found));
  }

  @Override
  public ReadSummary summary() {
    return reader.summary();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
