package org.weft.tensor;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.weft.scratch.ScratchFolder;

/**
 * Sorts more entries than memory holds: sorted runs of a bounded number of entries are written to
 * local files and merged. Duplicates are summed in order of appearance, so that the result has the
 * same bits whatever the bound. Cost: every entry that does not fit is written and read once;
 * memory is a run, or a block of every run while they are merged. Not thread-safe; closing it
 * deletes the files.
 */
public final class ExternalSort implements AutoCloseable {
  private static final int BLOCK_ENTRIES = 1 << 15;
  private static final int BUFFER_BYTES = 1 << 16;

  private final TensorShape shape;
  private final int[] modeOrder;
  private final long runEntries;
  private final List<CooBlock> pending = new ArrayList<>();
  private final List<Path> files = new ArrayList<>();
  private final List<Run> runs = new ArrayList<>();
  private long pendingEntries;

  /**
   * @param runEntries entries that are sorted in memory at a time, which takes about 50 bytes an
   *     entry beside the blocks that were added
   */
  public ExternalSort(TensorShape shape, int[] modeOrder, long runEntries) {
    this.shape = shape;
    this.modeOrder = modeOrder.clone();
    this.runEntries = Math.max(1, Math.min(runEntries, Integer.MAX_VALUE / 2));
  }

  /** Adds entries; the block is kept, or written out with others. */
  public void add(CooBlock block) throws IOException {
    if (pendingEntries + block.size() > runEntries && pendingEntries > 0) {
      spill();
    }
    pending.add(block);
    pendingEntries += block.size();
  }

  private void spill() throws IOException {
    CooBlock sorted = Packing.sortedWithDuplicates(shape, modeOrder, pending);
    pending.clear();
    pendingEntries = 0;
    Path file = ScratchFolder.newFile("sorted-", ".tmp");
    files.add(file);
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES))) {
      for (int from = 0; from < sorted.size(); from += BLOCK_ENTRIES) {
        sorted.slice(from, Math.min(sorted.size(), from + BLOCK_ENTRIES)).writeTo(out);
      }
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  /** Runs written to files so far. */
  public int spilledRuns() {
    return files.size();
  }

  /**
   * All entries in order, in blocks; call once, when all have been added.
   *
   * @throws org.weft.error.WeftException {@code COORDINATE_OUT_OF_RANGE}
   */
  public Iterator<CooBlock> sorted() throws IOException {
    CooBlock last = Packing.sortedWithDuplicates(shape, modeOrder, pending);
    pending.clear();
    for (Path file : files) {
      runs.add(Run.of(file, runs.size()));
    }
    runs.add(new Run(null, runs.size(), last));
    return new Merge(runs, shape.order(), modeOrder);
  }

  @Override
  public void close() throws IOException {
    for (Run run : runs) {
      run.close();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    files.clear();
  }

  /** A sorted run, at one of its entries. */
  private static final class Run {
    private final @Nullable DataInputStream in;
    private final int number;
    private CooBlock block;
    private int at;

    Run(@Nullable DataInputStream in, int number, CooBlock first) {
      this.in = in;
      this.number = number;
      this.block = first;
    }

    static Run of(Path file, int number) throws IOException {
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
      return new Run(in, number, CooBlock.readFrom(in));
    }

    boolean hasEntry() {
      return at < block.size();
    }

    /** Moves to the next entry; false at the end. */
    boolean advance() throws IOException {
      at++;
      if (at == block.size() && in != null && in.available() > 0) {
        block = CooBlock.readFrom(in);
        at = 0;
      }
      return hasEntry();
    }

    int compare(Run other, int[] modeOrder) {
      for (int mode : modeOrder) {
        int order =
            Long.compare(block.coordinate(mode, at), other.block.coordinate(mode, other.at));
        if (order != 0) {
          return order;
        }
      }
      return Integer.compare(number, other.number);
    }

    void close() throws IOException {
      if (in != null) {
        in.close();
      }
    }
  }

  /** The entries of all runs in order. */
  private static final class Merge implements Iterator<CooBlock> {
    private final PriorityQueue<Run> queue;
    private final boolean exact;
    private final long[] coordinates;
    private final long[] next;

    Merge(List<Run> runs, int order, int[] modeOrder) {
      this.queue = new PriorityQueue<>((a, b) -> a.compare(b, modeOrder));
      runs.stream().filter(Run::hasEntry).forEach(queue::add);
      this.exact = !queue.isEmpty() && queue.stream().allMatch(run -> run.block.hasLongValues());
      this.coordinates = new long[order];
      this.next = new long[order];
    }

    @Override
    public boolean hasNext() {
      return !queue.isEmpty();
    }

    @Override
    public CooBlock next() {
      if (queue.isEmpty()) {
        throw new NoSuchElementException();
      }
      try {
        CooBlock.Builder block = new CooBlock.Builder(coordinates.length, BLOCK_ENTRIES, exact);
        while (!queue.isEmpty() && block.size() < BLOCK_ENTRIES) {
          entry(block);
        }
        return block.build();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Adds the least entry and what repeats its coordinates. */
    private void entry(CooBlock.Builder into) throws IOException {
      read(queue.element(), coordinates);
      long exactSum = 0;
      double sum = 0;
      boolean first = true;
      do {
        Run run = queue.remove();
        exactSum += exact ? run.block.longValue(run.at) : 0;
        double value = run.block.value(run.at);
        sum = first ? value : sum + value;
        first = false;
        if (run.advance()) {
          queue.add(run);
        }
      } while (!queue.isEmpty() && isNext(queue.element()));
      if (exact) {
        into.addLong(coordinates, exactSum);
      } else {
        into.add(coordinates, sum);
      }
    }

    private static void read(Run run, long[] into) {
      for (int mode = 0; mode < into.length; mode++) {
        into[mode] = run.block.coordinate(mode, run.at);
      }
    }

    private boolean isNext(Run run) {
      read(run, next);
      return java.util.Arrays.equals(next, coordinates);
    }
  }
}
