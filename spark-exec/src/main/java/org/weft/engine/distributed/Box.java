package org.weft.engine.distributed;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.weft.planner.distributed.Ranges;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Cells of a tensor: those whose coordinate of every mode {@code m} is {@code starts[m] + steps[m]
 * * t} for a {@code t} below {@code counts[m]}.
 */
public record Box(long[] starts, long[] steps, long[] counts) implements Serializable {
  private static final int BLOCK = 1 << 16;

  /** All cells. */
  public static Box of(TensorShape shape) {
    long[] steps = new long[shape.order()];
    Arrays.fill(steps, 1);
    return new Box(new long[shape.order()], steps, shape.toArray());
  }

  public TensorShape shape() {
    return TensorShape.of(counts);
  }

  /** The entries in the box, with coordinates in the box. */
  public Parts.Step taken() {
    return (part, pieces, scope) -> new MappedPieces(pieces, this::taken);
  }

  /** The entries outside of the box. */
  public Parts.Step outside() {
    return (part, pieces, scope) ->
        new MappedPieces(pieces, block -> block.select(chosen(block, false)));
  }

  /** Entries with coordinates in the box, with those in the tensor. */
  public Parts.Step placed() {
    return (part, pieces, scope) ->
        new MappedPieces(
            pieces, block -> Columns.mapped(block, (mode, c) -> starts[mode] + steps[mode] * c));
  }

  /** Every cell of the box with {@code value}, by ranges of the first mode. */
  public static Parts.Step filled(TensorShape shape, Ranges ranges, Number value) {
    return (part, pieces, scope) -> every(shape, ranges, part, block -> filled(block, value));
  }

  /** As above with values in [0, 1), which are the same if a part is made again. */
  public static Parts.Step random(TensorShape shape, Ranges ranges, long seed) {
    return (part, pieces, scope) -> {
      SplittableRandom values = new SplittableRandom(seed + part);
      return every(
          shape, ranges, part, block -> block.withValues(values.doubles(block.size()).toArray()));
    };
  }

  private static Iterator<Piece> every(
      TensorShape shape, Ranges ranges, int part, UnaryOperator<CooBlock> filling) {
    if (part >= ranges.parts()) {
      return Collections.emptyIterator();
    }
    Box box = of(shape);
    if (shape.order() > 0) {
      box.starts[0] = ranges.from(part);
      box.counts[0] = ranges.length(part);
    }
    Iterator<CooBlock> cells = box.cells(BLOCK);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return cells.hasNext();
      }

      @Override
      public Piece next() {
        return new Piece(part, 0, part, filling.apply(cells.next()));
      }
    };
  }

  private static CooBlock filled(CooBlock block, Number value) {
    if (value instanceof Long integer) {
      long[] values = new long[block.size()];
      Arrays.fill(values, integer);
      return block.withValues(values);
    }
    double[] values = new double[block.size()];
    Arrays.fill(values, value.doubleValue());
    return block.withValues(values);
  }

  private CooBlock taken(CooBlock block) {
    return Columns.mapped(
        block.select(chosen(block, true)), (mode, c) -> (c - starts[mode]) / steps[mode]);
  }

  private int[] chosen(CooBlock block, boolean inside) {
    return IntStream.range(0, block.size()).filter(e -> holds(block, e) == inside).toArray();
  }

  private boolean holds(CooBlock block, int entry) {
    for (int m = 0; m < starts.length; m++) {
      long from = block.coordinate(m, entry) - starts[m];
      if (from < 0 || from % steps[m] != 0 || from / steps[m] >= counts[m]) {
        return false;
      }
    }
    return true;
  }

  /** Entries of value 1 for all cells, in the order of the modes, in blocks. */
  public Iterator<CooBlock> cells(int blockEntries) {
    return new Cells(this, blockEntries);
  }

  private static final class Cells implements Iterator<CooBlock> {
    private final Box box;
    private final int blockEntries;
    private final long[] at;
    private boolean more;

    Cells(Box box, int blockEntries) {
      this.box = box;
      this.blockEntries = blockEntries;
      this.at = new long[box.starts.length];
      this.more = Arrays.stream(box.counts).allMatch(count -> count > 0);
    }

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public CooBlock next() {
      if (!more) {
        throw new NoSuchElementException();
      }
      CooBlock.Builder block = new CooBlock.Builder(at.length, blockEntries);
      long[] cell = new long[at.length];
      while (more && block.size() < blockEntries) {
        for (int m = 0; m < at.length; m++) {
          cell[m] = box.starts[m] + box.steps[m] * at[m];
        }
        block.add(cell, 1);
        advance();
      }
      return block.build();
    }

    private void advance() {
      for (int m = at.length - 1; m >= 0; m--) {
        if (++at[m] < box.counts[m]) {
          return;
        }
        at[m] = 0;
      }
      more = false;
    }
  }
}
