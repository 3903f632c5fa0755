package org.weft.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The entries of a file in coordinate order, duplicates summed, for one writer. The file is read
 * twice: once to check it, once to write. If it is sorted and free of duplicates it streams
 * through; otherwise it is packed in memory, at the cost of 8 bytes and its coordinates per entry.
 */
final class SortedEntries {
  private static final int BLOCK = 1 << 16;

  private final FileAccess files;
  private final InputPlan plan;

  SortedEntries(FileAccess files, InputPlan plan) {
    this.files = files;
    this.plan = plan;
  }

  private interface Sink {
    void accept(CooBlock block) throws IOException;
  }

  /**
   * Reads every entry once to check the file and learn its shape.
   *
   * @return shape, entries, and whether the entries are sorted and distinct
   */
  Survey survey() throws IOException {
    OrderCheck order = new OrderCheck();
    ReadSummary summary = forEach(order::check);
    return new Survey(summary.shape(plan.header()), summary.entries(), order.ascending);
  }

  /** What a first reading tells. */
  record Survey(TensorShape shape, long entries, boolean sorted) {}

  /** Writes the entries. */
  long write(Survey survey, TensorWriter writer) throws IOException {
    if (survey.sorted()) {
      forEach(writer::write);
      return survey.entries();
    }
    List<CooBlock> blocks = new ArrayList<>();
    forEach(blocks::add);
    TensorFormat format =
        TensorFormat.csf(survey.shape().order(), ValueType.DOUBLE)
            .narrowedFor(survey.shape(), survey.entries());
    try (MemoryScope scope = MemoryScope.root("convert " + plan.uri(), MemorySource.system());
        TensorStorage packed = Packing.pack(scope, survey.shape(), format, blocks)) {
      blocks.clear();
      Iterator<CooBlock> sorted = Packing.unpackBlocks(packed, BLOCK);
      while (sorted.hasNext()) {
        writer.write(sorted.next());
      }
      return packed.storedEntries();
    }
  }

  private ReadSummary forEach(Sink sink) throws IOException {
    ReadSummary all = null;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(files, plan, split)) {
        while (reader.hasNext()) {
          sink.accept(reader.next());
        }
        all = all == null ? reader.summary() : all.merge(reader.summary());
      }
    }
    if (all == null) {
      throw new IllegalStateException("a plan without splits: " + plan.uri());
    }
    plan.verify(all);
    return all;
  }

  /** Whether coordinates ascend strictly, in lexicographic order of the modes. */
  private static final class OrderCheck {
    private boolean ascending = true;
    private long @Nullable [] last;

    void check(CooBlock block) {
      for (int e = 0; e < block.size() && ascending; e++) {
        ascending = follows(block, e);
      }
    }

    private boolean follows(CooBlock block, int e) {
      long[] before = last;
      if (before == null) {
        before = new long[block.order()];
        before[0] = -1;
        last = before;
      }
      int compared = 0;
      for (int m = 0; m < before.length; m++) {
        long coordinate = block.coordinate(m, e);
        compared = compared == 0 ? Long.compare(coordinate, before[m]) : compared;
        before[m] = coordinate;
      }
      return compared > 0;
    }
  }
}
