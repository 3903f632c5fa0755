package org.weft.engine.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
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
   * @param entries that came in, duplicates included
   * @param normSquared sum of the squared stored values, in storage order
   * @param memory where the storage lies
   */
  record Part(
      SliceRange range,
      TensorStorage storage,
      long entries,
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
          return new Part(range, storage, from.entries(part), from.normSquared(part), lies);
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
    long entries = own.entries();
    PartMemory lies = new PartMemory(memory, kept);
    PackedForms one =
        Packing.packAll(
            scope(lies), form.shape(shape, range), List.of(form.format()), own, origin, threads);
    lies.evict();
    return new Part(range, one.forms().get(0), entries, one.sumOfSquares(), lies);
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
