package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/**
 * The entries of an input, parsed by all threads, split by split. They are kept, counted or passed
 * on.
 */
record InputEntries(FileAccess files, InputPlan plan, Workers workers) {
  /**
   * What a pass found.
   *
   * @param blocks null if the heap has no room for them
   */
  record Counted(TensorStatistics statistics, @Nullable LocalBlocks blocks) {}

  /** Takes a block; {@code origin} numbers the blocks in the order of the input. */
  interface Visitor {
    void visit(long origin, CooBlock block);
  }

  /**
   * Parses and counts in one pass. Blocks are kept until they take {@code room} bytes together;
   * from then on entries are counted alone.
   */
  Counted count(long room) {
    Kept kept = new Kept(room);
    Counts counts = new Counts(plan.splits().size(), plan.header().order());
    ReadSummary summary = read(kept, counts);
    TensorStatistics statistics = counts.all().build(summary.shape(plan.header()));
    return new Counted(statistics, kept.isAll() ? blocks(kept) : null);
  }

  /** Parses again what was counted before, for which the heap has room. */
  LocalBlocks keep() {
    Kept kept = new Kept(Long.MAX_VALUE);
    read(kept, null);
    return blocks(kept);
  }

  /** Parses again and passes every block on, several at a time; none is kept. */
  void forEach(Visitor visitor) {
    List<ReadSummary> summaries =
        workers.each(
            plan.splits().size(),
            number -> {
              try (BlockReader reader = TensorFiles.read(files, plan, plan.splits().get(number))) {
                for (long block = 0; reader.hasNext(); block++) {
                  visitor.visit((long) number << 32 | block, reader.next());
                }
                return reader.summary();
              }
            });
    plan.verify(summaries.stream().reduce(ReadSummary::merge).orElseThrow());
  }

  private ReadSummary read(Kept kept, @Nullable Counts counts) {
    List<ReadSummary> splits =
        workers.each(plan.splits().size(), number -> split(number, kept, counts));
    ReadSummary summary = splits.stream().reduce(ReadSummary::merge).orElseThrow();
    plan.verify(summary);
    return summary;
  }

  private ReadSummary split(int number, Kept kept, @Nullable Counts counts) throws IOException {
    InputSplit split = plan.splits().get(number);
    TensorStatistics.Builder slices = counts == null ? null : counts.borrow();
    try (BlockReader reader = TensorFiles.read(files, plan, split)) {
      while (reader.hasNext()) {
        CooBlock block = reader.next();
        if (counts != null && slices != null) {
          slices.addSlices(block);
          counts.values(number).addValues(block);
        }
        kept.take(number, block);
      }
      if (counts != null && slices != null) {
        counts.back(slices);
      }
      return reader.summary();
    }
  }

  private LocalBlocks blocks(Kept kept) {
    return new LocalBlocks(
        IntStream.range(0, plan.splits().size()).mapToObj(kept::of).toList(), workers);
  }

  /**
   * What the splits counted: the entries of slices in one collector for each thread, as they have
   * the size of all modes; the values by split, as the order of their sum is that of the input.
   */
  private static final class Counts {
    private final Deque<TensorStatistics.Builder> slices = new ConcurrentLinkedDeque<>();
    private final List<TensorStatistics.Builder> values;
    private final int order;

    Counts(int splits, int order) {
      this.order = order;
      values = IntStream.range(0, splits).mapToObj(s -> TensorStatistics.builder(order)).toList();
    }

    /** A collector of slices for the caller alone, until it is given back. */
    TensorStatistics.Builder borrow() {
      TensorStatistics.Builder idle = slices.poll();
      return idle == null ? TensorStatistics.builder(order) : idle;
    }

    void back(TensorStatistics.Builder idle) {
      slices.push(idle);
    }

    TensorStatistics.Builder values(int split) {
      return values.get(split);
    }

    TensorStatistics.Builder all() {
      TensorStatistics.Builder all = slices.pop();
      slices.forEach(all::merge);
      values.forEach(all::merge);
      return all;
    }
  }

  /** Room for blocks, by split; once it is full, none is kept and those that were are gone. */
  private static final class Kept {
    private final AtomicLong left;
    private final Map<Integer, List<CooBlock>> bySplit = new ConcurrentHashMap<>();

    Kept(long room) {
      left = new AtomicLong(room);
    }

    void take(int split, CooBlock block) {
      if (left.addAndGet(-bytes(block)) >= 0) {
        bySplit.computeIfAbsent(split, number -> new ArrayList<>()).add(block);
      } else {
        bySplit.clear();
      }
    }

    boolean isAll() {
      return left.get() >= 0;
    }

    List<CooBlock> of(int split) {
      return bySplit.getOrDefault(split, List.of());
    }

    private static long bytes(CooBlock block) {
      long entry = Double.BYTES;
      for (int mode = 0; mode < block.order(); mode++) {
        entry += block.isWide(mode) ? Long.BYTES : Integer.BYTES;
      }
      return entry * block.size();
    }
  }
}
