package org.weft.storage.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * Entries of a Harwell-Boeing matrix, column by column: column pointers, row numbers and values are
 * read side by side, from a stream each, so that memory is bounded by a block.
 */
final class HarwellBoeingReader implements BlockReader {
  private final InputPlan plan;
  private final EntryLayout.Symmetry symmetry;
  private final ValueType type;
  private final FortranNumbers pointers;
  private final FortranNumbers rows;
  private final @Nullable FortranNumbers values;
  private final List<FortranNumbers> open = new ArrayList<>();
  private final CooBlock.Builder builder;
  private final int blockEntries;
  private final long rowCount;
  private final long columns;
  private final long declared;
  private final long[] maxCoordinates = {-1, -1};
  private long column = -1;
  private long endOfColumn;
  private long records;
  private long entries;

  HarwellBoeingReader(SourceFile file, InputPlan plan, HarwellBoeingFormat.Layout layout)
      throws IOException {
    this.plan = plan;
    this.symmetry = layout.symmetry();
    this.blockEntries = plan.options().blockEntries();
    this.type = plan.options().type();
    this.builder = new CooBlock.Builder(2, 16, type == ValueType.LONG);
    this.rowCount = plan.header().shape().orElseThrow().size(0);
    this.columns = plan.header().shape().orElseThrow().size(1);
    this.declared = plan.header().declaredRecords();
    FortranNumbers.Format format = layout.values();
    boolean ready = false;
    try {
      long lines = layout.headerLines();
      this.pointers = numbers(file, layout.pointers(), lines);
      lines += layout.pointerLines();
      this.rows = numbers(file, layout.rows(), declared == 0 ? 0 : lines);
      lines += layout.rowLines();
      this.values = format == null ? null : numbers(file, format, declared == 0 ? 0 : lines);
      nextColumn();
      ready = true;
    } finally {
      if (!ready) {
        close();
      }
    }
  }

  private FortranNumbers numbers(SourceFile file, FortranNumbers.Format format, long skipped)
      throws IOException {
    FortranNumbers numbers = new FortranNumbers(file.open(0), file.uri(), format, skipped);
    open.add(numbers);
    return numbers;
  }

  /** Reads the pointer behind the present column; at first, the one before column 0. */
  private void nextColumn() throws IOException {
    long pointer = pointers.nextLong() - 1;
    boolean first = column < 0;
    if (first ? pointer != 0 : pointer < records || pointer > declared) {
      throw pointers.malformed(
          first
              ? "the first column pointer, 1"
              : "a column pointer from " + (records + 1) + " to " + (declared + 1),
          String.valueOf(pointer + 1));
    }
    endOfColumn = pointer;
    column++;
  }

  @Override
  public boolean hasNext() {
    try {
      while (builder.size() < blockEntries && more()) {
        entry();
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(plan.uri(), e);
    }
    if (builder.size() == 0) {
      plan.verify(summary());
    }
    return builder.size() > 0;
  }

  /** Moves to the column of the next entry; false at the end. */
  private boolean more() throws IOException {
    while (records == endOfColumn && column < columns) {
      nextColumn();
    }
    return records < endOfColumn;
  }

  private void entry() throws IOException {
    long row = rows.nextLong() - 1;
    if (row < 0 || row >= rowCount) {
      throw rows.malformed("a row number from 1 to " + rowCount, String.valueOf(row + 1));
    }
    double value = values == null ? 1 : values.nextDouble();
    if (values != null && !Double.isFinite(value) && !plan.options().allowNonfinite()) {
      throw new WeftException(
          ErrorCode.NONFINITE_VALUE,
          plan.uri()
              + ": expected finite values, found "
              + value
              + "; to keep it, allow non-finite"
              + " values (--allow-nonfinite)");
    }
    records++;
    long exact = values == null ? 1 : held(values, value);
    emit(row, column - 1, value, exact);
    if (symmetry == EntryLayout.Symmetry.SYMMETRIC && row != column - 1) {
      emit(column - 1, row, value, exact);
    } else if (symmetry == EntryLayout.Symmetry.SKEW_SYMMETRIC && row != column - 1) {
      emit(column - 1, row, -value, -exact);
    }
  }

  /** Checks a value against its type; the integer that it is where the type is one of integers. */
  private long held(FortranNumbers numbers, double value) {
    if (!type.isIntegral() && type.holds(value)) {
      return 0;
    }
    OptionalLong exact = type.isIntegral() ? type.integer(numbers.text()) : OptionalLong.empty();
    boolean opposite = symmetry == EntryLayout.Symmetry.SKEW_SYMMETRIC;
    long least = type == ValueType.LONG ? Long.MIN_VALUE : Integer.MIN_VALUE;
    if (exact.isEmpty() || (opposite && exact.getAsLong() == least)) {
      throw numbers.error(ErrorCode.VALUE_OUT_OF_RANGE, type.refusal(numbers.field()));
    }
    return exact.getAsLong();
  }

  /** Adds an entry, of whose two values one is not used. */
  private void emit(long i, long j, double value, long exact) {
    maxCoordinates[0] = Math.max(maxCoordinates[0], i);
    maxCoordinates[1] = Math.max(maxCoordinates[1], j);
    builder.set(0, i);
    builder.set(1, j);
    if (type == ValueType.LONG) {
      builder.finishLong(exact);
    } else {
      builder.finish(value);
    }
  }

  @Override
  public CooBlock next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    entries += builder.size();
    return builder.build();
  }

  @Override
  public ReadSummary summary() {
    return new ReadSummary(maxCoordinates, records, entries + builder.size(), 0);
  }

  @Override
  public void close() throws IOException {
    for (FortranNumbers numbers : open) {
      numbers.close();
    }
  }
}
