package org.weft.spark.kernel;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.Function;
import org.weft.spark.resident.FactorVersion;

/** Steps over the ranges of a factor's rows, wherever they run. */
public final class FactorRange {
  private FactorRange() {}

  /** A step on a range that no statement makes. */
  public static Function<Integer, StepPart> step(RowsStep step) {
    return step::run;
  }

  /** The rows of a range, a block at a time. */
  public static FlatMapFunction<Integer, RowBlock> rows(FactorVersion factor) {
    return range -> new Blocks(factor, range);
  }

  /** The rows of a range with columns multiplied by numbers, a block at a time. */
  public static FlatMapFunction<Integer, RowBlock> scaledRows(
      FactorVersion factor, double[] scale) {
    return range -> {
      Blocks blocks = new Blocks(factor, range);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return blocks.hasNext();
        }

        @Override
        public RowBlock next() {
          RowBlock block = blocks.next();
          scale(block.values(), scale);
          return block;
        }
      };
    };
  }

  /** Multiplies the columns of rows. */
  public static void scale(double[] rows, double[] scale) {
    for (int i = 0; i < rows.length; i++) {
      rows[i] *= scale[i % scale.length];
    }
  }

  private static final class Blocks implements Iterator<RowBlock> {
    private final FactorVersion factor;
    private final int range;
    private long next;

    Blocks(FactorVersion factor, int range) {
      this.factor = factor;
      this.range = range;
      this.next = factor.starts()[range];
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
      long first = next;
      next = Math.min(factor.starts()[range + 1], first + DenseStep.blockRows(factor.columns()));
      return new RowBlock(range, first, factor.columns(), factor.rows(first, next));
    }
  }
}
