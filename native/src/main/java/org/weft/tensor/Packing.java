package org.weft.tensor;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.stream.IntStream;
import org.weft.memory.MemoryScope;

/**
 * From coordinate blocks to storage and back. Entries are sorted in level order, duplicates are
 * summed in order of appearance, and explicit zeros stay.
 *
 * <p>Packing is the C++ runtime's: it makes records of keys and values, sorts them by radix ({@code
 * O(n bits / 11)}), and makes the levels that it knows. Scratch memory, off the heap: two copies of
 * the keys, and two of the values where forms do not have these as they are sorted.
 */
public final class Packing {
  private Packing() {}

  /** Packs {@code blocks} into a new storage below {@code parent}, on this thread. */
  public static TensorStorage pack(
      MemoryScope parent, TensorShape shape, TensorFormat format, List<CooBlock> blocks) {
    return pack(parent, shape, format, blocks, 0);
  }

  /**
   * As above, with {@code rootOffset} subtracted from the coordinates of the outermost level's
   * mode, whose size in {@code shape} is that of the partition.
   *
   * @throws org.weft.error.WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code WIDTH_OVERFLOW},
   *     {@code OUT_OF_MEMORY}
   */
  public static TensorStorage pack(
      MemoryScope parent,
      TensorShape shape,
      TensorFormat format,
      List<CooBlock> blocks,
      long rootOffset) {
    long[] origin = new long[shape.order()];
    if (rootOffset != 0) {
      origin[format.modeOrder()[0]] = rootOffset;
    }
    return new FormPacking(parent, shape, origin, 1)
        .pack(List.of(format), EntrySource.of(new ArrayDeque<>(blocks)))
        .get(0);
  }

  /**
   * Packs several forms of one tensor, which are sorted from one another.
   *
   * @param blocks taken from the queue one by one, so that the heap can have them back while their
   *     entries are read; some may be left if an error is thrown
   * @param threads that may work, the calling one included; the forms do not depend on it
   * @throws org.weft.error.WeftException {@code COORDINATE_OUT_OF_RANGE}, {@code WIDTH_OVERFLOW},
   *     {@code OUT_OF_MEMORY}; no form is left then
   */
  public static PackedForms packAll(
      MemoryScope parent,
      TensorShape shape,
      List<TensorFormat> formats,
      Queue<CooBlock> blocks,
      int threads) {
    return packAll(
        parent, shape, formats, EntrySource.of(blocks), new long[shape.order()], threads);
  }

  /**
   * As above, of a part of a tensor, whose entries are taken from a source.
   *
   * @param shape of the part
   * @param origin the first coordinate of the part in each mode, which is subtracted
   */
  public static PackedForms packAll(
      MemoryScope parent,
      TensorShape shape,
      List<TensorFormat> formats,
      EntrySource entries,
      long[] origin,
      int threads) {
    FormPacking packing = new FormPacking(parent, shape, origin, threads);
    return packed(packing.pack(formats, entries), packing, threads);
  }

  /** The sum of the squares of all stored values, the same for any number of threads. */
  public static double sumOfSquares(TensorStorage storage, int threads) {
    return PackRecords.sumOfSquares(storage.vals(), storage.format().valueType(), threads);
  }

  private static PackedForms packed(List<TensorStorage> forms, FormPacking packing, int threads) {
    try {
      double squares = forms.isEmpty() ? 0 : sumOfSquares(forms.get(0), threads);
      return new PackedForms(forms, squares, packing.duplicates());
    } catch (RuntimeException e) {
      forms.forEach(TensorStorage::close);
      throw e;
    }
  }

  /** Number of entries in {@code blocks} that repeat the coordinates of another. */
  public static long countDuplicates(TensorShape shape, List<CooBlock> blocks) {
    try (PackRecords records = sortedRecords(shape, modes(shape.order()), blocks, 1)) {
      return records.mergeDuplicates();
    }
  }

  private static int[] modes(int order) {
    return IntStream.range(0, order).toArray();
  }

  /** {@code blocks} as one block sorted by {@code modeOrder}, duplicates summed. */
  public static CooBlock sorted(TensorShape shape, int[] modeOrder, List<CooBlock> blocks) {
    try (PackRecords records = sortedRecords(shape, modeOrder, blocks, 1)) {
      records.mergeDuplicates();
      return records.toBlock();
    }
  }

  /** {@code blocks} as one block sorted by {@code modeOrder}; duplicates stay, in their order. */
  public static CooBlock sortedWithDuplicates(
      TensorShape shape, int[] modeOrder, List<CooBlock> blocks) {
    try (PackRecords records = sortedRecords(shape, modeOrder, blocks, 1)) {
      return records.toBlock();
    }
  }

  private static PackRecords sortedRecords(
      TensorShape shape, int[] modeOrder, List<CooBlock> blocks, int threads) {
    KeyLayout layout = new KeyLayout(shape, new long[shape.order()]);
    PackRecords records =
        RecordLoader.load(
            EntrySource.of(new ArrayDeque<>(blocks)),
            layout,
            new long[shape.order()],
            threads,
            null);
    try {
      List<KeyLayout.Bits> sequence = layout.sequence(modeOrder);
      if (!records.isInOrder(sequence)) {
        records.sort(FormSequence.sort(null, sequence), null);
      }
      return records;
    } catch (RuntimeException e) {
      records.close();
      throw e;
    }
  }

  /** All stored entries as one block, in storage order. */
  public static CooBlock unpack(TensorStorage storage) {
    boolean exact = storage.format().valueType() == ValueType.LONG;
    CooBlock.Builder builder =
        new CooBlock.Builder(
            storage.shape().order(),
            (int) Math.min(Integer.MAX_VALUE - 16, storage.storedEntries()),
            exact);
    if (exact) {
      storage.forEachPosition((at, p) -> builder.addLong(at, storage.vals().getLong(p)));
    } else {
      storage.forEachEntry(builder::add);
    }
    return builder.build();
  }

  /**
   * All stored entries in storage order, in blocks of {@code blockSize}, made as they are asked.
   */
  public static Iterator<CooBlock> unpackBlocks(TensorStorage storage, int blockSize) {
    return StoredEntries.suits(storage)
        ? new StoredBlocks(storage, blockSize)
        : new BlockIterator(storage, blockSize);
  }

  private static final class BlockIterator implements Iterator<CooBlock> {
    private final TensorStorage storage;
    private final int blockSize;
    private final EntryCursor cursor;
    private boolean more;

    BlockIterator(TensorStorage storage, int blockSize) {
      this.storage = storage;
      this.blockSize = blockSize;
      this.cursor = new EntryCursor(storage);
      this.more = cursor.next();
    }

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public CooBlock next() {
      if (!more) {
        throw new NoSuchElementException();
      }
      boolean exact = storage.format().valueType() == ValueType.LONG;
      CooBlock.Builder block = new CooBlock.Builder(storage.shape().order(), blockSize, exact);
      do {
        if (exact) {
          block.addLong(cursor.coordinates(), storage.vals().getLong(cursor.position()));
        } else {
          block.add(cursor.coordinates(), storage.vals().getDouble(cursor.position()));
        }
        more = cursor.next();
      } while (more && block.size() < blockSize);
      return block.build();
    }
  }
}
