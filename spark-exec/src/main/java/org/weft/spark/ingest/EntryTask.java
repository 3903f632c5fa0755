package org.weft.spark.ingest;

import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.function.Function2;
import org.jspecify.annotations.Nullable;
import org.weft.spark.key.SortRuns;
import org.weft.spark.key.SortedRows;
import org.weft.spark.output.TaskAttempt;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.tensor.CooBlock;
import scala.Tuple2;

/** Makes entries of the rows of one range of slices, and writes them. */
final class EntryTask
    implements Function2<Integer, Iterator<Tuple2<long[], CooBlock>>, Iterator<WrittenEntries>> {
  private static final long serialVersionUID = 1L;
  private static final int BLOCK = 1 << 16;

  private final ParallelContainer.Target target;
  private final IngestJob job;
  private final long[] sizes;

  /**
   * @param sizes of the modes
   */
  EntryTask(ParallelContainer.Target target, IngestJob job, long[] sizes) {
    this.target = target;
    this.job = job;
    this.sizes = sizes;
  }

  /** Rows of one task that its share of the heap has room for. */
  private static int rowsInMemory(int modes) {
    Runtime runtime = Runtime.getRuntime();
    int cores = SparkEnv.get().conf().getInt("spark.executor.cores", 1);
    long share = runtime.maxMemory() / 4 / Math.max(cores, runtime.availableProcessors());
    return (int) Math.max(BLOCK, Math.min(1 << 24, share / SortRuns.rowBytes(modes)));
  }

  private static File temporaryFile() {
    return SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
  }

  @Override
  public Iterator<WrittenEntries> call(Integer range, Iterator<Tuple2<long[], CooBlock>> blocks)
      throws IOException {
    int[] modeOrder = target.modeOrder();
    int most = rowsInMemory(sizes.length);
    try (SortRuns rows = new SortRuns(sizes, modeOrder, most, EntryTask::temporaryFile);
        PieceWriter writer = PieceWriter.entries(target, range, TaskAttempt.suffix())) {
      while (blocks.hasNext()) {
        rows.add(blocks.next()._2());
      }
      Entries entries = new Entries(writer, range);
      SortedRows sorted = rows.inOrder();
      while (sorted.next()) {
        entries.add(sorted);
      }
      return List.of(entries.end()).iterator();
    }
  }

  /** Rows in order to entries. */
  private final class Entries {
    private final PieceWriter writer;
    private final int range;
    private final Aggregation aggregation = new Aggregation(job);
    private final long[] at = new long[sizes.length];
    private final CooBlock.Builder block = new CooBlock.Builder(sizes.length, BLOCK);
    private boolean open;
    private long count;
    private WrittenEntries.@Nullable NoValue wrong;

    Entries(PieceWriter writer, int range) {
      this.writer = writer;
      this.range = range;
    }

    void add(SortedRows row) throws IOException {
      if (!open || isOther(row)) {
        endEntry();
        open = true;
        aggregation.clear();
        for (int mode = 0; mode < at.length; mode++) {
          at[mode] = row.coordinate(mode);
        }
      }
      aggregation.add(row.value());
    }

    private boolean isOther(SortedRows row) {
      boolean other = false;
      for (int mode = 0; mode < at.length && !other; mode++) {
        other = at[mode] != row.coordinate(mode);
      }
      return other;
    }

    private void endEntry() throws IOException {
      if (!open) {
        return;
      }
      double value = aggregation.result();
      if (wrong == null && aggregation.isWrong(value)) {
        String found = aggregation.isNone() ? "none" : Double.toString(value);
        wrong = new WrittenEntries.NoValue(range, at.clone(), found);
      }
      block.add(at, value);
      count++;
      if (block.size() == BLOCK) {
        writer.write(block.build());
      }
    }

    WrittenEntries end() throws IOException {
      endEntry();
      writer.write(block.build());
      return new WrittenEntries(writer.finish(), count, wrong);
    }
  }
}
