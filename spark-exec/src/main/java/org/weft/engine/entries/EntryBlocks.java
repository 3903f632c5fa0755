package org.weft.engine.entries;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.reorder.Relabelling;
import org.weft.tensor.CooBlock;

/**
 * The parsed entries of a tensor, in this process or on executors. Work goes where the entries lie.
 * Parts are passed in the order of the file, and the blocks of a part in the order of the part.
 */
public interface EntryBlocks {
  /** Work on one part. Travels to where the part lies. */
  @FunctionalInterface
  interface Step<R> extends Serializable {
    Iterator<R> run(Iterator<OriginBlock> blocks);
  }

  /** Makes something of a block of entries under their original coordinates. */
  @FunctionalInterface
  interface OfBlock<R> extends Serializable {
    R of(CooBlock block);
  }

  /**
   * What {@code each} makes of every block under original coordinates.
   *
   * @param back from the coordinates of the entries to original ones, if they differ
   */
  static <R> Step<R> each(@Nullable Shared<Relabelling> back, OfBlock<R> each) {
    return blocks ->
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return blocks.hasNext();
          }

          @Override
          public R next() {
            CooBlock stored = blocks.next().block();
            return each.of(back == null ? stored : back.value().apply(stored));
          }
        };
  }

  /** Makes one of two results; may reuse either. */
  @FunctionalInterface
  interface Merge<R> extends Serializable {
    R of(R one, R other);
  }

  /** What {@code step} makes of every part, in the order of the parts. */
  <R> List<R> collect(Step<R> step);

  /** As above, merged; {@code step} makes at least one result in all. */
  <R> R reduce(Step<R> step, Merge<R> merge);

  /** Makes {@code value} available to steps, once for each process. */
  <T> Shared<T> share(T value);
}
