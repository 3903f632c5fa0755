package org.weft.runtime;

import org.weft.memory.ElementType;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;

/**
 * Looks at blocks of a stored array while they are in the cache, in the C++ runtime: their CRC32C,
 * and whether the whole numbers in them keep a rule that kernels believe. One array at a time, its
 * elements in order. Not thread-safe; close it.
 */
public final class BlockCheck implements AutoCloseable {
  private static final int BYTES = 8 * Long.BYTES;
  private static final int ANYTHING = 0;
  private static final int RANGE = 1;
  private static final int ASCENT = 2;

  private final MemorySource memory = MemorySource.system();
  private final long arguments;
  private int elementBytes;
  private long checked;
  private long wrong;
  private long before;
  private long found;
  private long sum;

  public BlockCheck() {
    NativeRuntime.require();
    arguments = memory.allocate(BYTES);
    NativeMemory.fill(arguments, BYTES, (byte) 0);
    anything(ElementType.U8);
  }

  /** Begins an array whose elements may be anything. */
  public void anything(ElementType type) {
    begin(ANYTHING, type, 0, 0);
  }

  /** Begins an array of numbers from {@code least} to {@code largest}, neither negative. */
  public void range(ElementType type, long least, long largest) {
    requireWhole(type);
    begin(RANGE, type, least, largest);
  }

  /** Begins an array of numbers none of which is less than the one before, or negative. */
  public void ascent(ElementType type) {
    requireWhole(type);
    begin(ASCENT, type, 0, 0);
  }

  private static void requireWhole(ElementType type) {
    if (type.isFloating()) {
      throw new IllegalArgumentException("expected whole numbers, found " + type);
    }
  }

  private void begin(int rule, ElementType type, long first, long largest) {
    set(4, rule);
    set(5, first);
    set(6, largest);
    elementBytes = type.bytes();
    set(3, elementBytes);
    checked = 0;
    wrong = -1;
    sum = 0;
  }

  private void set(int slot, long value) {
    NativeMemory.putLong(arguments + (long) slot * Long.BYTES, value);
  }

  private long get(int slot) {
    return NativeMemory.getLong(arguments + (long) slot * Long.BYTES);
  }

  /** Adds bytes to the check sum. */
  public void sum(long address, int bytes) {
    long rule = get(4);
    set(4, ANYTHING);
    look(sum, address, bytes);
    set(4, rule);
    sum = get(0);
  }

  /** Looks at the next elements. */
  public void elements(long address, int bytes) {
    rule(-1, address, bytes);
  }

  /** As {@link #sum} and {@link #elements}, in one pass. */
  public void sumElements(long address, int bytes) {
    rule(sum, address, bytes);
    sum = get(0);
  }

  private void rule(long from, long address, int bytes) {
    long last = get(5);
    look(from, address, bytes);
    long at = get(7);
    if (at >= 0 && wrong < 0) {
      wrong = checked + at;
      found = element(address + at * elementBytes);
      before = at == 0 ? last : element(address + (at - 1) * elementBytes);
    }
    checked += bytes / elementBytes;
  }

  private void look(long from, long address, int bytes) {
    set(0, from);
    set(1, address);
    set(2, bytes);
    NativeRuntime.checkBlock(arguments);
  }

  private long element(long at) {
    return switch (elementBytes) {
      case 1 -> NativeMemory.getByte(at) & 0xFFL;
      case 2 -> NativeMemory.getShort(at) & 0xFFFFL;
      case 4 -> NativeMemory.getInt(at) & 0xFFFF_FFFFL;
      default -> NativeMemory.getLong(at);
    };
  }

  /** The CRC32C since the last call, or of the first bytes of the array; the next begins. */
  public int takeSum() {
    int taken = (int) sum;
    sum = 0;
    return taken;
  }

  /** Number of the first element of the array that breaks the rule; -1: none has. */
  public long wrong() {
    return wrong;
  }

  /** The element at {@link #wrong}. */
  public long found() {
    return found;
  }

  /** In an ascent, the element in front of {@link #wrong}. */
  public long before() {
    return before;
  }

  @Override
  public void close() {
    memory.free(arguments, BYTES);
  }
}
