package org.weft.spark.read;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
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
 * new coordinates if there are any. Several modes are cut in one pass: the partitions of each are
 * numbered after those of the mode before it. Memory: one batch and its copy; cost {@code O(entries
 * x order)} per mode.
 */
public final class SplitByPartition
    implements PairFlatMapFunction<Iterator<ParsedPart>, Integer, OriginBlock> {
  private static final long serialVersionUID = 1L;
  private static final int BATCH_ENTRIES = 1 << 19;

  private final List<ModePartitioning> modes;
  private final @Nullable Shared<Relabelling> relabelling;

  /**
   * @param relabelling new coordinates, applied before entries are cut, or null
   */
  public SplitByPartition(List<ModePartitioning> modes, @Nullable Shared<Relabelling> relabelling) {
    this.modes = List.copyOf(modes);
    this.relabelling = relabelling;
  }

  /** Partitions before those of {@code mode}. */
  public static int first(List<ModePartitioning> modes, int mode) {
    return modes.subList(0, mode).stream().mapToInt(ModePartitioning::partitions).sum();
  }

  @Override
  public Iterator<Tuple2<Integer, OriginBlock>> call(Iterator<ParsedPart> parts) {
    return new Pieces(parts);
  }

  /** The pieces of one partition alone. */
  public Iterator<Tuple2<Integer, OriginBlock>> of(int partition, Iterator<ParsedPart> parts) {
    Iterator<Tuple2<Integer, OriginBlock>> pieces = call(parts);
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(pieces, Spliterator.ORDERED), false)
        .filter(piece -> piece._1() == partition)
        .iterator();
  }

  private final class Pieces implements Iterator<Tuple2<Integer, OriginBlock>> {
    private final Iterator<ParsedPart> parts;
    private Iterator<Tuple2<Integer, OriginBlock>> ready = Collections.emptyIterator();

    Pieces(Iterator<ParsedPart> parts) {
      this.parts = parts;
    }

    @Override
    public boolean hasNext() {
      while (!ready.hasNext() && parts.hasNext()) {
        readBatch();
      }
      return ready.hasNext();
    }

    @Override
    public Tuple2<Integer, OriginBlock> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ready.next();
    }

    private void readBatch() {
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
        ready = pieces(origin, relabelled(CooBlock.concat(batch)));
      }
    }

    private CooBlock relabelled(CooBlock block) {
      return relabelling == null ? block : relabelling.value().apply(block);
    }
  }

  /** The pieces of a batch; those of one mode are made when those of the modes before are gone. */
  private Iterator<Tuple2<Integer, OriginBlock>> pieces(long origin, CooBlock batch) {
    return IntStream.range(0, modes.size())
        .boxed()
        .flatMap(
            mode ->
                EntryCuts.of(modes.get(mode), batch).stream()
                    .map(
                        cut ->
                            new Tuple2<>(
                                first(modes, mode) + cut.partition(),
                                new OriginBlock(origin, cut.entries()))))
        .iterator();
  }
}
