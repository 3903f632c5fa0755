package org.weft.spark.resident;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.util.KnownSizeEstimation;
import org.jspecify.annotations.Nullable;
import org.weft.memory.NativeArray;
import org.weft.planner.partition.SliceRange;
import org.weft.runtime.ColumnPasses;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * One partition of a tensor, packed off heap. Usable by the task that got it from a {@link
 * ResidentRdd}, until that task ends; the arrays belong to {@link ResidentMemory}, or to the task
 * itself for a copy that was fetched from another executor.
 */
@DefaultSerializer(JavaSerializer.class)
public final class ResidentPartition implements KnownSizeEstimation, Serializable {
  private static final long serialVersionUID = 1L;
  private static final long HEAP_BYTES = 1024;

  private final int partition;
  private final SliceRange range;
  private final long entries;
  private final double normSquared;
  private final TensorStorage storage;
  private final ResidentMemory.@Nullable Entry entry;
  private final Map<String, BitSet> readBlocks = new ConcurrentHashMap<>();

  ResidentPartition(
      int partition,
      SliceRange range,
      long entries,
      double normSquared,
      TensorStorage storage,
      ResidentMemory.@Nullable Entry entry) {
    this.partition = partition;
    this.range = range;
    this.entries = entries;
    this.normSquared = normSquared;
    this.storage = storage;
    this.entry = entry;
  }

  /** Keeps the arrays until the running task ends. Call it once per task before using them. */
  public TensorStorage lease() {
    if (entry != null) {
      ResidentMemory.PROCESS.lease(entry);
    }
    return storage;
  }

  /** The arrays, for whoever holds the partition. */
  TensorStorage storage() {
    return storage;
  }

  /**
   * The blocks of {@code blockRows} coordinates of a mode that have entries here. Counted once.
   * Cost {@code O(positions of the mode's level)}.
   *
   * @param blocks how many blocks the mode has
   */
  public BitSet readBlocks(int mode, long blockRows, int blocks) {
    if (blocks == 1) {
      return allOf(1);
    }
    return readBlocks.computeIfAbsent(
        mode + " by " + blockRows, key -> scan(mode, blockRows, blocks));
  }

  private BitSet scan(int mode, long blockRows, int blocks) {
    TensorFormat format = storage.format();
    for (int level = 0; level < format.levelCount(); level++) {
      if (format.modeOf(level) == mode
          && format.coordinate(level) instanceof LevelCoordinate.Mode
          && storage.hasCrd(level)) {
        return ColumnPasses.bits(storage.crd(level), blockRows, blocks);
      }
    }
    boolean tiled =
        format.levelCount() > 1
            && format.modeOf(0) == mode
            && format.coordinate(0) instanceof LevelCoordinate.Block
            && storage.hasPos(1);
    return tiled ? tiles(blockRows, blocks) : allOf(blocks);
  }

  /** The blocks of the tiles that have entries. */
  private BitSet tiles(long blockRows, int blocks) {
    long size = ((LevelCoordinate.Block) storage.format().coordinate(0)).size();
    BitSet read = new BitSet(blocks);
    NativeArray ends = storage.pos(1);
    for (long tile = 0; tile < storage.positions(0); tile++) {
      if (ends.getLong(tile) < ends.getLong(tile + 1)) {
        long last = Math.min(blocks - 1, ((tile + 1) * size - 1) / blockRows);
        read.set((int) (tile * size / blockRows), (int) last + 1);
      }
    }
    return read;
  }

  private static BitSet allOf(int blocks) {
    BitSet all = new BitSet(blocks);
    all.set(0, blocks);
    return all;
  }

  public int partition() {
    return partition;
  }

  /** The slices of the partitioned mode that this partition holds. */
  public SliceRange range() {
    return range;
  }

  /** Entries received, duplicates included. */
  public long entries() {
    return entries;
  }

  /** Entries after duplicates were summed. */
  public long storedEntries() {
    return storage.storedEntries();
  }

  /** Sum of the squared stored values, in storage order. */
  public double normSquared() {
    return normSquared;
  }

  /** Off-heap bytes. */
  public long byteSize() {
    return storage.byteSize();
  }

  /** What Spark accounts on heap; the arrays are accounted off heap as they are allocated. */
  @Override
  public long estimatedSize() {
    return HEAP_BYTES;
  }

  /** Writes everything, arrays included: another executor can use the partition. */
  public void writeTo(DataOutput out) throws IOException {
    out.writeInt(partition);
    out.writeLong(range.from());
    out.writeLong(range.to());
    out.writeInt(range.piece());
    out.writeInt(range.pieces());
    out.writeLong(entries);
    out.writeDouble(normSquared);
    long[] sizes = storage.shape().toArray();
    out.writeInt(sizes.length);
    for (long size : sizes) {
      out.writeLong(size);
    }
    out.writeUTF(storage.format().valueType().name());
    out.writeUTF(storage.format().toString());
    storage.writeTo(out);
  }

  private Object writeReplace() {
    return new ResidentCopy(this);
  }

  /** Reads what {@link #writeTo} wrote, into memory of the running task. */
  public static ResidentPartition readFrom(DataInput in) throws IOException {
    int partition = in.readInt();
    SliceRange range = new SliceRange(in.readLong(), in.readLong(), in.readInt(), in.readInt());
    long entries = in.readLong();
    double normSquared = in.readDouble();
    long[] sizes = new long[in.readInt()];
    for (int mode = 0; mode < sizes.length; mode++) {
      sizes[mode] = in.readLong();
    }
    ValueType valueType = ValueType.valueOf(in.readUTF());
    TensorFormat format = TensorFormat.parse(in.readUTF(), sizes.length, valueType);
    TensorStorage storage =
        TensorStorage.readFrom(TaskMemory.ofTask().scope(), TensorShape.of(sizes), format, in);
    return new ResidentPartition(partition, range, entries, normSquared, storage, null);
  }
}
