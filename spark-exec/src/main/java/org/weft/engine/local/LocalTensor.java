package org.weft.engine.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobClock;
import org.weft.engine.ProcessMemory;
import org.weft.engine.StoredPartitions;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.Shared;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.planner.InputReading;
import org.weft.planner.PackedForm;
import org.weft.reorder.Relabelling;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorHeader;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.EntrySource;
import org.weft.tensor.PackedForms;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.text.Bytes;

/**
 * A tensor in this process. Its parsed entries are on the heap until they are packed. Its packed
 * forms are off the heap until they are released.
 *
 * <p>The entries of a container are parsed only if a form needs entries that the files do not have
 * in this form. The entries of all other files are unpacked from a form if a second job needs them,
 * or parsed again.
 */
final class LocalTensor extends EngineTensor {
  private static final int BLOCK_ENTRIES = 1 << 16;
  private static final long MOST_COUNTS = 256L << 20;

  /** Bytes that packing takes, in bytes of the parsed entries: these, sort keys and the form. */
  private static final int PACKING_COPIES = 3;

  private final FileAccess files;
  private final InputPlan plan;
  private final Workers workers;
  private final BoundedMemory memory;
  private final InputEntries input;
  private final Map<PackedForm, List<FormParts.Part>> packed = new LinkedHashMap<>();
  private final List<CooBlock> given;
  private @Nullable LocalBlocks parsed;

  private LocalTensor(
      FileAccess files,
      InputPlan plan,
      List<CooBlock> given,
      ValueType valueType,
      Workers workers,
      BoundedMemory memory,
      TensorStatistics statistics,
      @Nullable Order order,
      @Nullable LocalTensor source,
      @Nullable Container container,
      @Nullable LocalBlocks parsed,
      ReadCost cost) {
    super(plan.uri(), valueType, statistics, order, source, container, cost);
    this.files = files;
    this.plan = plan;
    this.given = given;
    this.workers = workers;
    this.memory = memory;
    this.input = new InputEntries(files, plan, workers);
    this.parsed = parsed;
  }

  /** Parses and counts in one pass; a container has been counted when it was written. */
  static LocalTensor read(
      FileAccess files, InputPlan plan, ValueType type, Workers workers, BoundedMemory memory) {
    long start = System.nanoTime();
    TensorStatistics statistics;
    Order order = null;
    Container container = null;
    LocalBlocks parsed = null;
    if (plan.header().details() instanceof Container written) {
      container = written;
      statistics = written.statistics();
      order = Order.stored(new LocalBlocks(List.of(), workers), written);
    } else {
      InputEntries.Counted read = new InputEntries(files, plan, workers).count(heapRoom(memory));
      statistics = read.statistics();
      parsed = read.blocks();
    }
    ReadCost cost =
        new ReadCost(System.nanoTime() - start, ProcessMemory.peakResidentBytes(), reading(plan));
    return new LocalTensor(
        files,
        plan,
        List.of(),
        type,
        workers,
        memory,
        statistics,
        order,
        null,
        container,
        parsed,
        cost);
  }

  /** Of entries that the caller has, which are kept. */
  static LocalTensor of(
      FileAccess files,
      String name,
      TensorShape shape,
      List<CooBlock> entries,
      ValueType type,
      InputReading reading,
      Workers workers,
      BoundedMemory memory) {
    TensorStatistics.Builder values = TensorStatistics.builder(shape.order());
    entries.forEach(values::add);
    TensorHeader header = new TensorHeader(shape.order(), shape, -1, 0, null);
    InputPlan plan = new InputPlan(name, "", ReadOptions.defaults(), header, List.of());
    return new LocalTensor(
        files,
        plan,
        List.copyOf(entries),
        type,
        workers,
        memory,
        values.build(shape),
        null,
        null,
        null,
        new LocalBlocks(List.of(entries), workers),
        new ReadCost(0, 0, reading));
  }

  /**
   * What parsed entries may take of the heap, and no more than packed ones: they are there twice
   * while they are cut by partition, beside what is counted of slices.
   */
  private static long heapRoom(BoundedMemory memory) {
    long heap = Runtime.getRuntime().maxMemory();
    long counts = Math.min(heap / 4, MOST_COUNTS);
    return Math.min((heap - counts) / 5 * 2, memory.limit());
  }

  @Override
  public EntryBlocks entries() {
    return parsed();
  }

  private LocalBlocks parsed() {
    if (source() != null) {
      return ((LocalTensor) Objects.requireNonNull(source())).parsed();
    }
    LocalBlocks known = parsed;
    if (known == null) {
      requireRoom();
      known =
          packed.keySet().stream()
              .filter(this::holdsEntries)
              .findFirst()
              .map(this::unpacked)
              .orElseGet(this::parsedAgain);
      parsed = known;
    }
    return known;
  }

  /** Whether the parsed entries are not on the heap and have no room there. */
  private boolean isTooLarge() {
    if (source() != null) {
      return ((LocalTensor) Objects.requireNonNull(source())).isTooLarge();
    }
    return parsed == null && !plan.splits().isEmpty() && parsedBytes() > heapRoom(memory);
  }

  private long parsedBytes() {
    TensorShape shape = statistics().shape();
    long entry = Double.BYTES;
    for (int mode = 0; mode < shape.order(); mode++) {
      entry += shape.size(mode) > Integer.MAX_VALUE ? Long.BYTES : Integer.BYTES;
    }
    return entry * statistics().entries();
  }

  private void requireRoom() {
    if (isTooLarge()) {
      throw new WeftException(
          ErrorCode.OUT_OF_MEMORY,
          String.format(
              Locale.ROOT,
              "the entries of %s take %s of the Java heap here, which has room for %s; give"
                  + " more memory (--memory, WEFT_JAVA_OPTS=-Xmx...) or several machines"
                  + " (--master)",
              uri(),
              Bytes.text(parsedBytes()),
              Bytes.text(heapRoom(memory))));
    }
  }

  /** Whether a form has the entries as they were read, but for duplicates, which are summed. */
  private boolean holdsEntries(PackedForm form) {
    return order() == null
        && form.partitioning().partitions() == 1
        && form.format().valueType() == ValueType.DOUBLE;
  }

  private LocalBlocks unpacked(PackedForm form) {
    List<CooBlock> blocks = new ArrayList<>();
    TensorStorage storage = parts(form).get(0).storage();
    Packing.unpackBlocks(storage, BLOCK_ENTRIES).forEachRemaining(blocks::add);
    return new LocalBlocks(List.of(blocks), workers);
  }

  private LocalBlocks parsedAgain() {
    if (plan.splits().isEmpty()) {
      return new LocalBlocks(List.of(given), workers);
    }
    return input.keep();
  }

  @Override
  protected Parts parsedParts() {
    List<Piece> pieces =
        entries()
            .collect(
                blocks -> {
                  List<Piece> part = new ArrayList<>();
                  blocks.forEachRemaining(
                      block -> part.add(new Piece(0, 0, block.origin(), block.block())));
                  return part.iterator();
                });
    return LocalParts.of(files, List.of(pieces));
  }

  @Override
  protected EngineTensor under(Order newOrder, TensorStatistics moved) {
    return new LocalTensor(
        files,
        plan,
        given,
        valueType(),
        workers,
        memory,
        moved,
        newOrder,
        this,
        null,
        null,
        cost());
  }

  /**
   * Packs the forms that are not there yet, which {@code clock} hears of. Partitions for which the
   * memory has no room lie in files.
   *
   * @param kept bytes of the memory that are for others
   */
  void pack(List<PackedForm> forms, long kept, JobClock clock) {
    List<PackedForm> missing =
        forms.stream().distinct().filter(form -> !packed.containsKey(form)).toList();
    List<PackedForm> made = new ArrayList<>();
    long start = System.nanoTime();
    for (PackedForm form : missing) {
      StoredPartitions stored = stored(form);
      if (stored != null) {
        packed.put(form, partsOf(form, kept).load(stored));
      } else {
        made.add(form);
      }
    }
    long loaded = System.nanoTime();
    clock.add("read", loaded - start);
    if (!made.isEmpty()) {
      packAll(made, kept);
      clock.add("pack", System.nanoTime() - loaded);
    }
    for (PackedForm form : missing) {
      parts(form).forEach(part -> clock.holds(part.storage().byteSize()));
    }
  }

  /** Forms that are packed whole are packed together; the others by partition. */
  private void packAll(List<PackedForm> forms, long kept) {
    if (isTooLarge()) {
      forms.forEach(
          form ->
              packed.put(form, partsOf(form, kept).packThroughFiles(input, parsedRelabelling())));
      return;
    }
    List<PackedForm> together = forms.stream().filter(this::isPackedWhole).toList();
    boolean last = together.size() == forms.size() && source() == null;
    Container container = container();
    EntrySource entries =
        last && parsed == null && container != null
            ? storedEntries(container)
            : parsedEntries(forms, last, kept);
    if (together.isEmpty()) {
      return;
    }
    List<TensorFormat> formats = together.stream().map(PackedForm::format).toList();
    PartMemory lies = new PartMemory(memory, kept);
    MemoryScope scope = MemoryScope.root("forms of " + uri(), lies);
    TensorShape shape = statistics().shape();
    PackedForms made =
        Packing.packAll(scope, shape, formats, entries, new long[shape.order()], workers.threads());
    for (int f = 0; f < together.size(); f++) {
      FormParts parts = partsOf(together.get(f), kept);
      packed.put(together.get(f), parts.of(scope, made, f, lies));
    }
  }

  /**
   * Whether all entries of a form are packed at once, and cut into partitions afterwards. Where the
   * memory may have no room for this, each partition is packed alone.
   */
  private boolean isPackedWhole(PackedForm form) {
    return form.partitioning().partitions() == 1
        || FormParts.cutsWhole(form) && PACKING_COPIES * parsedBytes() <= memory.limit() / 2;
  }

  /** The entries as the container stores them. */
  private EntrySource storedEntries(Container from) {
    EntrySource entries = from.entrySource();
    long[] none = new long[from.shape().order()];
    Arrays.fill(none, -1);
    plan.verify(new ReadSummary(none, entries.entries(), entries.entries(), 0));
    return entries;
  }

  /** The parsed entries, of which forms of several partitions are packed. */
  private EntrySource parsedEntries(List<PackedForm> forms, boolean last, long kept) {
    List<CooBlock> blocks = relabelled(parsed().blocks());
    if (last) {
      parsed = null; // the heap has them back block by block, and the system when all are taken
      return EntrySource.of(new LastBlocks(blocks));
    }
    forms.stream()
        .filter(form -> !isPackedWhole(form))
        .forEach(form -> packed.put(form, partsOf(form, kept).pack(blocks)));
    return EntrySource.of(new ArrayDeque<>(blocks));
  }

  private FormParts partsOf(PackedForm form, long kept) {
    return new FormParts(uri(), statistics().shape(), form, workers, memory, kept);
  }

  /** The partitions of a form that was packed. */
  List<FormParts.Part> parts(PackedForm form) {
    return Objects.requireNonNull(packed.get(form), () -> form + " was never packed");
  }

  private List<CooBlock> relabelled(List<CooBlock> blocks) {
    Shared<Relabelling> there = parsedRelabelling();
    return there == null
        ? blocks
        : workers.each(blocks.size(), b -> there.value().apply(blocks.get(b)));
  }

  @Override
  protected long countDuplicates() {
    if (!packed.isEmpty()) {
      return packed.values().iterator().next().stream().mapToLong(FormParts.Part::duplicates).sum();
    }
    return Packing.countDuplicates(statistics().shape(), parsed().blocks());
  }

  @Override
  protected TensorStatistics countSummed() {
    TensorShape shape = statistics().shape();
    TensorStatistics.Builder counts = TensorStatistics.builder(shape.order());
    try (MemoryScope scope = MemoryScope.root("entries of " + uri(), memory)) {
      TensorStorage summed =
          Packing.pack(scope, shape, countedFormat(), relabelled(parsed().blocks()));
      Packing.unpackBlocks(summed, BLOCK_ENTRIES).forEachRemaining(counts::add);
    }
    return counts.build(shape);
  }

  @Override
  public long residentBytes() {
    List<FormParts.Part> parts = packed.values().stream().flatMap(List::stream).toList();
    long all = parts.stream().mapToLong(part -> part.storage().byteSize()).sum();
    long spilled =
        parts.stream()
            .map(FormParts.Part::memory)
            .distinct()
            .mapToLong(PartMemory::spilledBytes)
            .sum();
    return Math.max(0, all - spilled);
  }

  @Override
  public void releaseResident() {
    packed.values().forEach(parts -> parts.forEach(part -> part.storage().close()));
    packed.clear();
  }

  @Override
  protected void releaseEntries() {
    parsed = null;
  }

  /** Blocks that nobody needs once they are taken: then the heap gives back what they took. */
  private static final class LastBlocks extends ArrayDeque<CooBlock> {
    private static final long serialVersionUID = 1L;
    private static final long WORTH_IT = 2_000_000;

    private final boolean many;

    LastBlocks(List<CooBlock> blocks) {
      super(blocks);
      many = blocks.stream().mapToLong(CooBlock::size).sum() >= WORTH_IT;
    }

    @Override
    public @Nullable CooBlock poll() {
      CooBlock next = super.poll();
      if (next != null && isEmpty() && many) {
        System.gc();
      }
      return next;
    }
  }
}
