package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.NativeMemory;
import org.weft.scratch.ScratchFolder;

class SpillFileTest {
  private static final long BYTES = (3L << 20) + 8;

  @Test
  void bytesComeBackAfterTheyHaveLeftTheProcess() throws IOException {
    try (SpillFile file = SpillFile.of(BYTES)) {
      assertThat(file.bytes()).isEqualTo(BYTES);
      assertThat(NativeMemory.getLong(file.address() + BYTES - Long.BYTES)).isZero();
      for (long at = 0; at < BYTES; at += Long.BYTES) {
        NativeMemory.putLong(file.address() + at, at * 31);
      }
      assertThat(residentKibibytes(file)).isGreaterThanOrEqualTo(BYTES >> 10);
      file.evict();
      assertThat(residentKibibytes(file)).isZero();
      file.fetch();
      for (long at = 0; at < BYTES; at += Long.BYTES) {
        assertThat(NativeMemory.getLong(file.address() + at)).isEqualTo(at * 31);
      }
    }
  }

  /** Resident KiB of a mapping, as the system counts them. */
  private static long residentKibibytes(SpillFile file) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
    String start = Long.toHexString(file.address()) + "-";
    for (int line = 0; line < lines.size(); line++) {
      if (lines.get(line).startsWith(start)) {
        while (!lines.get(line).startsWith("Rss:")) {
          line++;
        }
        return Long.parseLong(lines.get(line).replaceAll("[^0-9]", ""));
      }
    }
    throw new AssertionError("no mapping at " + start);
  }

  @Test
  void aMappedFileHasNoName() throws IOException {
    Path folder = ScratchFolder.newFile("beside-", ".tmp").getParent();
    try (SpillFile file = SpillFile.of(BYTES)) {
      assertThat(file.address()).isNotZero();
      assertThat(spilled(folder)).isEmpty();
    }
  }

  private static List<Path> spilled(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.getFileName().toString().startsWith("spill-")).toList();
    }
  }

  @Test
  void aFullDiskIsAnErrorAndNotACrash() throws IOException {
    Path folder = ScratchFolder.newFile("beside-", ".tmp").getParent();
    assertThatThrownBy(() -> SpillFile.of(1L << 52))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("temporary files")
        .extracting(e -> ((WeftException) e).code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(spilled(folder)).isEmpty();
  }
}
