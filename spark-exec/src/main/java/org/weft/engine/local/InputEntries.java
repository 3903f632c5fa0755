package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.statistics.TensorStatistics;

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
    TensorStatistics.Builder values = TensorStatistics.builder(plan.header().order());
    try (BlockReader reader = TensorFiles.read(files, plan, split)) {
      while (reader.hasNext()) {
        CooBlock block = reader.next();
        if (counts != null) {
          values.add(block);
        }
        kept.take(number, block);
      }
      if (counts != null) {
        counts.add(number, values);
      }
      return reader.summary();
    }
  }

  private LocalBlocks blocks(Kept kept) {
    return new LocalBlocks(
        IntStream.range(0, plan.splits().size()).mapToObj(kept::of).toList(), workers);
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
