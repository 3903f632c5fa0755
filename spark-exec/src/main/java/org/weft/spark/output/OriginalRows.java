package org.weft.spark.output;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.weft.engine.entries.Shared;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.spark.kernel.RowBlock;

/**
 * Takes the rows of a relabelled result back to their old numbers: every block is cut into pieces
 * of nearby old rows, which {@link RowSums} puts together. Memory: a block and its pieces; cost
 * {@code O(rows log rows)} per block.
 */
public final class OriginalRows implements FlatMapFunction<Iterator<RowBlock>, RowBlock> {
  private static final long serialVersionUID = 1L;
  private static final int REGION_ELEMENTS = 1 << 20;

  private final Shared<Relabelling> inverse;
  private final int mode;

  /**
   * @param inverse from new coordinates to old ones
   * @param mode the tensor's mode that numbers the rows
   */
  public OriginalRows(Shared<Relabelling> inverse, int mode) {
    this.inverse = inverse;
    this.mode = mode;
  }

  /** Rows of a region, the unit in which old rows are put together. */
  static int regionRows(int columns) {
    return Math.max(1, REGION_ELEMENTS / Math.max(1, columns));
  }

  @Override
  public Iterator<RowBlock> call(Iterator<RowBlock> blocks) {
    Permutation old = inverse.value().mode(mode);
    return new Iterator<>() {
      private Iterator<RowBlock> pieces = Collections.emptyIterator();

      @Override
      public boolean hasNext() {
        while (!pieces.hasNext() && blocks.hasNext()) {
          pieces = pieces(blocks.next(), old);
        }
        return pieces.hasNext();
      }

      @Override
      public RowBlock next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return pieces.next();
      }
    };
  }

  private static Iterator<RowBlock> pieces(RowBlock block, Permutation old) {
    long[] byOldRow = new long[block.rows()]; // old row above, place in the block below
    for (int row = 0; row < byOldRow.length; row++) {
      byOldRow[row] = old.apply(block.firstRow() + row) << 32 | row;
    }
    Arrays.sort(byOldRow);
    int region = regionRows(block.columns());
    return new Iterator<>() {
      private int at;

      @Override
      public boolean hasNext() {
        return at < byOldRow.length;
      }

      @Override
      public RowBlock next() {
        long first = (byOldRow[at] >>> 32) / region * region;
        int from = at;
        while (at < byOldRow.length && (byOldRow[at] >>> 32) - first < region) {
          at++;
        }
        int columns = block.columns();
        int[] offsets = new int[at - from];
        double[] values = new double[offsets.length * columns];
        for (int i = 0; i < offsets.length; i++) {
          offsets[i] = (int) ((byOldRow[from + i] >>> 32) - first);
          int source = (int) byOldRow[from + i] * columns;
          System.arraycopy(block.values(), source, values, i * columns, columns);
        }
        return new RowBlock(block.partition(), first, columns, offsets, values);
      }
    };
  }
}
