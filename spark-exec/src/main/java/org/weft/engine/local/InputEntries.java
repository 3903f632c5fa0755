package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
    List<Split> splits = workers.each(plan.splits().size(), number -> split(number, kept, true));
    ReadSummary summary = splits.stream().map(Split::summary).reduce(ReadSummary::merge).get();
    plan.verify(summary);
    TensorStatistics statistics =
        splits.stream()
            .map(Split::values)
            .reduce(TensorStatistics.Builder::merge)
            .get()
            .build(summary.shape(plan.header()));
    return new Counted(statistics, kept.isAll() ? blocks(splits) : null);
  }

  /** Parses again what was counted before, for which the heap has room. */
  LocalBlocks keep() {
    Kept kept = new Kept(Long.MAX_VALUE);
    List<Split> splits = workers.each(plan.splits().size(), number -> split(number, kept, false));
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

  private record Split(
      List<CooBlock> blocks, TensorStatistics.Builder values, ReadSummary summary) {}

  private Split split(int number, Kept kept, boolean counted) throws IOException {
    InputSplit split = plan.splits().get(number);
    TensorStatistics.Builder values = TensorStatistics.builder(plan.header().order());
    List<CooBlock> blocks = new ArrayList<>();
    try (BlockReader reader = TensorFiles.read(files, plan, split)) {
      while (reader.hasNext()) {
        CooBlock block = reader.next();
        if (counted) {
          values.add(block);
        }
        if (kept.take(block)) {
          blocks.add(block);
        } else {
          blocks.clear();
        }
      }
      return new Split(kept.isAll() ? blocks : List.of(), values, reader.summary());
    }
  }

  private LocalBlocks blocks(List<Split> splits) {
    return new LocalBlocks(splits.stream().map(Split::blocks).toList(), workers);
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
