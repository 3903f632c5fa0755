package org.weft.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeMemory;
import org.weft.scratch.ScratchFolder;

/**
 * The C++ runtime {@code libweft.so}, loaded once from the class path: its native methods, and the
 * runtime table that kernels are given. Worker threads start when a kernel first wants them, and
 * are shared by all kernels.
 */
public final class NativeRuntime {
  private static final String RESOURCE = "linux-x86_64/libweft.so";

  /** Size of {@code struct weft_runtime}, with which {@code struct weft_process} begins. */
  static final int TABLE_BYTES = 192;

  /** Offset of its field {@code threads}. */
  static final int THREADS_OFFSET = 32;

  /** Offset of its field {@code reproducible}. */
  static final int REPRODUCIBLE_OFFSET = 120;

  /** Offset of its field {@code task_work}. */
  static final int TASK_WORK_OFFSET = 136;

  private static final int RELEASE_BLOCK_OFFSET = TABLE_BYTES;
  private static final int STATISTICS_OFFSET = TABLE_BYTES + Long.BYTES;
  private static final int SET_THREADS_OFFSET = TABLE_BYTES + 2 * Long.BYTES;
  private static final int SORT_ENTRIES_OFFSET = TABLE_BYTES + 3 * Long.BYTES;
  private static final int PARSE_LINES_OFFSET = TABLE_BYTES + 4 * Long.BYTES;
  private static final int CHECK_BLOCK_OFFSET = TABLE_BYTES + 5 * Long.BYTES;
  private static final int PACK_OFFSET = TABLE_BYTES + 6 * Long.BYTES;
  private static final int SPILL_OFFSET = TABLE_BYTES + 7 * Long.BYTES;
  private static final int DECODE_BLOCK_OFFSET = TABLE_BYTES + 8 * Long.BYTES;

  /** Why loading failed; every later use reports it, with this as the cause. */
  @SuppressWarnings("StaticAssignmentOfThrowable")
  private static final @Nullable WeftException FAILURE = load();

  /**
   * What kernels of this process hold.
   *
   * @param liveBlocks blocks allocated by kernels and not released
   * @param liveBytes their bytes, as asked for
   * @param workers worker threads started, for the life of the process
   * @param taskFrames frames of tasks taken from the system; later tasks reuse them
   */
  public record Statistics(long liveBlocks, long liveBytes, long workers, long taskFrames) {}

  private NativeRuntime() {}

  // Specified in weft_jni.cpp.

  private static native long dlopen(long path);

  private static native long dlsym(long handle, long symbol);

  private static native long dlerror();

  private static native int memfd(long name);

  private static native void call(long function, long arguments);

  private static native long process();

  private static native void adviseHugePages(long address, long bytes);

  private static native void adviseUnused(long address, long bytes);

  static native long largest(int[] column, int from, int to);

  static native long least(int[] column, int from, int to);

  static native int ascends(int[] column, int from, int to);

  static native int ranges(
      int[] column, int size, long[] starts, int ranges, long end, int[] found);

  static native boolean count(int[] column, int from, int to, int shift, int[] counts);

  static native boolean scaleRows(double[] rows, int count, double[] scale, int columns);

  static native void addElements(long to, long from, long count, boolean floats);

  static native boolean gatherRows(
      int[] firsts, int[] counts, int runs, int rowBytes, long rows, long packed);

  static native long scatterRows(
      int[] firsts,
      int[] counts,
      int runs,
      int rowBytes,
      long rows,
      long packed,
      long bytes,
      long begun);

  static native void splitPlanes(long elements, int width, long count, long planes);

  static native boolean setBits(long address, long count, int type, long width, long[] bits);

  static native boolean lookUp(int[] column, int size, int[] table, int[] into);

  static native long sum(int[] counts, int from, int to);

  static native int atLeast(int[] counts, int from, int to, int least);

  static native boolean select(int[] counts, int size, int least, long[] found);

  static native boolean heights(int[] counts, int size, int most, int[] heights);

  static native boolean runningSums(int[] counts, int size, long[] sums);

  static native boolean addCounts(
      long[] numbers, int size, long first, int width, int shift, int[] counts);

  static native long sumWithin(long[] numbers, int size, long most);

  static native boolean summarize(double[] values, int size, double[] sums);

  private static @Nullable WeftException load() {
    try (InputStream library = NativeRuntime.class.getResourceAsStream(RESOURCE)) {
      if (library == null) {
        return new WeftException(
            ErrorCode.UNSUPPORTED_PLATFORM,
            "the class path has no org/weft/runtime/" + RESOURCE + "; build the native module");
      }
      Path file = Files.createTempFile("libweft-", ".so");
      try {
        Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toString());
        limitThreads(defaultThreads());
      } finally {
        Files.delete(file);
      }
      return null;
    } catch (IOException e) {
      return ScratchFolder.unavailable(e);
    } catch (UnsatisfiedLinkError e) {
      return new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "cannot load libweft.so on "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch")
              + ", expected Linux on amd64 with glibc 2.34 or newer and a java.io.tmpdir that is"
              + " writable and not mounted noexec: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Throws if the runtime could not be loaded.
   *
   * @throws WeftException {@code UNSUPPORTED_PLATFORM}
   */
  static void require() {
    if (FAILURE != null) {
      throw new WeftException(FAILURE.code(), String.valueOf(FAILURE.getMessage()), FAILURE);
    }
  }

  /** Opens the library at {@code path}; throws {@code KERNEL_FAILURE} with the loader's reason. */
  static long open(String path) {
    return withString(path, name -> orThrow(dlopen(name), "cannot open " + path));
  }

  /** Address of a symbol; throws {@code KERNEL_FAILURE} if the library does not have it. */
  static long symbol(long library, String symbol) {
    return withString(symbol, name -> orThrow(dlsym(library, name), "no symbol '" + symbol + "'"));
  }

  private static long orThrow(long result, String failure) {
    if (result == 0) {
      long reason = dlerror();
      throw new WeftException(
          ErrorCode.KERNEL_FAILURE,
          "kernel library: " + failure + (reason == 0 ? "" : ": " + readString(reason)));
    }
    return result;
  }

  /** A descriptor of a new file in memory, or a negative number if the system refuses. */
  static int memoryFile(String name) {
    return (int) withString(name, NativeRuntime::memfd);
  }

  /** Asks for huge pages for a block; nothing where the runtime cannot be loaded. */
  public static void advise(long address, long bytes) {
    if (FAILURE == null) {
      adviseHugePages(address, bytes);
    }
  }

  /** Lets the system take a block's pages; nothing where the runtime cannot be loaded. */
  static void giveBack(long address, long bytes) {
    if (FAILURE == null) {
      adviseUnused(address, bytes);
    }
  }

  /** Runs {@code void function(int64_t *arguments)}. */
  static void invoke(long function, long arguments) {
    call(function, arguments);
  }

  /** Address of the runtime table, whose {@code threads} is 1. */
  static long runtimeTable() {
    return process();
  }

  /** Frees a block that a kernel allocated. */
  static void release(long block) {
    callEntry(RELEASE_BLOCK_OFFSET, block);
  }

  /** Sorts the entries that the argument block describes; see {@code entries.h}. */
  static void sortEntries(long arguments) {
    callEntry(SORT_ENTRIES_OFFSET, arguments);
  }

  /** Reads lines of text as the argument block says; see {@code text.h}. */
  static void parseLines(long arguments) {
    callEntry(PARSE_LINES_OFFSET, arguments);
  }

  /** Looks at a block as the argument block says; see {@code blocks.h}. */
  static void checkBlock(long arguments) {
    callEntry(CHECK_BLOCK_OFFSET, arguments);
  }

  /** Takes the step of packing that the argument block describes; see {@code packing.h}. */
  static void pack(long arguments) {
    callEntry(PACK_OFFSET, arguments);
  }

  /** Takes the step that the argument block describes; see {@code spill.h}. */
  static void spill(long arguments) {
    callEntry(SPILL_OFFSET, arguments);
  }

  /** Makes elements of an encoded block, as the argument block says; see {@code decode.h}. */
  static void decodeBlock(long arguments) {
    callEntry(DECODE_BLOCK_OFFSET, arguments);
  }

  private static void callEntry(int offset, long argument) {
    call(NativeMemory.getLong(process() + offset), argument);
  }

  /**
   * Sets the most threads that the kernels of this process use together, callers and workers: the
   * number of cores that the process was given. A call that asks for more gets no more, with the
   * same results. The default is the system property {@code weft.threads}, else the number of
   * processors. Calling threads always run, so that more callers than this run without workers.
   *
   * @throws IllegalArgumentException if {@code threads} is less than 1
   */
  public static void setThreads(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("expected at least 1 thread, found " + threads);
    }
    require();
    limitThreads(threads);
  }

  private static int defaultThreads() {
    return Math.max(
        1, Integer.getInteger("weft.threads", Runtime.getRuntime().availableProcessors()));
  }

  private static void limitThreads(long threads) {
    MemorySource memory = MemorySource.system();
    long in = memory.allocate(Long.BYTES);
    try {
      NativeMemory.putLong(in, threads);
      callEntry(SET_THREADS_OFFSET, in);
    } finally {
      memory.free(in, Long.BYTES);
    }
  }

  /** What kernels of this process hold now. */
  public static Statistics statistics() {
    require();
    MemorySource memory = MemorySource.system();
    long bytes = 4L * Long.BYTES;
    long out = memory.allocate(bytes);
    try {
      callEntry(STATISTICS_OFFSET, out);
      return new Statistics(
          NativeMemory.getLong(out),
          NativeMemory.getLong(out + Long.BYTES),
          NativeMemory.getLong(out + 2L * Long.BYTES),
          NativeMemory.getLong(out + 3L * Long.BYTES));
    } finally {
      memory.free(out, bytes);
    }
  }

  private static long withString(String text, LongUnaryOperator use) {
    byte[] bytes = (text + "\0").getBytes(StandardCharsets.UTF_8);
    MemorySource memory = MemorySource.system();
    long address = memory.allocate(bytes.length);
    try {
      NativeMemory.copyFromArray(bytes, 0, address, bytes.length);
      return use.applyAsLong(address);
    } finally {
      memory.free(address, bytes.length);
    }
  }

  private static String readString(long address) {
    int length = 0;
    while (NativeMemory.getByte(address + length) != 0) {
      length++;
    }
    byte[] bytes = new byte[length];
    NativeMemory.copyToArray(address, bytes, 0, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
