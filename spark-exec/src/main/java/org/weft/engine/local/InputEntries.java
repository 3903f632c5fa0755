package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorStatistics;

/** The entries of an input, parsed by all threads, split by split: kept, counted or passed on. */
final class InputEntries {
  private final FileAccess files;
  private final InputPlan plan;
  private final Workers workers;

  InputEntries(FileAccess files, InputPlan plan, Workers workers) {
    this.files = files;
    this.plan = plan;
    this.workers = workers;
  }

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
    Counts counts = new Counts();
    List<Split> splits = workers.each(plan.splits().size(), number -> split(number, kept, counts));
    ReadSummary summary = splits.stream().map(Split::summary).reduce(ReadSummary::merge).get();
    plan.verify(summary);
    TensorStatistics statistics = counts.all().build(summary.shape(plan.header()));
    return new Counted(statistics, kept.isAll() ? blocks(splits) : null);
  }

  /** Parses again what was counted before, for which the heap has room. */
  LocalBlocks keep() {
    Kept kept = new Kept(Long.MAX_VALUE);
    List<Split> splits = workers.each(plan.splits().size(), number -> split(number, kept, null));
    plan.verify(splits.stream().map(Split::summary).reduce(ReadSummary::merge).orElseThrow());
    return blocks(splits);
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

  private record Split(List<CooBlock> blocks, ReadSummary summary) {}

  private Split split(int number, Kept kept, @Nullable Counts counts) throws IOException {
    InputSplit split = plan.splits().get(number);
    TensorStatistics.Builder values = TensorStatistics.builder(plan.header().order());
    List<CooBlock> blocks = new ArrayList<>();
    try (BlockReader reader = TensorFiles.read(files, plan, split)) {
      while (reader.hasNext()) {
        CooBlock block = reader.next();
        if (counts != null) {
          values.add(block);
        }
        if (kept.take(block)) {
          blocks.add(block);
        } else {
          blocks.clear();
        }
      }
      if (counts != null) {
        counts.add(number, values);
      }
      return new Split(kept.isAll() ? blocks : List.of(), reader.summary());
    }
  }

  private LocalBlocks blocks(List<Split> splits) {
    return new LocalBlocks(splits.stream().map(Split::blocks).toList(), workers);
  }

  /**
   * What the splits counted, added in the order of the splits as they end: a count has the size of
   * all modes, so few are there at a time.
   */
  private static final class Counts {
    private final Map<Integer, TensorStatistics.Builder> early = new HashMap<>();
    private TensorStatistics.@Nullable Builder sum;
    private int next;

    synchronized void add(int number, TensorStatistics.Builder values) {
      early.put(number, values);
      for (var ready = early.remove(next); ready != null; ready = early.remove(++next)) {
        sum = sum == null ? ready : sum.merge(ready);
      }
    }

    synchronized TensorStatistics.Builder all() {
      return Objects.requireNonNull(sum);
    }
  }

  /** Room for blocks; once it is full, none is kept. */
  private static final class Kept {
    private final AtomicLong left;

    Kept(long room) {
      left = new AtomicLong(room);
    }

    boolean take(CooBlock block) {
      return left.addAndGet(-bytes(block)) >= 0;
    }

    boolean isAll() {
      return left.get() >= 0;
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
