package org.weft.spark.kernel;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.weft.runtime.ColumnPasses;
import org.weft.spark.resident.FactorBlocks;
import org.weft.spark.resident.FactorVersion;
import org.weft.spark.wire.PartitionWork;

/** Steps over the ranges of a factor's rows, wherever they run. */
public final class FactorRange {
  private FactorRange() {}

  /** The rows of ranges in their order, columns multiplied by numbers, a block at a time. */
  public static PartitionWork<Integer, RowBlock> scaledRows(FactorVersion factor, double[] scale) {
    return ranges ->
        new Iterator<>() {
          private Iterator<RowBlock> blocks = Collections.emptyIterator();

          @Override
          public boolean hasNext() {
            while (!blocks.hasNext() && ranges.hasNext()) {
              blocks = new Scaled(new Blocks(factor, ranges.next()), scale);
            }
            return blocks.hasNext();
          }

          @Override
          public RowBlock next() {
            if (!hasNext()) {
              throw new NoSuchElementException();
            }
            return blocks.next();
          }
        };
  }

  private record Scaled(Iterator<RowBlock> blocks, double[] scale) implements Iterator<RowBlock> {
    @Override
    public boolean hasNext() {
      return blocks.hasNext();
    }

    @Override
    public RowBlock next() {
      RowBlock block = blocks.next();
      FactorRange.scale(block.values(), scale);
      return block;
    }
  }

  /** Multiplies the columns of rows. */
  public static void scale(double[] rows, double[] scale) {
    ColumnPasses.scaleRows(rows, rows.length / Math.max(1, scale.length), scale);
  }

  /** Blocks of rows; those of the store are fetched once. */
  private static final class Blocks implements Iterator<RowBlock> {
    private final FactorVersion factor;
    private final int range;
    private final long storedRows;
    private double[] read = {};
    private long readFrom;
    private long readTo;
    private long next;

    Blocks(FactorVersion factor, int range) {
      this.factor = factor;
      this.range = range;
      this.storedRows = FactorBlocks.blockRows((long) factor.columns() * factor.type().bytes());
      this.next = factor.starts()[range];
      this.readTo = next;
    }

    @Override
    public boolean hasNext() {
      return next < factor.starts()[range + 1];
    }

    @Override
    public RowBlock next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (next == readTo) {
        readFrom = next;
        readTo = Math.min(factor.starts()[range + 1], next + storedRows);
        read = factor.rows(readFrom, readTo);
      }
      long first = next;
      int columns = factor.columns();
      next = Math.min(readTo, first + DenseStep.blockRows(columns));
      int from = (int) (first - readFrom) * columns;
      int to = (int) (next - readFrom) * columns;
      return new RowBlock(range, first, columns, Arrays.copyOfRange(read, from, to));
    }
  }
}
