package org.weft.spark.read;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.jspecify.annotations.Nullable;
import org.weft.planner.ModePartitioning;
import org.weft.reorder.Relabelling;
import org.weft.spark.resident.OriginBlock;
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
  private final @Nullable Broadcast<Relabelling> relabelling;

  /**
   * @param relabelling new coordinates, applied before entries are cut, or null
   */
  public SplitByPartition(
      ModePartitioning partitioning, @Nullable Broadcast<Relabelling> relabelling) {
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
      int[] partitionOf = new int[block.size()];
      int[] ends = new int[partitioning.partitions() + 1];
      boolean hashed = partitioning.anyOverlapping();
      for (int e = 0; e < partitionOf.length; e++) {
        long coordinate = block.coordinate(partitioning.mode(), e);
        partitionOf[e] = partitioning.partitionOf(coordinate, hashed ? hash(block, e) : 0);
        ends[partitionOf[e] + 1]++;
      }
      for (int p = 0; p < partitioning.partitions(); p++) {
        ends[p + 1] += ends[p];
      }
      int[] order = new int[partitionOf.length];
      int[] at = ends.clone();
      for (int e = 0; e < partitionOf.length; e++) {
        order[at[partitionOf[e]]++] = e;
      }
      for (int p = 0; p < partitioning.partitions(); p++) {
        if (ends[p + 1] > ends[p]) {
          ready.add(
              new Tuple2<>(
                  p,
                  new OriginBlock(
                      origin, block.select(Arrays.copyOfRange(order, ends[p], ends[p + 1])))));
        }
      }
    }

    private long hash(CooBlock block, int entry) {
      long hash = ModePartitioning.hashSeed();
      for (int mode = 0; mode < block.order(); mode++) {
        if (mode != partitioning.mode()) {
          hash = ModePartitioning.hashFold(hash, block.coordinate(mode, entry));
        }
      }
      return hash;
    }
  }
}
