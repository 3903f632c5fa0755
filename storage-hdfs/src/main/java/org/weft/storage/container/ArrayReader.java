package org.weft.storage.container;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BlockCheck;
import org.weft.runtime.BlockDecoder;
import org.weft.storage.container.encoding.ArrayEncoding;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * Reads arrays of a container into off-heap memory and checks every block on the way. Plain blocks
 * of the wanted type land where they belong, a quarter of a block at a time, and are looked at once
 * while they are in the cache. Not thread-safe; holds its files open until it is closed.
 */
final class ArrayReader implements Closeable {
  /** Bytes that are read before they are looked at: well inside a core's second cache. */
  private static final int CHUNK_BYTES = 1 << 18;

  /** What elements must be: begins an array of a check. */
  interface Rule {
    Rule ANYTHING = BlockCheck::anything;

    void begin(BlockCheck check, ElementType stored);
  }

  private final Container container;
  private final Map<Integer, DataFileReader> files = new HashMap<>();
  private final MemoryScope scope = MemoryScope.root("array reader", MemorySource.system());
  private final BlockCheck check = new BlockCheck();
  private final NativeArray zeros = scope.allocate(ElementType.U8, Manifest.ALIGNMENT);
  private final int blockBytes;

  /** Three blocks: encoded bytes, scratch, elements of another type than the wanted one. */
  private @Nullable NativeArray staging;

  /** Bytes that each of the three has, and those that it needs for the present array. */
  private long room;

  private long needed;

  ArrayReader(Container container) {
    this.container = container;
    this.blockBytes = container.manifest().blockBytes();
  }

  /**
   * Reads {@code entry} into a new array of {@code scope}.
   *
   * @param what names the array in messages
   * @param wanted type of its elements; another integer type than the stored one costs a pass
   * @throws WeftException {@code CORRUPT_INPUT}, {@code WIDTH_OVERFLOW}
   */
  NativeArray read(MemoryScope into, Manifest.ArrayEntry entry, String what, ElementType wanted) {
    requireBlocks(entry, what);
    NativeArray array = into.allocateUninitialized(wanted, entry.length());
    fill(array, entry, what, Rule.ANYTHING);
    return array;
  }

  /**
   * Reads {@code entry}, for which {@link #requireBlocks} holds, into an array of its length.
   *
   * @param rule for the elements as they are stored
   * @return the check, which says whether the rule was kept: if not, only the elements in front of
   *     the block that breaks it are there; valid until the next array
   */
  BlockCheck fill(NativeArray array, Manifest.ArrayEntry entry, String what, Rule rule) {
    ElementType stored = entry.elementType();
    ElementType wanted = array.type();
    DataFileReader file = file(entry.file());
    rule.begin(check, stored);
    needed = largestBlock(entry);
    long at = entry.offset();
    long left = entry.length();
    long address = array.address();
    List<Manifest.Block> blocks = entry.blocks();
    for (int b = 0; b < blocks.size(); b++) {
      Manifest.Block block = blocks.get(b);
      int count = (int) Math.min(left, blockBytes / stored.bytes());
      boolean plain = block.encoding().equals(ArrayEncoding.PLAIN);
      long elements = stored == wanted ? address : staged(2);
      long bytes = plain ? elements : staged(0);
      int padding = b == blocks.size() - 1 ? padding(at + block.bytes()) : 0;
      // Behind the elements there is room for it: one read less.
      boolean together =
          block.bytes() > 0 && padding > 0 && padding <= padding(bytes + block.bytes());
      for (int done = 0; done < block.bytes(); done += CHUNK_BYTES) {
        int chunk = Math.min(CHUNK_BYTES, block.bytes() - done);
        boolean last = done + chunk == block.bytes();
        file.read(at + done, bytes + done, last && together ? chunk + padding : chunk);
        if (plain) {
          check.sumElements(bytes + done, chunk);
        } else {
          check.sum(bytes + done, chunk);
        }
      }
      if (together) {
        check.sum(bytes + block.bytes(), padding);
      } else if (padding > 0) {
        file.read(at + block.bytes(), zeros.address(), padding);
        check.sum(zeros.address(), padding);
      }
      String found = ManifestFile.hex(Integer.toUnsignedLong(check.takeSum()));
      if (!found.equals(block.crc32c())) {
        throw mismatch(file, what, b, at, block.crc32c(), found);
      }
      if (!plain) {
        decode(file, what, b, block, stored, elements, count);
        check.elements(elements, count * stored.bytes());
      }
      if (check.wrong() >= 0) {
        return check; // what breaks its rule need not fit the wanted width
      }
      if (stored != wanted) {
        convert(stored, wanted, elements, address, count, what);
      }
      at += block.bytes();
      address += (long) count * wanted.bytes();
      left -= count;
    }
    return check;
  }

  private void decode(
      DataFileReader file,
      String what,
      int number,
      Manifest.Block block,
      ElementType stored,
      long elements,
      int count) {
    ArrayEncoding encoding = ArrayEncoding.named(block.encoding());
    if (encoding == null || !encoding.suits(stored)) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          file.uri()
              + ": expected an encoding that this Weft knows for "
              + what
              + ", found '"
              + block.encoding()
              + "'; it was written by a newer Weft");
    }
    if (!encoding.decode(stored, staged(0), block.bytes(), staged(1), elements, count)) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          file.uri()
              + ": expected block "
              + number
              + " of "
              + what
              + " to be "
              + count
              + " elements in encoding "
              + block.encoding()
              + ", found other bytes; its writer was at fault, write the tensor again");
    }
  }

  /** Throws unless the blocks of {@code entry} hold its elements and are inside its file. */
  void requireBlocks(Manifest.ArrayEntry entry, String what) {
    DataFileReader file = file(entry.file());
    int width = entry.elementType().bytes();
    long each = blockBytes / width;
    long expected = entry.length() / each + (entry.length() % each == 0 ? 0 : 1);
    boolean fits = entry.blocks().size() == expected;
    long left = entry.length();
    for (Manifest.Block block : entry.blocks()) {
      long raw = Math.min(left, each) * width;
      fits &=
          block.encoding().equals(ArrayEncoding.PLAIN)
              ? block.bytes() == raw
              : block.bytes() <= blockBytes;
      left -= each;
    }
    // A difference, because offsets may be as large as numbers get.
    long room = container.manifest().files().get(entry.file()).bytes() - entry.offset();
    if (!fits || entry.bytes() > room) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          container.uri()
              + ": expected "
              + Counts.plain(expected, "block")
              + " for the "
              + Counts.plain(entry.length(), "element")
              + " of "
              + what
              + " inside "
              + file.uri()
              + ", found others in the manifest; its writer was at fault, write the tensor again");
    }
  }

  private static int padding(long end) {
    return (int) (-end & (Manifest.ALIGNMENT - 1));
  }

  private static WeftException mismatch(
      DataFileReader file, String what, int block, long at, String expected, String found) {
    return new WeftException(
        ErrorCode.CORRUPT_INPUT,
        file.uri()
            + ": expected CRC32C "
            + expected
            + " for block "
            + block
            + " of "
            + what
            + " at byte "
            + at
            + ", found "
            + found
            + "; the file is corrupt, copy or write it again");
  }

  /** Bytes of the largest block of an array, as it is stored or not, a multiple of 64. */
  private long largestBlock(Manifest.ArrayEntry entry) {
    long most = Math.min(blockBytes, entry.length() * entry.elementType().bytes());
    for (Manifest.Block block : entry.blocks()) {
      most = Math.max(most, block.bytes());
    }
    return (most + BlockDecoder.SLACK_BYTES + 63) & -64;
  }

  /** Address of a part of the staging memory. */
  private long staged(int number) {
    NativeArray memory = staging;
    if (memory == null || room < needed) {
      memory = scope.allocateUninitialized(ElementType.U8, 3 * needed);
      staging = memory;
      room = needed;
    }
    return memory.address() + number * room;
  }

  private DataFileReader file(int number) {
    return files.computeIfAbsent(number, container::openFile);
  }

  private void convert(
      ElementType from, ElementType to, long source, long target, int count, String what) {
    boolean narrow = from == ElementType.I64 && to == ElementType.I32;
    if (from.isFloating() || to.isFloating() || narrow) {
      convertValues(from, to, source, target, count, what);
      return;
    }
    if (!BlockDecoder.convert(from, source, to, target, count)) {
      throw new WeftException(
          ErrorCode.WIDTH_OVERFLOW,
          what + ": expected numbers of " + 8 * to.bytes() + " bits, found larger ones");
    }
  }

  private void convertValues(
      ElementType from, ElementType to, long source, long target, int count, String what) {
    ValueType type =
        Arrays.stream(ValueType.values())
            .filter(t -> t.elementType() == to)
            .findFirst()
            .orElseThrow();
    for (int i = 0; i < count; i++) {
      double value =
          switch (from) {
            case F64 -> NativeMemory.getDouble(source + 8L * i);
            case F32 -> NativeMemory.getFloat(source + 4L * i);
            case I64 -> NativeMemory.getLong(source + 8L * i);
            default -> NativeMemory.getInt(source + 4L * i);
          };
      if (!type.holds(value)) {
        throw new WeftException(
            ErrorCode.VALUE_OUT_OF_RANGE,
            container.uri() + ", " + what + ": " + type.refusal(Double.toString(value)));
      }
      switch (to) {
        case F64 -> NativeMemory.putDouble(target + 8L * i, value);
        case F32 -> NativeMemory.putFloat(target + 4L * i, (float) value);
        case I64 -> NativeMemory.putLong(target + 8L * i, (long) value);
        default -> NativeMemory.putInt(target + 4L * i, (int) value);
      }
    }
  }

  @Override
  public void close() throws IOException {
    check.close();
    scope.close();
    for (DataFileReader file : files.values()) {
      file.close();
    }
  }
}
