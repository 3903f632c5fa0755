package org.weft.engine.local;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.engine.EngineTensor;
import org.weft.engine.JobClock;
import org.weft.engine.ProcessMemory;
import org.weft.engine.StoredPartitions;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.entries.EntryBlocks;
import org.weft.engine.entries.EntryCuts;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.PackedForm;
import org.weft.planner.SliceRange;
import org.weft.planner.StoredForm;
import org.weft.reorder.Relabelling;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadOptions;
import org.weft.storage.ReadSummary;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorHeader;
import org.weft.storage.container.Container;
import org.weft.tensor.CooBlock;
import org.weft.tensor.PackedForms;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStatistics;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * A tensor in this process: its parsed entries on the heap until they are packed, and its packed
 * forms off it until they are released. The entries of a container are not parsed before a form
 * needs them that the files do not have; those of other files are unpacked if another job wants
 * them, or parsed again.
 */
final class LocalTensor extends EngineTensor {
  private static final int BLOCK_ENTRIES = 1 << 16;

  private final FileAccess files;
  private final InputPlan plan;
  private final Workers workers;
  private final MemorySource memory;
  private final @Nullable Container container;
  private final @Nullable StoredPartitions stored;
  private final Map<PackedForm, List<Part>> packed = new LinkedHashMap<>();
  private final List<CooBlock> given;
  private @Nullable LocalBlocks parsed;

  /**
   * A packed partition.
   *
   * @param entries that came in, duplicates included
   * @param normSquared sum of the squared stored values, in storage order
   */
  record Part(SliceRange range, TensorStorage storage, long entries, double normSquared) {}

  private LocalTensor(
      FileAccess files,
      InputPlan plan,
      List<CooBlock> given,
      ValueType valueType,
      Workers workers,
      MemorySource memory,
      TensorStatistics statistics,
      @Nullable Order order,
      @Nullable LocalTensor source,
      @Nullable Container container,
      @Nullable LocalBlocks parsed,
      ReadCost cost) {
    super(plan.uri(), valueType, statistics, order, source, cost);
    this.files = files;
    this.plan = plan;
    this.given = given;
    this.workers = workers;
    this.memory = memory;
    this.container = container;
    this.stored = Optional.ofNullable(container).flatMap(StoredPartitions::of).orElse(null);
    this.parsed = parsed;
  }

  /** Parses and counts in one pass; a container has been counted when it was written. */
  static LocalTensor read(
      FileAccess files, InputPlan plan, ValueType type, Workers workers, MemorySource memory) {
    long start = System.nanoTime();
    if (plan.header().details() instanceof Container container) {
      TensorStatistics statistics = container.statistics();
      Map<Integer, int[]> labels = container.permutations();
      Order order =
          labels.isEmpty()
              ? null
              : Order.stored(
                  new LocalBlocks(List.of(), workers),
                  Relabelling.ofLabels(container.shape(), labels));
      ReadCost cost = new ReadCost(System.nanoTime() - start, ProcessMemory.peakResidentBytes());
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
          null,
          cost);
    }
    List<ParsedSplit> splits = parse(files, plan, workers);
    ReadSummary summary =
        splits.stream().map(ParsedSplit::summary).reduce(ReadSummary::merge).orElseThrow();
    plan.verify(summary);
    TensorStatistics statistics =
        splits.stream()
            .map(ParsedSplit::values)
            .reduce(TensorStatistics.Builder::merge)
            .orElseThrow()
            .build(summary.shape(plan.header()));
    LocalBlocks blocks =
        new LocalBlocks(splits.stream().map(ParsedSplit::blocks).toList(), workers);
    ReadCost cost = new ReadCost(System.nanoTime() - start, ProcessMemory.peakResidentBytes());
    return new LocalTensor(
        files, plan, List.of(), type, workers, memory, statistics, null, null, null, blocks, cost);
  }

  /** Of entries that the caller has, which are kept; no file has them. */
  static LocalTensor of(
      FileAccess files,
      String name,
      TensorShape shape,
      List<CooBlock> entries,
      ValueType type,
      Workers workers,
      MemorySource memory) {
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
        new ReadCost(0, 0));
  }

  private record ParsedSplit(
      List<CooBlock> blocks, TensorStatistics.Builder values, ReadSummary summary) {}

  private static List<ParsedSplit> parse(FileAccess files, InputPlan plan, Workers workers) {
    List<InputSplit> splits = plan.splits();
    return workers.each(splits.size(), number -> parse(files, plan, splits.get(number)));
  }

  private static ParsedSplit parse(FileAccess files, InputPlan plan, InputSplit split)
      throws IOException {
    TensorStatistics.Builder values = TensorStatistics.builder(plan.header().order());
    List<CooBlock> blocks = new ArrayList<>();
    try (BlockReader reader = TensorFiles.read(files, plan, split)) {
      while (reader.hasNext()) {
        CooBlock block = reader.next();
        values.add(block);
        blocks.add(block);
      }
      return new ParsedSplit(blocks, values, reader.summary());
    }
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
    List<ParsedSplit> splits = parse(files, plan, workers);
    plan.verify(splits.stream().map(ParsedSplit::summary).reduce(ReadSummary::merge).orElseThrow());
    return new LocalBlocks(splits.stream().map(ParsedSplit::blocks).toList(), workers);
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

  @Override
  public @Nullable StoredForm storedForm() {
    return stored == null ? null : stored.form();
  }

  /** Packs the forms that are not there yet, which {@code clock} hears of. */
  void pack(List<PackedForm> forms, JobClock clock) {
    List<PackedForm> missing =
        forms.stream().distinct().filter(form -> !packed.containsKey(form)).toList();
    List<PackedForm> made = new ArrayList<>();
    long start = System.nanoTime();
    for (PackedForm form : missing) {
      if (stored != null
          && stored.partitioning().equals(form.partitioning())
          && stored.container().fits(form.format())) {
        packed.put(form, load(stored, form));
      } else {
        made.add(form);
      }
    }
    long loaded = System.nanoTime();
    clock.add("read", loaded - start);
    if (!made.isEmpty()) {
      packAll(made);
      clock.add("pack", System.nanoTime() - loaded);
    }
  }

  /** Forms of one partition are packed together; those of several by partition. */
  private void packAll(List<PackedForm> forms) {
    List<PackedForm> whole =
        forms.stream().filter(form -> form.partitioning().partitions() == 1).toList();
    boolean last = whole.size() == forms.size() && source() == null;
    List<CooBlock> taken = relabelled(parsed().blocks());
    Queue<CooBlock> blocks = last ? new LastBlocks(taken) : new ArrayDeque<>(taken);
    if (last) {
      taken = List.of();
      parsed = null; // the heap has them back block by block, and the system when all are taken
    }
    forms.stream()
        .filter(form -> form.partitioning().partitions() > 1)
        .forEach(form -> packed.put(form, packed(form, List.copyOf(blocks))));
    if (whole.isEmpty()) {
      return;
    }
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    List<TensorFormat> formats = whole.stream().map(PackedForm::format).toList();
    PackedForms made =
        Packing.packAll(scope(), statistics().shape(), formats, blocks, workers.threads());
    for (int f = 0; f < whole.size(); f++) {
      SliceRange all = whole.get(f).partitioning().ranges().get(0);
      packed.put(
          whole.get(f), List.of(new Part(all, made.forms().get(f), entries, made.sumOfSquares())));
    }
  }

  private MemoryScope scope() {
    return MemoryScope.root("forms of " + uri(), memory);
  }

  /** The partitions of a form that was packed. */
  List<Part> parts(PackedForm form) {
    return Objects.requireNonNull(packed.get(form), () -> form + " was never packed");
  }

  /** What lies in the files as the kernel wants it is read straight into its place. */
  private List<Part> load(StoredPartitions parts, PackedForm form) {
    Container from = parts.container();
    return made(
        form,
        number -> {
          SliceRange range = form.partitioning().ranges().get(number);
          MemoryScope scope = scope();
          int part = parts.part(number);
          TensorShape local = local(form, from.shape(), range);
          TensorStorage storage =
              from.load(scope, part, form.format(), local, form.local() ? range.from() : 0);
          return new Part(range, storage, from.entries(part), from.normSquared(part));
        });
  }

  private List<Part> packed(PackedForm form, List<CooBlock> blocks) {
    List<List<CooBlock>> byPartition = new ArrayList<>();
    IntStream.range(0, form.partitioning().partitions())
        .forEach(p -> byPartition.add(new ArrayList<>()));
    for (List<EntryCuts.Cut> cuts :
        workers.each(blocks.size(), b -> EntryCuts.of(form.partitioning(), blocks.get(b)))) {
      cuts.forEach(cut -> byPartition.get(cut.partition()).add(cut.entries()));
    }
    return made(
        form,
        number -> {
          SliceRange range = form.partitioning().ranges().get(number);
          List<CooBlock> own = byPartition.get(number);
          long[] origin = new long[statistics().shape().order()];
          origin[form.partitioning().mode()] = form.local() ? range.from() : 0;
          long entries = own.stream().mapToLong(CooBlock::size).sum();
          PackedForms one =
              Packing.packAll(
                  scope(),
                  local(form, statistics().shape(), range),
                  List.of(form.format()),
                  new ArrayDeque<>(own),
                  origin,
                  1);
          return new Part(range, one.forms().get(0), entries, one.sumOfSquares());
        });
  }

  /** The partitions of a form, or none of them. */
  private List<Part> made(PackedForm form, Workers.Work<Part> work) {
    int count = form.partitioning().partitions();
    @Nullable Part[] made = new Part[count];
    boolean complete = false;
    try {
      workers.each(count, number -> made[number] = work.run(number));
      complete = true;
      return List.of(made);
    } finally {
      for (int number = 0; number < count && !complete; number++) {
        if (made[number] != null) {
          made[number].storage().close();
        }
      }
    }
  }

  private static TensorShape local(PackedForm form, TensorShape shape, SliceRange range) {
    return form.local() ? shape.with(form.partitioning().mode(), range.slices()) : shape;
  }

  private List<CooBlock> relabelled(List<CooBlock> blocks) {
    Shared<Relabelling> there = parsedRelabelling();
    return there == null
        ? blocks
        : workers.each(blocks.size(), b -> there.value().apply(blocks.get(b)));
  }

  @Override
  public long duplicates() {
    if (container != null && container.isDistinct()) {
      return 0;
    }
    if (!packed.isEmpty()) {
      return packed.values().iterator().next().stream()
          .mapToLong(part -> part.entries() - part.storage().storedEntries())
          .sum();
    }
    return Packing.countDuplicates(statistics().shape(), parsed().blocks());
  }

  @Override
  public long residentBytes() {
    return packed.values().stream()
        .flatMap(List::stream)
        .mapToLong(part -> part.storage().byteSize())
        .sum();
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
