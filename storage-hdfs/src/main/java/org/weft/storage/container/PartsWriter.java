package org.weft.storage.container;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.BlockColumns;
import org.weft.storage.Labels;
import org.weft.storage.WriteOptions;
import org.weft.storage.codec.OrderedWork;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Entries and labels into data files of one version: gathers a part, cuts it at a slice, packs it
 * and writes its arrays. In a stream that ascends in the root mode the parts have slices of their
 * own, so that they load as partitions; in any other stream parts overlap, and readers add what
 * they share. Parts are packed and encoded on several cores, and written in order. Memory: a part
 * for each core that works, and two parts.
 */
final class PartsWriter implements Closeable {
  private static final long FILE_BYTES = 512L << 20;
  private static final int LABEL_BYTES = 8 << 20;
  private static final int PARTS = 64;

  /** Bytes of an encoded entry, about: values that hardly become smaller, and coordinates. */
  private static final int ENCODED_BYTES = 10;

  private static final int LEAST_PART_ENTRIES = 1 << 17;

  private final DataFolder folder;
  private final String stem;
  private final int firstFile;
  private final WriteOptions options;
  private final int order;
  private final ValueType type;
  private final int[] modeOrder;
  private final PartCuts cuts;
  private final int cores;
  private final OrderedWork<Encoded> encoding;
  private final List<Manifest.Part> parts = new ArrayList<>();
  private final List<Manifest.DataFile> files = new ArrayList<>();
  private final TensorStatistics.Builder statistics;
  private boolean ending;
  private @Nullable ArrayWriter file;

  /**
   * @param folder where the data files go
   * @param stem files are {@code STEM-00000.bin}, {@code STEM-00001.bin}, ...
   * @param firstFile number of the first file in the manifest, and in its name
   * @param cores that may encode parts; fewer do where parts are large
   */
  PartsWriter(
      DataFolder folder,
      String stem,
      int firstFile,
      ValueType type,
      int[] modeOrder,
      WriteOptions options,
      int cores) {
    this.folder = folder;
    this.stem = stem;
    this.firstFile = firstFile;
    this.options = options;
    this.order = modeOrder.length;
    this.type = type;
    this.modeOrder = modeOrder;
    int asked = options.container().partEntries();
    long share = options.entries().orElse(PARTS * 8L * LEAST_PART_ENTRIES) / PARTS;
    long least = Math.max(LEAST_PART_ENTRIES, Math.min(PartCuts.MOST_PART_ENTRIES, share));
    this.cuts = new PartCuts(modeOrder[0], asked > 0 ? asked : (int) least, this::add);
    this.cores =
        (int) Math.max(1, Math.min(cores, PartCuts.MOST_PART_ENTRIES / Math.max(least, asked)));
    this.encoding = new OrderedWork<>(this.cores - 1, this::keep);
    this.statistics = TensorStatistics.builder(order).sampling();
  }

  void write(CooBlock block) throws IOException {
    if (block.order() != order) {
      throw new IllegalArgumentException(
          "a block of order " + block.order() + " for a tensor of order " + order);
    }
    cuts.add(block);
  }

  /** Packs and encodes a part: the only one here, others on several cores. */
  private void add(CooBlock block) throws IOException {
    TensorStatistics.Builder counts = statistics.ofPart();
    if (cores == 1 || ending && encoding.isDone()) {
      keep(encoded(block, counts));
    } else {
      encoding.add(() -> encoded(block, counts));
    }
  }

  /**
   * A part whose arrays are not in a file yet.
   *
   * @param part as if its file began with it
   * @param arrays the bytes
   */
  private record Encoded(
      Manifest.Part part, ByteArrayOutputStream arrays, TensorStatistics.Builder statistics) {}

  private Encoded encoded(CooBlock block, TensorStatistics.Builder counts) throws IOException {
    TensorShape shape =
        options
            .shape()
            .orElseGet(
                () ->
                    TensorShape.of(
                        IntStream.range(0, order)
                            .mapToLong(mode -> BlockColumns.largest(block, mode) + 1)
                            .toArray()));
    long entries = Math.max(options.entries().orElse(1L << 20), block.size());
    TensorFormat format =
        TensorFormat.csf(order, type).withModeOrder(modeOrder).narrowedFor(shape, entries);
    int about = (int) Math.min(Integer.MAX_VALUE / 2, ENCODED_BYTES * (long) block.size());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(about);
    try (MemoryScope scope = MemoryScope.root("part of " + folder.uri(), MemorySource.system());
        ArrayWriter arrays =
            new ArrayWriter("memory", 0, bytes, !options.container().compressed());
        TensorStorage packed = Packing.pack(scope, shape, format, List.of(block))) {
      boolean merged = packed.storedEntries() != block.size();
      CooBlock stored = merged ? Packing.unpack(packed) : block;
      counts.add(stored);
      return new Encoded(part(packed, stored, counts.build().normSquared(), arrays), bytes, counts);
    }
  }

  private Manifest.Part part(
      TensorStorage packed, CooBlock stored, double normSquared, ArrayWriter writer)
      throws IOException {
    List<Manifest.LevelEntry> levels = new ArrayList<>();
    for (int level = 0; level < packed.format().levelCount(); level++) {
      levels.add(
          new Manifest.LevelEntry(
              packed.positions(level),
              packed.hasPos(level) ? writer.write(packed.pos(level)) : null,
              packed.hasCrd(level) ? writer.write(packed.crd(level)) : null));
    }
    List<Manifest.Range> ranges = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      ranges.add(
          new Manifest.Range(BlockColumns.least(stored, mode), BlockColumns.largest(stored, mode)));
    }
    return new Manifest.Part(
        stored.size(), normSquared, ranges, levels, writer.write(packed.vals()));
  }

  private void keep(Encoded encoded) {
    statistics.merge(encoded.statistics());
    try {
      parts.add(file().append(encoded.part(), encoded.arrays()));
    } catch (IOException e) {
      throw FileAccess.unavailable(folder.uri(), e);
    }
  }

  /** The file that the next arrays go to. */
  ArrayWriter file() {
    try {
      ArrayWriter open = file;
      if (open != null && open.position() > FILE_BYTES) {
        files.add(open.finished());
        open = null;
      }
      if (open == null) {
        int number = firstFile + files.size();
        String name = String.format(Locale.ROOT, "%s-%05d.bin", stem, number);
        boolean plain = !options.container().compressed();
        open = new ArrayWriter(folder.relative(name), number, folder.create(name), plain);
        file = open;
      }
      return open;
    } catch (IOException e) {
      throw FileAccess.unavailable(folder.uri(), e);
    }
  }

  /**
   * Writes labels, a line each, in as many arrays as keep memory small.
   *
   * @throws org.weft.error.WeftException {@code MALFORMED_INPUT} for one that a line cannot hold
   */
  Manifest.LabelEntry labels(Iterator<String> labels) throws IOException {
    List<Manifest.ArrayEntry> text = new ArrayList<>();
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    long count = 0;
    while (labels.hasNext()) {
      count++;
      bytes.write(Labels.requireLine(labels.next(), count).getBytes(StandardCharsets.UTF_8));
      bytes.write('\n');
      if (bytes.size() >= LABEL_BYTES) {
        text.add(write(bytes.toByteArray()));
        bytes.reset();
      }
    }
    if (bytes.size() > 0 || text.isEmpty()) {
      text.add(write(bytes.toByteArray()));
    }
    return new Manifest.LabelEntry(count, text);
  }

  private Manifest.ArrayEntry write(byte[] bytes) throws IOException {
    try (MemoryScope scope = MemoryScope.root("labels of " + folder.uri(), MemorySource.system())) {
      NativeArray array = scope.allocateUninitialized(ElementType.U8, bytes.length);
      NativeMemory.copyFromArray(bytes, 0, array.address(), bytes.length);
      return file().write(array);
    }
  }

  /** Writes the entries that wait for their part to fill. */
  void flush() throws IOException {
    ending = true;
    cuts.flush();
    encoding.finish();
  }

  /** Ends the file; the files written, in order. */
  List<Manifest.DataFile> finish() throws IOException {
    ArrayWriter open = file;
    if (open != null) {
      files.add(open.finished());
      file = null;
    }
    return files;
  }

  List<Manifest.Part> parts() {
    return parts;
  }

  TensorStatistics.Builder statistics() {
    return statistics;
  }

  /** Closes a file that is not finished. */
  @Override
  public void close() throws IOException {
    encoding.abandon();
    ArrayWriter open = file;
    if (open != null) {
      open.close();
    }
  }
}
