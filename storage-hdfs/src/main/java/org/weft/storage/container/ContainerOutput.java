package org.weft.storage.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.SliceSample;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.ModeNames;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.codec.OrderedWork;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A version in the making, from entries that come here, from {@linkplain ContainerPiece pieces}
 * that tasks have written, or both.
 */
final class ContainerOutput implements TensorOutput {
  private final ContainerTransaction transaction;
  private final int order;
  private final WriteOptions options;
  private final ValueType type;
  private final int[] modeOrder;
  private final List<Manifest.Part> parts = new ArrayList<>();
  private final List<Manifest.DataFile> files = new ArrayList<>();
  private final Map<Integer, Manifest.LabelEntry> labels = new HashMap<>();
  private final TensorStatistics.Builder statistics;
  private final @Nullable KeptVersion kept;
  private final @Nullable Container base;
  private final @Nullable AddedLabels added;
  private final StoredOrder stored;
  private final PartsWriter writer;
  private final int firstPart;
  private boolean distinct = true;

  ContainerOutput(ContainerTransaction transaction, int order, WriteOptions options) {
    this(transaction, order, options, new ContainerPiece(order), options.labels());
  }

  /**
   * As above, with entries and labels that tasks have written for this transaction, under the
   * coordinates of the version that they add to.
   */
  ContainerOutput(
      ContainerTransaction transaction, int order, WriteOptions options, ContainerPiece pieces) {
    this(transaction, order, options, pieces, null);
  }

  private ContainerOutput(
      ContainerTransaction transaction,
      int order,
      WriteOptions options,
      ContainerPiece pieces,
      @Nullable Map<Integer, Labels> byLabels) {
    this.transaction = transaction;
    this.order = order;
    this.kept = transaction.base() == null ? null : kept(transaction.base(), order, options);
    this.base = kept == null ? null : kept.container();
    this.added =
        base == null
            ? null
            : byLabels == null || options.container().byCoordinates()
                ? AddedLabels.ofCoordinates(base, options.labels())
                : AddedLabels.of(base, byLabels);
    this.options = StoredOrder.covering(added == null ? options : added.covering(options), base);
    this.type = base == null ? options.container().valueType() : base.valueType();
    this.modeOrder = base == null ? modeOrder(order, options) : base.format().modeOrder();
    this.stored = StoredOrder.of(base);
    this.statistics = TensorStatistics.builder(order).sampling();
    if (base != null) {
      files.addAll(base.manifest().files());
      base.manifest().parts().forEach(this::add);
    }
    this.firstPart = parts.size();
    adopt(pieces);
    this.writer =
        new PartsWriter(
            transaction.folder(),
            "part",
            files.size(),
            type,
            modeOrder,
            this.options,
            OrderedWork.CORES);
  }

  private void adopt(ContainerPiece pieces) {
    statistics.merge(pieces.statistics());
    for (ContainerPiece.Chunk chunk : pieces.chunks()) {
      if (base != null && chunk.labels() != null && chunk.labels().count() == 0) {
        continue; // nothing new: no file to keep from version to version
      }
      int first = files.size();
      IntUnaryOperator moved = file -> file + first;
      files.addAll(chunk.files());
      chunk.parts().forEach(part -> add(part.moved(moved)));
      if (chunk.labels() != null) {
        labels.merge(chunk.mode(), chunk.labels().moved(moved), Manifest.LabelEntry::followedBy);
      }
    }
  }

  private static KeptVersion kept(Container present, int order, WriteOptions options) {
    ContainerOptions details = options.container();
    if (present.shape().order() != order) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          present.uri()
              + ": expected entries of order "
              + present.shape().order()
              + ", as the tensor has, found order "
              + order);
    }
    if (!details.permutations().isEmpty()) {
      throw new WeftException(
          ErrorCode.USAGE,
          present.uri()
              + ": expected entries in original coordinates to add to a tensor, found those of a"
              + " reordered one; leave out --keep-order");
    }
    present.requireModes(details.modeNames());
    Manifest.@Nullable Batch batch = present.manifest().batch(details.batch());
    return batch != null && details.replaceBatch()
        ? KeptVersion.without(present, batch)
        : KeptVersion.of(present);
  }

  /** As asked, or mode 0 and then the others by size: what plans of mode 0 take as it is. */
  static int[] modeOrder(int order, WriteOptions options) {
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

  private void add(Manifest.Part part) {
    int root = modeOrder[0];
    Manifest.Range slices = part.ranges().get(root);
    for (Manifest.Part other : parts) {
      distinct &= !other.mayHold(root, slices.first(), slices.last() + 1);
    }
    parts.add(part);
  }

  @Override
  public void write(CooBlock block) throws IOException {
    writer.write(stored.apply(added == null ? block : added.apply(block)));
  }

  @Override
  public boolean commit() throws IOException {
    ContainerOptions details = options.container();
    if (base != null && base.manifest().batch(details.batch()) != null) {
      return false;
    }
    writer.flush();
    writer.parts().forEach(this::add);
    statistics.merge(writer.statistics());
    TensorStatistics all = statistics();
    List<Manifest.Mode> modes = new ArrayList<>();
    try (MemoryScope scope = MemoryScope.root("modes", MemorySource.system())) {
      for (int mode = 0; mode < order; mode++) {
        Manifest.@Nullable Mode before = base == null ? null : base.manifest().modes().get(mode);
        String name =
            !details.modeNames().isEmpty() && (before == null || !isNamed())
                ? details.modeNames().get(mode)
                : before == null ? ModeNames.unnamed(mode) : before.name();
        long size = all.shape().size(mode);
        modes.add(
            new Manifest.Mode(
                name,
                size,
                histogram(all.histogram(mode), scope),
                sample(all.samples(), mode, scope),
                permutation(mode, size, before, scope),
                labels(mode, size, before)));
      }
      files.addAll(writer.finish());
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
                all.entries(), normSquared(), all.minValue(), all.maxValue(), all.nonfinite()),
            files,
            parts,
            batches(),
            new Manifest.Provenance(details.source(), details.command(), details.program())));
  }

  private boolean isNamed() {
    return base != null && ModeNames.areNamed(base.modeNames());
  }

  /** Those that are kept, and this one. */
  private List<Manifest.Batch> batches() {
    List<Manifest.Batch> batches =
        new ArrayList<>(base == null ? List.of() : base.manifest().batches());
    String key = options.container().batch();
    if (!key.isEmpty()) {
      batches.add(new Manifest.Batch(key, firstPart, parts.size() - firstPart));
    }
    return batches;
  }

  private Manifest.@Nullable ArrayEntry permutation(
      int mode, long size, Manifest.@Nullable Mode before, MemoryScope scope) throws IOException {
    if (before != null && before.size() == size) {
      return before.permutation();
    }
    int @Nullable [] permutation =
        base == null
            ? options.container().permutations().get(mode)
            : stored.permutation(mode, size);
    return permutation == null ? null : writer.file().write(array(permutation, scope));
  }

  /** Of all entries, those of the version before included; duplicates across parts count apart. */
  private TensorStatistics statistics() {
    TensorStatistics more = options.shape().map(statistics::build).orElseGet(statistics::build);
    if (kept == null) {
      return more;
    }
    return kept.statistics().merge(more);
  }

  /** Added up in the order of the parts, whoever counted them. */
  private double normSquared() {
    double sum = 0;
    for (Manifest.Part part : parts) {
      sum += part.normSquared();
    }
    return sum;
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
        writer.file().write(counts));
  }

  private Manifest.@Nullable Sample sample(List<SliceSample> samples, int mode, MemoryScope scope)
      throws IOException {
    long[] numbers = samples.isEmpty() ? new long[0] : samples.get(mode).numbers();
    if (numbers.length == 0) {
      return null;
    }
    NativeArray array = scope.allocateUninitialized(ElementType.I64, numbers.length);
    NativeMemory.copyFromArray(numbers, 0, array.address(), numbers.length);
    return new Manifest.Sample(samples.get(mode).level(), writer.file().write(array));
  }

  private static NativeArray array(int[] numbers, MemoryScope scope) {
    NativeArray array = scope.allocateUninitialized(ElementType.I32, numbers.length);
    NativeMemory.copyFromArray(numbers, 0, array.address(), numbers.length);
    return array;
  }

  private Manifest.@Nullable LabelEntry labels(int mode, long size, Manifest.@Nullable Mode before)
      throws IOException {
    Manifest.@Nullable LabelEntry written = labels.get(mode);
    @Nullable Labels given = options.labels().get(mode);
    if (before == null || added == null) {
      return given != null ? writer.labels(given.toList().iterator()) : written;
    }
    Manifest.@Nullable LabelEntry present = before.labels();
    @Nullable Labels fresh = added.fresh(mode);
    if (present == null) {
      return given == null ? null : writer.labels(stored.labels(mode, given).toList().iterator());
    }
    Manifest.LabelEntry all = written == null ? present : present.followedBy(written);
    if (fresh != null && fresh.size() > 0) {
      all = all.followedBy(writer.labels(fresh.toList().iterator()));
    }
    if (all.count() < size && before.size() < size) {
      throw new WeftException(
          ErrorCode.COORDINATE_OUT_OF_RANGE,
          transaction.uri()
              + ": expected coordinates below "
              + Math.max(before.size(), all.count())
              + " in mode "
              + before.name()
              + ", which has a label for each, found "
              + (size - 1)
              + "; give labels for coordinates that are new");
    }
    return all;
  }

  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      // A file that is removed next, or one that is already complete.
      System.getLogger(ContainerOutput.class.getName())
          .log(System.Logger.Level.DEBUG, "closing an abandoned data file", e);
    } finally {
      transaction.close();
    }
  }
}
