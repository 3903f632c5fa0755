package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/** Files that are, or say that they are, larger than memory: refused or read in bounded memory. */
class HugeInputTest {
  private static final long GIGABYTE = 1L << 30;

  /** What a reader passes over byte by byte. */
  private static final long PASSED_OVER = Boolean.getBoolean("weft.long") ? GIGABYTE : 1L << 28;

  private static final long MEGABYTES = 64L << 20;

  @TempDir Path folder;

  private interface Reading {
    void run() throws Exception;
  }

  private static void inBoundedMemory(Reading reading) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    reading.run();
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MEGABYTES);
  }

  private static List<String> read(FileAccess access, String uri) throws Exception {
    List<String> entries = new ArrayList<>();
    InputPlan plan = TensorFiles.open(access, uri, ReadOptions.defaults(), 2 * GIGABYTE);
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(access, plan, split)) {
        while (reader.hasNext()) {
          Entries.describe(reader.next(), entries);
        }
      }
    }
    return entries;
  }

  @Test
  void aLineOfAGigabyteIsAnErrorWhereItStarts() throws Exception {
    FileAccess access = MadeUpFileSystem.access("1 1 1\n2 2 ", '7', GIGABYTE, "\n");
    inBoundedMemory(
        () ->
            assertThatThrownBy(() -> read(access, "madeup:/x.tns"))
                .isInstanceOf(WeftException.class)
                .hasMessageContaining("madeup:/x.tns:2: expected a line of at most"));
    FileAccess first = MadeUpFileSystem.access("", ' ', GIGABYTE, "1 1\n");
    inBoundedMemory(
        () ->
            assertThatThrownBy(() -> read(first, "madeup:/x.tns"))
                .isInstanceOf(WeftException.class)
                .hasMessageContaining("madeup:/x.tns:1: expected a line of at most"));
  }

  @Test
  void aLongCommentIsPassedOver() throws Exception {
    FileAccess access =
        MadeUpFileSystem.access("1 1 1\n2 2 2\n3 3 3\n#", 'c', PASSED_OVER, "\n4 4 4");
    inBoundedMemory(
        () ->
            assertThat(read(access, "madeup:/x.tns"))
                .containsExactly("0 0 1.0", "1 1 2.0", "2 2 3.0", "3 3 4.0"));
  }

  @Test
  void declaredSizesReserveNothing() throws Exception {
    String large = String.valueOf(1L << 40);
    String[][] files = {
      {"a.tns", "3 " + large + "\n" + large + " 5 6\n1 1 1 1\n"},
      {
        "a.mtx",
        "%%MatrixMarket matrix coordinate real general\n"
            + (large + " " + large + " " + large)
            + "\n1 1 1\n"
      },
      {"b.mtx", "%%MatrixMarket matrix array real general\n" + large + " 1000\n1\n"},
      {
        "a.rb",
        "t\n 3 1 1 1\nrua "
            + large
            + " 2 "
            + large
            + " 0\n(3I5) (2I5) (2F8.3)\n    1    3    3\n"
            + "    1    2\n   1.000   2.000\n"
      },
    };
    for (String[] file : files) {
      Path path = folder.resolve(file[0]);
      Files.writeString(path, file[1]);
      inBoundedMemory(
          () ->
              assertThatThrownBy(() -> read(FileAccess.local(), path.toString()))
                  .isInstanceOfSatisfying(
                      WeftException.class,
                      e -> assertThat(e.code()).isEqualTo(ErrorCode.ENTRY_COUNT_MISMATCH)));
    }
  }

  @Test
  void fiveHundredModesOf63BitsAreReadAndWritten() throws Exception {
    int order = 511;
    CooBlock.Builder block = new CooBlock.Builder(order, 4);
    for (int e = 0; e < 3; e++) {
      for (int mode = 0; mode < order; mode++) {
        block.set(mode, mode % 7 == 0 ? Long.MAX_VALUE - 1 - mode : (long) mode * e);
      }
      block.finish(e + 0.5);
    }
    CooBlock written = block.build();
    String uri = folder.resolve("wide.tns.zst").toString();
    try (TensorOutput writer =
        TensorFiles.create(Entries.ACCESS, uri, false, order, WriteOptions.defaults())) {
      writer.write(written);
      writer.commit();
    }
    List<String> expected = new ArrayList<>();
    Entries.describe(written, expected);
    assertThat(read(FileAccess.local(), uri)).isEqualTo(expected);
  }
}
