package org.weft.spark.read;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.EntryCuts;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.planner.partition.ModePartitioning;
import org.weft.reorder.Relabelling;
import org.weft.tensor.CooBlock;
import scala.Tuple2;

/**
 * Cuts parsed blocks into one block per partition of a mode, a batch of entries at a time, under
 * new coordinates if there are any. Memory: one batch and its copy; cost {@code O(entries x
 * order)}.
 */
public final class SplitByPartition
    implements PairFlatMapFunction<Iterator<ParsedPart>, Integer, OriginBlock> {
  private static final long serialVersionUID = 1L;
  private static final int BATCH_ENTRIES = 1 << 19;

  private final ModePartitioning partitioning;
  private final @Nullable Shared<Relabelling> relabelling;

  /**
   * @param relabelling new coordinates, applied before entries are cut, or null
   */
  public SplitByPartition(
      ModePartitioning partitioning, @Nullable Shared<Relabelling> relabelling) {
    this.partitioning = partitioning;
    this.relabelling = relabelling;
  }

  @Override
  public Iterator<Tuple2<Integer, OriginBlock>> call(Iterator<ParsedPart> parts) {
    return new Pieces(parts);
  }

  private final class Pieces implements Iterator<Tuple2<Integer, OriginBlock>> {
    private final Iterator<ParsedPart> parts;
    private final Queue<Tuple2<Integer, OriginBlock>> ready = new ArrayDeque<>();

    Pieces(Iterator<ParsedPart> parts) {
      this.parts = parts;
    }

    @Override
    public boolean hasNext() {
      while (ready.isEmpty() && parts.hasNext()) {
        cutBatch();
      }
      return !ready.isEmpty();
    }

    @Override
    public Tuple2<Integer, OriginBlock> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ready.remove();
    }

    private void cutBatch() {
      List<CooBlock> batch = new ArrayList<>();
      int entries = 0;
      long origin = 0;
      while (parts.hasNext() && entries < BATCH_ENTRIES) {
        OriginBlock block = parts.next().block();
        if (block == null) {
          continue;
        }
        origin = batch.isEmpty() ? block.origin() : origin;
        batch.add(block.block());
        entries += block.block().size();
      }
      if (entries > 0) {
        cut(relabelled(CooBlock.concat(batch)), origin);
      }
    }

    private CooBlock relabelled(CooBlock block) {
      return relabelling == null ? block : relabelling.value().apply(block);
    }

    private void cut(CooBlock block, long origin) {
      for (EntryCuts.Cut cut : EntryCuts.of(partitioning, block)) {
        ready.add(new Tuple2<>(cut.partition(), new OriginBlock(origin, cut.entries())));
      }
    }
  }
}
