package org.weft.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.scratch.ScratchFolder;

/**
 * A block of memory that a file of the {@link ScratchFolder} backs. It is used like other memory;
 * pages that are not in use are the disk's. The file has no name while it is mapped, so that the
 * disk gets its bytes back even from a process that is killed. Close it.
 */
public final class SpillFile implements AutoCloseable {
  private static final int ARGUMENTS = 4;
  private static final int ERROR = 1;
  private static final int PLACE = 2;
  private static final int BYTES = 3;

  /** What {@code spill.h} numbers. */
  private enum Step {
    MAP,
    UNMAP,
    FETCH,
    EVICT
  }

  private final long address;
  private final long bytes;

  private SpillFile(long address, long bytes) {
    this.address = address;
    this.bytes = bytes;
  }

  /**
   * A new block, aligned to a page, of zeros.
   *
   * @param bytes at least 1; so many are taken from the disk now
   * @throws org.weft.error.WeftException {@code STORAGE_UNAVAILABLE} if the disk does not have them
   */
  public static SpillFile of(long bytes) {
    NativeRuntime.require();
    Path file = ScratchFolder.newFile("spill-", ".bin");
    byte[] name = (file + "\0").getBytes(StandardCharsets.UTF_8);
    long path = MemorySource.system().allocate(name.length);
    try {
      NativeMemory.copyFromArray(name, 0, path, name.length);
      return new SpillFile(take(Step.MAP, path, bytes), bytes);
    } catch (IOException e) {
      delete(file, e);
      throw ScratchFolder.unavailable(e);
    } finally {
      MemorySource.system().free(path, name.length);
    }
  }

  private static void delete(Path file, IOException failure) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Address of the first byte. */
  public long address() {
    return address;
  }

  /** Bytes of the block. */
  public long bytes() {
    return bytes;
  }

  /** Has the system read the block into its cache, and does not wait for it. */
  public void fetch() {
    advise(Step.FETCH);
  }

  /** Takes the block's pages from the process; they come back when they are touched. */
  public void evict() {
    advise(Step.EVICT);
  }

  private void advise(Step step) {
    try {
      take(step, address, bytes);
    } catch (IOException e) {
      System.getLogger(SpillFile.class.getName()).log(System.Logger.Level.DEBUG, step.name(), e);
    }
  }

  /** Takes a step; the answer is its place. */
  private static long take(Step step, long place, long bytes) throws IOException {
    long arguments = MemorySource.system().allocate((long) ARGUMENTS * Long.BYTES);
    try {
      set(arguments, 0, step.ordinal());
      set(arguments, ERROR, 0);
      set(arguments, PLACE, place);
      set(arguments, BYTES, bytes);
      NativeRuntime.spill(arguments);
      long error = get(arguments, ERROR);
      if (error != 0) {
        throw new IOException(
            "error " + error + " of the system for a file of " + bytes + " bytes (28: disk full)");
      }
      return get(arguments, PLACE);
    } finally {
      MemorySource.system().free(arguments, (long) ARGUMENTS * Long.BYTES);
    }
  }

  private static void set(long arguments, int slot, long value) {
    NativeMemory.putLong(arguments + (long) slot * Long.BYTES, value);
  }

  private static long get(long arguments, int slot) {
    return NativeMemory.getLong(arguments + (long) slot * Long.BYTES);
  }

  @Override
  public void close() {
    advise(Step.UNMAP);
  }
}
