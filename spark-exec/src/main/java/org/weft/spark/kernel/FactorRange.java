package org.weft.spark.kernel;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.Function;
import org.weft.spark.resident.FactorVersion;

/** Steps over the ranges of a factor's rows, wherever they run. */
public final class FactorRange {
  private FactorRange() {}

  /** The sums over a range of the factor as it is. */
  public static Function<Integer, FactorSums> grams(FactorUpdate update) {
    return update::gram;
  }

  /** The rows of a range, a block at a time. */
  public static FlatMapFunction<Integer, RowBlock> rows(FactorVersion factor) {
    return range -> new Blocks(factor, range);
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
