package org.weft.storage.container;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.storage.ContainerOptions;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ModeHistogram;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStatistics;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Entries into a container: gathers a part, cuts it at a slice, packs it and writes its arrays. In
 * a stream that ascends in the root mode the parts have slices of their own, so that they load as
 * partitions; in any other stream parts overlap, and readers add what they share. Memory: two
 * parts.
 */
final class ContainerOutput implements TensorOutput {
  private static final long FILE_BYTES = 512L << 20;
  private static final int PARTS = 64;
  private static final int LEAST_PART_ENTRIES = 1 << 17;
  private static final int MOST_PART_ENTRIES = 1 << 22;

  private final ContainerTransaction transaction;
  private final int order;
  private final WriteOptions options;
  private final ValueType type;
  private final int[] modeOrder;
  private final int partEntries;
  private final List<CooBlock> pending = new ArrayList<>();
  private final List<Manifest.Part> parts = new ArrayList<>();
  private final List<Manifest.DataFile> files = new ArrayList<>();
  private final TensorStatistics.Builder statistics;
  private final @Nullable Container base;
  private long pendingEntries;
  private boolean distinct = true;
  private @Nullable ArrayWriter file;

  ContainerOutput(ContainerTransaction transaction, int order, WriteOptions options) {
    this.transaction = transaction;
    this.order = order;
    this.options = options;
    this.base = transaction.base();
    this.type = base == null ? ValueType.DOUBLE : base.valueType();
    this.modeOrder = base == null ? modeOrder(order, options) : keep(base);
    int asked = options.container().partEntries();
    long share = options.entries().orElse(PARTS * 8L * LEAST_PART_ENTRIES) / PARTS;
    this.partEntries =
        asked > 0 ? asked : (int) Math.max(LEAST_PART_ENTRIES, Math.min(MOST_PART_ENTRIES, share));
    this.statistics = TensorStatistics.builder(order);
  }

  /** Takes over the entries of the version that is added to; returns its mode order. */
  private int[] keep(Container present) {
    if (present.shape().order() != order) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          transaction.uri()
              + ": expected entries of order "
              + present.shape().order()
              + ", as the tensor has, found order "
              + order);
    }
    if (present.manifest().modes().stream().anyMatch(mode -> mode.permutation() != null)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          transaction.uri()
              + ": expected a tensor in its original order to add entries to, found one that was"
              + " reordered; add them to the original and reorder that");
    }
    parts.addAll(present.manifest().parts());
    files.addAll(present.manifest().files());
    distinct = present.isDistinct();
    return present.format().modeOrder();
  }

  /** As asked, or mode 0 and then the others by size: what plans of mode 0 take as it is. */
  private static int[] modeOrder(int order, WriteOptions options) {
    List<Integer> asked = options.container().modeOrder();
    if (!asked.isEmpty()) {
      if (!asked.stream().sorted().toList().equals(IntStream.range(0, order).boxed().toList())) {
        throw new WeftException(
            ErrorCode.USAGE,
            "expected a mode order of the modes 0 to " + (order - 1) + ", found " + asked);
      }
      return asked.stream().mapToInt(m -> m).toArray();
    }
    @Nullable TensorShape shape = options.shape().orElse(null);
    return IntStream.concat(
            IntStream.of(0),
            IntStream.range(1, order)
                .boxed()
                .sorted(Comparator.comparingLong(m -> shape == null ? m : shape.size(m)))
                .mapToInt(m -> m))
        .toArray();
  }

  @Override
  public void write(CooBlock block) throws IOException {
    if (block.order() != order) {
      throw new IllegalArgumentException(
          "a block of order " + block.order() + " for a tensor of order " + order);
    }
    if (block.size() == 0) {
      return;
    }
    pending.add(block);
    pendingEntries += block.size();
    if (pendingEntries >= 2L * partEntries) {
      cut();
    }
  }

  /**
   * Writes what is pending in parts that end with a slice; the last one, which may go on, stays. A
   * slice of more entries than fit the memory of a task is cut all the same.
   */
  private void cut() throws IOException {
    CooBlock all = CooBlock.concat(pending);
    pending.clear();
    int root = modeOrder[0];
    boolean ascending = true;
    for (int e = 1; e < all.size() && ascending; e++) {
      ascending = all.coordinate(root, e) >= all.coordinate(root, e - 1);
    }
    int from = 0;
    int slice = 0;
    for (int e = 1; e < all.size(); e++) {
      if (!ascending || all.coordinate(root, e) != all.coordinate(root, e - 1)) {
        slice = e;
      }
      boolean full = slice == e && e - from >= partEntries;
      if (full || e - from >= Math.max(2 * partEntries, MOST_PART_ENTRIES)) {
        writePart(Blocks.range(all, from, e));
        from = e;
      }
    }
    pending.add(Blocks.range(all, from, all.size()));
    pendingEntries = all.size() - from;
  }

  private void writePart(CooBlock block) throws IOException {
    long[] largest = new long[order];
    for (int mode = 0; mode < order; mode++) {
      largest[mode] = Blocks.largest(block, mode);
    }
    TensorShape shape =
        options
            .shape()
            .orElseGet(() -> TensorShape.of(LongStream.of(largest).map(c -> c + 1).toArray()));
    long entries = Math.max(options.entries().orElse(1L << 20), block.size());
    TensorFormat format =
        TensorFormat.csf(order, type).withModeOrder(modeOrder).narrowedFor(shape, entries);
    try (MemoryScope scope =
            MemoryScope.root("part of " + transaction.uri(), MemorySource.system());
        TensorStorage packed = Packing.pack(scope, shape, format, List.of(block))) {
      boolean merged = packed.storedEntries() != block.size();
      CooBlock stored = merged ? Packing.unpack(packed) : block;
      TensorStatistics.Builder counted = TensorStatistics.builder(order).add(stored);
      statistics.merge(counted);
      writePart(packed, stored, counted.build().normSquared());
    }
  }

  private void writePart(TensorStorage packed, CooBlock stored, double normSquared)
      throws IOException {
    ArrayWriter writer = file();
    List<Manifest.LevelEntry> levels = new ArrayList<>();
    try {
      for (int level = 0; level < packed.format().levelCount(); level++) {
        levels.add(
            new Manifest.LevelEntry(
                packed.positions(level),
                packed.hasPos(level) ? writer.write(packed.pos(level)) : null,
                packed.hasCrd(level) ? writer.write(packed.crd(level)) : null));
      }
      List<Manifest.Range> ranges = new ArrayList<>();
      for (int mode = 0; mode < order; mode++) {
        ranges.add(new Manifest.Range(Blocks.least(stored, mode), Blocks.largest(stored, mode)));
      }
      add(
          new Manifest.Part(
              stored.size(), normSquared, ranges, levels, writer.write(packed.vals())));
    } catch (IOException e) {
      throw FileAccess.unavailable(transaction.uri(), e);
    }
  }

  private void add(Manifest.Part part) {
    int root = modeOrder[0];
    Manifest.Range slices = part.ranges().get(root);
    for (Manifest.Part other : parts) {
      distinct &= !other.mayHold(root, slices.first(), slices.last() + 1);
    }
    parts.add(part);
  }

  /** The file that the next arrays go to. */
  private ArrayWriter file() {
    try {
      ArrayWriter open = file;
      if (open != null && open.position() > FILE_BYTES) {
        files.add(open.finished());
        open = null;
      }
      if (open == null) {
        String name = String.format(Locale.ROOT, "part-%05d.bin", files.size());
        boolean plain = !options.container().compressed();
        open =
            new ArrayWriter(
                transaction.relative(name), files.size(), transaction.create(name), plain);
        file = open;
      }
      return open;
    } catch (IOException e) {
      throw FileAccess.unavailable(transaction.uri(), e);
    }
  }

  @Override
  public boolean commit() throws IOException {
    if (!pending.isEmpty()) {
      CooBlock rest = CooBlock.concat(pending);
      pending.clear();
      writePart(rest);
    }
    TensorStatistics all = statistics();
    ContainerOptions details = options.container();
    List<Manifest.Mode> modes = new ArrayList<>();
    try (MemoryScope scope = MemoryScope.root("modes", MemorySource.system())) {
      for (int mode = 0; mode < order; mode++) {
        Manifest.@Nullable Mode before = base == null ? null : base.manifest().modes().get(mode);
        String name =
            !details.modeNames().isEmpty()
                ? details.modeNames().get(mode)
                : before == null ? "mode" + mode : before.name();
        int @Nullable [] permutation = details.permutations().get(mode);
        @Nullable Labels labels = options.labels().get(mode);
        modes.add(
            new Manifest.Mode(
                name,
                all.shape().size(mode),
                histogram(all.histogram(mode), scope),
                permutation == null ? null : file().write(array(permutation, scope)),
                labels != null ? labels(labels, scope) : before == null ? null : before.labels()));
      }
      files.add(file().finished());
    } catch (IOException e) {
      throw FileAccess.unavailable(transaction.uri(), e);
    }
    return transaction.commit(
        new Manifest(
            Manifest.FORMAT_VERSION,
            transaction.version(),
            type.keyword(),
            TensorFormat.csf(order, type).withModeOrder(modeOrder).toString(),
            distinct,
            Manifest.BLOCK_BYTES,
            modes,
            new Manifest.Statistics(
                all.entries(), all.normSquared(), all.minValue(), all.maxValue(), all.nonfinite()),
            files,
            parts,
            new Manifest.Provenance(details.source(), details.command(), details.program())));
  }

  /** Of all entries, those of the version before included; duplicates across parts count apart. */
  private TensorStatistics statistics() {
    TensorStatistics added = options.shape().map(statistics::build).orElseGet(statistics::build);
    if (base == null) {
      return added;
    }
    TensorStatistics before = base.statistics();
    List<ModeHistogram> histograms = new ArrayList<>();
    long[] sizes = new long[order];
    for (int mode = 0; mode < order; mode++) {
      histograms.add(before.histogram(mode).merge(added.histogram(mode)));
      sizes[mode] = Math.max(before.shape().size(mode), added.shape().size(mode));
    }
    return new TensorStatistics(
        TensorShape.of(sizes),
        before.entries() + added.entries(),
        histograms,
        Math.min(before.minValue(), added.minValue()),
        Math.max(before.maxValue(), added.maxValue()),
        before.normSquared() + added.normSquared(),
        before.nonfinite() + added.nonfinite());
  }

  private Manifest.Histogram histogram(ModeHistogram histogram, MemoryScope scope)
      throws IOException {
    NativeArray counts = scope.allocateUninitialized(ElementType.I64, histogram.buckets());
    for (int bucket = 0; bucket < histogram.buckets(); bucket++) {
      counts.setLong(bucket, histogram.count(bucket));
    }
    return new Manifest.Histogram(
        Long.numberOfTrailingZeros(histogram.bucketWidth()),
        histogram.largestCoordinate(),
        file().write(counts));
  }

  private static NativeArray array(int[] numbers, MemoryScope scope) {
    NativeArray array = scope.allocateUninitialized(ElementType.I32, numbers.length);
    NativeMemory.copyFromArray(numbers, 0, array.address(), numbers.length);
    return array;
  }

  private Manifest.LabelEntry labels(Labels labels, MemoryScope scope) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    labels.write(text);
    byte[] bytes = text.toByteArray();
    NativeArray array = scope.allocateUninitialized(ElementType.U8, bytes.length);
    NativeMemory.copyFromArray(bytes, 0, array.address(), bytes.length);
    return new Manifest.LabelEntry(labels.size(), List.of(file().write(array)));
  }

  @Override
  public void close() {
    ArrayWriter open = file;
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      // A file that is removed next, or one that is already complete.
      System.getLogger(ContainerOutput.class.getName())
          .log(System.Logger.Level.DEBUG, "closing an abandoned data file", e);
    } finally {
      transaction.close();
    }
  }
}
