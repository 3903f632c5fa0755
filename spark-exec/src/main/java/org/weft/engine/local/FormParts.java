package org.weft.engine.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.weft.engine.StoredPartitions;
import org.weft.engine.entries.EntryCuts;
import org.weft.engine.entries.Shared;
import org.weft.memory.MemoryScope;
import org.weft.planner.PackedForm;
import org.weft.planner.partition.SliceRange;
import org.weft.reorder.Relabelling;
import org.weft.storage.container.Container;
import org.weft.tensor.CooBlock;
import org.weft.tensor.EntrySource;
import org.weft.tensor.PackedForms;
import org.weft.tensor.Packing;
import org.weft.tensor.StorageSlices;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Makes the partitions of a packed form from entries that come in one of three ways. The entries
 * are parsed on the heap; or they pass through files, if the heap cannot hold them; or a container
 * stores them in the form that kernels need. Partitions for which the memory has no room lie in
 * files ({@link PartMemory}).
 */
final class FormParts {
  private final String uri;
  private final TensorShape shape;
  private final PackedForm form;
  private final Workers workers;
  private final BoundedMemory memory;
  private final long kept;

  /**
   * A packed partition.
   *
   * @param duplicates entries that repeated the coordinates of another; those of a tensor that was
   *     cut count for its first partition
   * @param normSquared sum of the squared stored values, in storage order
   * @param memory where the storage lies
   */
  record Part(
      SliceRange range,
      TensorStorage storage,
      long duplicates,
      double normSquared,
      PartMemory memory) {}

  /**
   * @param uri of the tensor
   * @param shape of the tensor as it is packed
   * @param kept bytes of the memory that are for others
   */
  FormParts(
      String uri,
      TensorShape shape,
      PackedForm form,
      Workers workers,
      BoundedMemory memory,
      long kept) {
    this.uri = uri;
    this.shape = shape;
    this.form = form;
    this.workers = workers;
    this.memory = memory;
    this.kept = kept;
  }

  /** Partitions that lie in a container as the kernel wants them are read into their places. */
  List<Part> load(StoredPartitions parts) {
    Container from = parts.container();
    return made(
        false,
        number -> {
          SliceRange range = form.partitioning().ranges().get(number);
          PartMemory lies = new PartMemory(memory, kept);
          int part = parts.part(number);
          TensorShape local = form.shape(from.shape(), range);
          TensorStorage storage =
              from.load(scope(lies), part, form.format(), local, form.offset(range));
          lies.evict();
          long duplicates = from.entries(part) - storage.storedEntries();
          return new Part(range, storage, duplicates, from.normSquared(part), lies);
        });
  }

  /** Partitions of parsed entries, several at a time. */
  List<Part> pack(List<CooBlock> blocks) {
    List<Queue<CooBlock>> byPartition = new ArrayList<>();
    IntStream.range(0, form.partitioning().partitions())
        .forEach(p -> byPartition.add(new ArrayDeque<>()));
    for (List<EntryCuts.Cut> cuts :
        workers.each(blocks.size(), b -> EntryCuts.of(form.partitioning(), blocks.get(b)))) {
      cuts.forEach(cut -> byPartition.get(cut.partition()).add(cut.entries()));
    }
    return made(false, number -> pack(number, EntrySource.of(byPartition.get(number)), 1));
  }

  /**
   * Partitions of entries that the heap cannot hold: one more pass over the input sorts them into
   * buckets on the local disk, which are packed one after another, each by all threads.
   *
   * @param relabelling of the entries, if they have another order than the input
   */
  List<Part> packThroughFiles(InputEntries input, @Nullable Shared<Relabelling> relabelling) {
    try (EntryBuckets buckets = new EntryBuckets(form.partitioning().partitions())) {
      input.forEach(
          (origin, block) -> {
            CooBlock moved = relabelling == null ? block : relabelling.value().apply(block);
            EntryCuts.of(form.partitioning(), moved)
                .forEach(cut -> buckets.add(cut.partition(), origin, cut.entries()));
          });
      return made(true, number -> pack(number, buckets.blocks(number), workers.threads()));
    }
  }

  private Part pack(int number, EntrySource own, int threads) {
    SliceRange range = form.partitioning().ranges().get(number);
    long[] origin = new long[shape.order()];
    origin[form.partitioning().mode()] = form.offset(range);
    PartMemory lies = new PartMemory(memory, kept);
    PackedForms one =
        Packing.packAll(
            scope(lies), form.shape(shape, range), List.of(form.format()), own, origin, threads);
    lies.evict();
    return new Part(range, one.forms().get(0), one.duplicates(), one.sumOfSquares(), lies);
  }

  /** Whether partitions are slices of the whole tensor in the form's format. */
  static boolean cutsWhole(PackedForm form) {
    return form.local()
        && !form.partitioning().anyOverlapping()
        && form.partitioning().mode() == form.format().modeOf(0)
        && StorageSlices.suits(form.format());
  }

  /**
   * Partitions of a form that was packed whole, which is taken over.
   *
   * @param scope of the partitions
   * @param made has the form
   * @param number of the form
   * @param lies where the form lies
   */
  List<Part> of(MemoryScope scope, PackedForms made, int number, PartMemory lies) {
    List<SliceRange> ranges = form.partitioning().ranges();
    TensorStorage whole = made.forms().get(number);
    if (ranges.size() == 1) {
      return List.of(new Part(ranges.get(0), whole, made.duplicates(), made.sumOfSquares(), lies));
    }
    long[] bounds = LongStream.concat(LongStream.of(0), ends(ranges)).toArray();
    List<TensorStorage> slices = StorageSlices.cut(scope, whole, bounds);
    return IntStream.range(0, ranges.size())
        .mapToObj(part -> part(ranges, slices, part, made.duplicates(), lies))
        .toList();
  }

  private Part part(
      List<SliceRange> ranges,
      List<TensorStorage> slices,
      int part,
      long duplicates,
      PartMemory lies) {
    double squares = Packing.sumOfSquares(slices.get(part), workers.threads());
    return new Part(ranges.get(part), slices.get(part), part == 0 ? duplicates : 0, squares, lies);
  }

  private static LongStream ends(List<SliceRange> ranges) {
    return ranges.stream().mapToLong(SliceRange::to);
  }

  /** The partitions, or none of them. */
  private List<Part> made(boolean inTurn, Workers.Work<Part> work) {
    int count = form.partitioning().partitions();
    @Nullable Part[] made = new Part[count];
    boolean complete = false;
    try {
      for (int from = 0; from < count; from += inTurn ? 1 : count) {
        int first = from;
        workers.each(inTurn ? 1 : count, number -> made[first + number] = work.run(first + number));
      }
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

  private MemoryScope scope(PartMemory lies) {
    return MemoryScope.root("forms of " + uri, lies);
  }
}
