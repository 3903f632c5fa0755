package org.weft.spark.key;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.weft.tensor.CooBlock;

/**
 * Sorts rows by their coordinates; rows with the same coordinates stay in the order in which they
 * were added. Rows that are too many for the memory are sorted in runs, which wait in files and are
 * merged (Knuth, TAOCP 3, 5.4.1). Close it to remove the files.
 */
public final class SortRuns implements AutoCloseable {
  private static final int BLOCK = 1 << 12;

  /** Files that are open at a time. */
  private static final int MOST_FILES = 64;

  private final long[] sizes;
  private final int[] modeOrder;
  private final int most;
  private final Supplier<File> unused;
  private final List<CooBlock> rows = new ArrayList<>();
  private long count;
  private final List<File> files = new ArrayList<>();
  private final List<Stored> open = new ArrayList<>();

  /**
   * @param sizes of the modes
   * @param modeOrder modes from the outermost to the innermost
   * @param most rows in memory
   * @param unused gives names for files
   */
  public SortRuns(long[] sizes, int[] modeOrder, int most, Supplier<File> unused) {
    this.sizes = sizes;
    this.modeOrder = modeOrder;
    this.most = most;
    this.unused = unused;
  }

  /** Bytes that a row takes in memory at most. */
  public static long rowBytes(int modes) {
    return 40 + 2L * Long.BYTES * modes; // KeySort with a word for each mode, and the blocks
  }

  /** Adds rows. */
  public void add(CooBlock block) throws IOException {
    if (count > 0 && count + block.size() > most) {
      spill();
    }
    rows.add(block);
    count += block.size();
  }

  private SortedRows sorted() {
    KeySort sort = KeySort.of(rows, sizes, modeOrder);
    rows.clear();
    count = 0;
    return sort.inOrder();
  }

  private void spill() throws IOException {
    if (files.size() == MOST_FILES) {
      File merged = unused.get();
      write(new Merged(open()), merged);
      close();
      files.add(merged);
    }
    File file = unused.get();
    files.add(file);
    write(sorted(), file);
  }

  private void write(SortedRows run, File file) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(
            new BufferedOutputStream(Files.newOutputStream(file.toPath()), 1 << 16))) {
      CooBlock.Builder block = new CooBlock.Builder(sizes.length, BLOCK);
      while (run.next()) {
        for (int mode = 0; mode < sizes.length; mode++) {
          block.set(mode, run.coordinate(mode));
        }
        block.finish(run.value());
        if (block.size() == BLOCK) {
          block.build().writeTo(out);
        }
      }
      block.build().writeTo(out);
    }
  }

  private List<SortedRows> open() throws IOException {
    List<SortedRows> runs = new ArrayList<>();
    for (File file : files) {
      Stored run = new Stored(file);
      open.add(run);
      runs.add(run);
    }
    return runs;
  }

  /** All rows in order. Ends the adding. */
  public SortedRows inOrder() throws IOException {
    SortedRows last = sorted();
    if (files.isEmpty()) {
      return last;
    }
    List<SortedRows> runs = open();
    runs.add(last);
    return new Merged(runs);
  }

  @Override
  public void close() throws IOException {
    try {
      for (Stored run : open) {
        run.in.close();
      }
    } finally {
      open.clear();
      for (File file : files) {
        Files.deleteIfExists(file.toPath());
      }
      files.clear();
    }
  }

  /** A run in a file: blocks, the last of which has fewer rows than the others. */
  private static final class Stored implements SortedRows {
    private final DataInputStream in;
    private CooBlock block = new CooBlock.Builder(1, 1).build();
    private int row = BLOCK - 1;

    Stored(File file) throws IOException {
      this.in =
          new DataInputStream(
              new BufferedInputStream(Files.newInputStream(file.toPath()), 1 << 16));
    }

    @Override
    public boolean next() {
      if (++row == BLOCK) {
        try {
          block = CooBlock.readFrom(in);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        row = 0;
      }
      return row < block.size();
    }

    @Override
    public long coordinate(int mode) {
      return block.coordinate(mode, row);
    }

    @Override
    public double value() {
      return block.value(row);
    }
  }

  /** Runs merged; of rows with the same coordinates those of the first run come first. */
  private final class Merged implements SortedRows {
    private final List<SortedRows> runs;
    private final PriorityQueue<Integer> waiting;
    private int current = -1;

    Merged(List<SortedRows> runs) {
      this.runs = runs;
      Comparator<Integer> order = (one, other) -> compare(runs.get(one), runs.get(other));
      this.waiting = new PriorityQueue<>(order.thenComparing(Comparator.naturalOrder()));
      for (int run = 0; run < runs.size(); run++) {
        wait(run);
      }
    }

    private int compare(SortedRows one, SortedRows other) {
      int order = 0;
      for (int at = 0; order == 0 && at < modeOrder.length; at++) {
        order = Long.compare(one.coordinate(modeOrder[at]), other.coordinate(modeOrder[at]));
      }
      return order;
    }

    private void wait(int run) {
      if (runs.get(run).next()) {
        waiting.add(run);
      }
    }

    @Override
    public boolean next() {
      if (current >= 0) {
        wait(current);
      }
      Integer first = waiting.poll();
      current = first == null ? -1 : first;
      return first != null;
    }

    @Override
    public long coordinate(int mode) {
      return runs.get(current).coordinate(mode);
    }

    @Override
    public double value() {
      return runs.get(current).value();
    }
  }
}
