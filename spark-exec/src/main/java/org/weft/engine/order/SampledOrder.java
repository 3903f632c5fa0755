package org.weft.engine.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.OriginBlock;
import org.weft.engine.entries.Shared;
import org.weft.planner.partition.ModePartitioning;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderer;
import org.weft.reorder.SampleExtension;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Orders a tensor of any size. If its entries fit the driver they are ordered there; otherwise
 * those whose coordinates' hash falls below a limit are, and slices that the sample lacks go where
 * their neighbours are, in one more distributed pass ({@link SampleExtension}). The same entries
 * give the same order, whatever the splits.
 */
public final class SampledOrder {
  private static final int SAMPLE_SHIFT = 33;
  private static final double SAMPLE_SCALE = 0x1.0p31;

  private final EntryBlocks parts;
  private final TensorShape shape;
  private final long entries;

  /**
   * @param statistics of {@code parts}
   */
  public SampledOrder(EntryBlocks parts, TensorStatistics statistics) {
    this.parts = parts;
    this.shape = statistics.shape();
    this.entries = statistics.entries();
  }

  /**
   * Entries that this process can order: half the heap, at 24 bytes per entry and mode for the
   * coordinates as they arrive, the reorderer's table and its working memory, and 20 for the rest.
   */
  public static long driverCapacity(int order) {
    long bytes = 24L * order + 20;
    return Math.min(Integer.MAX_VALUE / 2, Runtime.getRuntime().maxMemory() / 2 / bytes);
  }

  /** The entries, about {@code most} of them, in the order of the file. */
  public List<CooBlock> sample(long most) {
    double share = entries <= most ? 1 : most / (double) entries;
    List<OriginBlock> blocks = new ArrayList<>(parts.collect(new Sampling(share)));
    blocks.sort(Comparator.comparingLong(OriginBlock::origin));
    return blocks.stream().map(OriginBlock::block).toList();
  }

  /** Orders by {@code sample}, which may be all entries. */
  public Relabelling order(Reorderer reorderer, List<CooBlock> sample) {
    Relabelling found = new Relabelling(reorderer.reorder(shape, sample));
    long sampled = sample.stream().mapToLong(CooBlock::size).sum();
    if (sampled >= entries || !reorderer.followsNeighbours()) {
      return found;
    }
    try (Shared<SampleExtension.Start> start =
        parts.share(SampleExtension.Start.of(found, sample))) {
      return parts
          .reduce(
              blocks -> {
                SampleExtension extension = new SampleExtension(start.value());
                while (blocks.hasNext()) {
                  extension.add(blocks.next().block());
                }
                return List.of(extension.learnt()).iterator();
              },
              SampleExtension.Learnt::plus)
          .relabelling(start.value());
    }
  }

  /** Keeps the entries whose coordinates' hash is below a share of all hashes. */
  private static final class Sampling implements EntryBlocks.Step<OriginBlock> {
    private static final long serialVersionUID = 1L;

    private final long limit;

    Sampling(double share) {
      limit = share >= 1 ? Long.MAX_VALUE : (long) (share * SAMPLE_SCALE);
    }

    @Override
    public Iterator<OriginBlock> run(Iterator<OriginBlock> blocks) {
      List<OriginBlock> kept = new ArrayList<>();
      while (blocks.hasNext()) {
        OriginBlock block = blocks.next();
        kept.add(new OriginBlock(block.origin(), kept(block.block())));
      }
      return kept.iterator();
    }

    private CooBlock kept(CooBlock block) {
      if (limit == Long.MAX_VALUE) {
        return block;
      }
      int[] entries = new int[block.size()];
      int count = 0;
      for (int e = 0; e < entries.length; e++) {
        long hash = ModePartitioning.hashSeed();
        for (int m = 0; m < block.order(); m++) {
          hash = ModePartitioning.hashFold(hash, block.coordinate(m, e));
        }
        if (hash >>> SAMPLE_SHIFT < limit) {
          entries[count++] = e;
        }
      }
      return block.select(Arrays.copyOf(entries, count));
    }
  }
}
