package org.weft.engine.local;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.weft.scratch.ScratchFolder;
import org.weft.tensor.CooBlock;
import org.weft.tensor.EntrySource;

/**
 * Entries on their way from the input to packed partitions, where the heap cannot hold them: one
 * bucket for each partition, all in one file on the local disk. A bucket gives its entries in the
 * order of the input, whatever the order in which they came. Adding is thread-safe. Cost: every
 * entry is written and read once. Closing deletes the file.
 */
final class EntryBuckets implements AutoCloseable {
  private static final int ENTRY_BYTES = 32;

  /** Entries of a bucket that come from one block. */
  private record Cut(long origin, long from, int bytes, int entries, boolean exact) {}

  private final FileChannel file;
  private final List<List<Cut>> buckets = new ArrayList<>();
  private long end;

  /**
   * @throws org.weft.error.WeftException {@code STORAGE_UNAVAILABLE}
   */
  EntryBuckets(int count) {
    Path path = ScratchFolder.newFile("entries-", ".tmp");
    try {
      file =
          FileChannel.open(
              path,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
    for (int bucket = 0; bucket < count; bucket++) {
      buckets.add(new ArrayList<>());
    }
  }

  /**
   * Adds entries of one block.
   *
   * @param origin number of the block in the order of the input
   * @throws org.weft.error.WeftException {@code STORAGE_UNAVAILABLE} if the disk is full
   */
  void add(int bucket, long origin, CooBlock entries) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(ENTRY_BYTES * (1 + entries.size()));
      entries.writeTo(new DataOutputStream(bytes));
      ByteBuffer buffer = ByteBuffer.wrap(bytes.toByteArray());
      long at = place(bucket, origin, entries, buffer.remaining());
      while (buffer.hasRemaining()) {
        at += file.write(buffer, at);
      }
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  private synchronized long place(int bucket, long origin, CooBlock entries, int bytes) {
    long from = end;
    end += bytes;
    buckets.get(bucket).add(new Cut(origin, from, bytes, entries.size(), entries.hasLongValues()));
    return from;
  }

  /** The entries of a bucket when all have been added, read from the file one cut after another. */
  EntrySource blocks(int bucket) {
    List<Cut> cuts = buckets.get(bucket);
    cuts.sort(Comparator.comparingLong(Cut::origin));
    return new Bucket(cuts);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  private CooBlock read(Cut cut) {
    ByteBuffer buffer = ByteBuffer.allocate(cut.bytes());
    try {
      while (buffer.hasRemaining()) {
        if (file.read(buffer, cut.from() + buffer.position()) < 0) {
          throw new EOFException("the file ends within a block");
        }
      }
      return CooBlock.readFrom(new DataInputStream(new ByteArrayInputStream(buffer.array())));
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  private final class Bucket implements EntrySource {
    private final List<Cut> cuts;
    private final Queue<Cut> left;

    Bucket(List<Cut> cuts) {
      this.cuts = cuts;
      left = new ArrayDeque<>(cuts);
    }

    @Override
    public long entries() {
      return cuts.stream().mapToLong(Cut::entries).sum();
    }

    @Override
    public boolean hasLongValues() {
      return !cuts.isEmpty() && cuts.stream().allMatch(Cut::exact);
    }

    @Override
    public @Nullable Piece poll() {
      Cut cut = left.poll();
      return cut == null ? null : Piece.read(cut.entries(), () -> read(cut));
    }

    @Override
    public EntrySource again() {
      return new Bucket(cuts);
    }
  }
}
