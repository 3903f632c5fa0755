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
import org.weft.planner.partition.SliceRange;
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
  private final Map<String, BitSet> readRows = new ConcurrentHashMap<>();

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
   * The rows that have entries here, of an operand of a mode. Counted once.
   *
   * @param unit neighbouring rows that share a bit
   * @param units how many bits the mode has
   */
  public BitSet readRows(int mode, long unit, int units) {
    return readRows.computeIfAbsent(
        mode + " by " + unit, key -> ReadRows.of(storage, mode, unit, units));
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
