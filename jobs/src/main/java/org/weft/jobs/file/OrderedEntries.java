package org.weft.jobs.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ExternalSort;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * The entries of a file in coordinate order, duplicates summed, for one writer. The file is read
 * twice: once to check it, once to write. If it is sorted and free of duplicates it streams
 * through; otherwise it is sorted, in a third of the heap and beyond that in temporary files.
 */
public final class OrderedEntries {
  private static final int BLOCK = 1 << 16;

  /** Bytes of the heap that sorting takes for an entry, and for each of its coordinates. */
  private static final int PER_ENTRY = 48;

  private static final int PER_COORDINATE = 16;

  /** Doubles are all integers up to this one. */
  private static final double LARGEST_COUNT = 1L << 53;

  private final FileAccess files;
  private final InputPlan plan;

  public OrderedEntries(FileAccess files, InputPlan plan) {
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
  public Survey survey() throws IOException {
    OrderCheck order = new OrderCheck();
    Wide wide = new Wide();
    ReadSummary summary =
        forEach(
            block -> {
              order.check(block);
              wide.check(block);
            });
    return new Survey(
        summary.shape(plan.header()),
        summary.entries(),
        order.ascending,
        wide.whole && wide.largest >= LARGEST_COUNT);
  }

  /**
   * What a first reading tells.
   *
   * @param wide whether all values are whole, and some of them beyond what a double counts to
   */
  public record Survey(TensorShape shape, long entries, boolean sorted, boolean wide) {}

  /**
   * The first integer of the file that reading it as doubles rounds; empty if there is none. Reads
   * the file again if a value may be such an integer.
   */
  public OptionalLong rounded(Survey survey) throws IOException {
    if (!survey.wide() || plan.options().type() != ValueType.DOUBLE) {
      return OptionalLong.empty();
    }
    OptionalLong[] found = {OptionalLong.empty()};
    InputPlan exact = TensorFiles.open(files, plan.uri(), plan.options().withType(ValueType.LONG));
    try {
      forEach(exact, block -> found[0] = found[0].isPresent() ? found[0] : rounded(block));
    } catch (WeftException e) {
      if (e.code() != ErrorCode.VALUE_OUT_OF_RANGE) {
        throw e;
      }
      return OptionalLong.empty(); // they are no integers
    }
    return found[0];
  }

  private static OptionalLong rounded(CooBlock block) {
    return IntStream.range(0, block.hasLongValues() ? block.size() : 0)
        .mapToLong(block::longValue)
        .filter(value -> (long) (double) value != value || value == Long.MAX_VALUE)
        .findFirst();
  }

  /**
   * Writes the entries, in coordinate order.
   *
   * @param modeOrder modes by which they are to be sorted, or empty for their own order
   */
  public long write(Survey survey, List<Integer> modeOrder, TensorWriter writer)
      throws IOException {
    int[] modes = modeOrder.stream().mapToInt(m -> m).toArray();
    if (survey.sorted() && (modes.length == 0 || modes[0] == 0)) {
      forEach(writer::write);
      return survey.entries();
    }
    int[] order = modes.length == 0 ? IntStream.range(0, survey.shape().order()).toArray() : modes;
    long bytes = PER_ENTRY + (long) PER_COORDINATE * order.length;
    long inMemory = Math.max(BLOCK, Runtime.getRuntime().maxMemory() / 3 / bytes);
    try (ExternalSort sort = new ExternalSort(survey.shape(), order, inMemory)) {
      forEach(sort::add);
      long written = 0;
      for (Iterator<CooBlock> sorted = sort.sorted(); sorted.hasNext(); ) {
        CooBlock block = sorted.next();
        writer.write(block);
        written += block.size();
      }
      return written;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private ReadSummary forEach(Sink sink) throws IOException {
    return forEach(plan, sink);
  }

  private ReadSummary forEach(InputPlan plan, Sink sink) throws IOException {
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

  /** Whether all values are whole, and the largest of them. */
  private static final class Wide {
    private boolean whole = true;
    private double largest;

    void check(CooBlock block) {
      for (int e = 0; whole && e < block.size(); e++) {
        double value = block.value(e);
        whole = value == Math.rint(value);
        largest = Math.max(largest, Math.abs(value));
      }
    }
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
