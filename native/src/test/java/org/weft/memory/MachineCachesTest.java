package org.weft.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MachineCachesTest {
  @TempDir private Path core;

  private void cache(int index, String level, String type, String size) throws IOException {
    Path cache = Files.createDirectory(core.resolve("index" + index));
    Files.writeString(cache.resolve("level"), level + "\n");
    Files.writeString(cache.resolve("type"), type + "\n");
    Files.writeString(cache.resolve("size"), size + "\n");
  }

  @ParameterizedTest
  @CsvSource({"512K, 524288", "2M, 2097152"})
  void sizesAsTheKernelWritesThem(String size, long bytes) throws IOException {
    cache(0, "1", "Data", "32K");
    cache(1, "1", "Instruction", "64K");
    cache(2, "2", "Unified", size);
    cache(3, "3", "Unified", "32768K");
    assertThat(MachineCaches.bytes(core, 2)).hasValue(bytes);
    assertThat(MachineCaches.bytes(core, 1)).hasValue(32 << 10);
    assertThat(MachineCaches.bytes(core, 4)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "K", "-4K", "large", "512"})
  void sizesThatNobodyUnderstands(String size) throws IOException {
    cache(0, "2", "Unified", size);
    assertThat(MachineCaches.bytes(core, 2)).isEmpty();
  }

  @Test
  void machinesThatDoNotTell() {
    assertThat(MachineCaches.bytes(core.resolve("none"), 2)).isEmpty();
  }
}
