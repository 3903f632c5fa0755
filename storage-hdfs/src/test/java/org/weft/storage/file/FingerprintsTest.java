package org.weft.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FingerprintsTest {
  private static final int BLOCK = 1 << 16;

  @TempDir private Path dir;
  private final Fingerprints fingerprints = new Fingerprints(FileAccess.local());

  @Test
  void aFileIsSummedInBlocks() throws IOException {
    assertThat(contents(file("two", "xx".getBytes())))
        .isEqualTo(
            new Contents(
                2,
                "crc32c-sha256:cf8dc10e7f7449e2c697fc466df7015b0d118b0c987ed59e3ca283bcf7a9ebd5"));
    assertThat(contents(file("none", new byte[0])).bytes()).isZero();
  }

  @Test
  void aChangedByteOfAnyBlockAndMovedBlocksChangeTheSum() throws IOException {
    byte[] bytes = new byte[2 * BLOCK + 1];
    Arrays.fill(bytes, 0, BLOCK, (byte) 1);
    Contents whole = contents(file("whole", bytes));
    for (int at : new int[] {0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK}) {
      byte[] changed = bytes.clone();
      changed[at] ^= 64;
      assertThat(contents(file("changed" + at, changed)))
          .isNotEqualTo(whole)
          .extracting(Contents::bytes)
          .isEqualTo(whole.bytes());
    }
    byte[] moved = new byte[bytes.length];
    Arrays.fill(moved, BLOCK, 2 * BLOCK, (byte) 1);
    assertThat(contents(file("moved", moved)).sum()).isNotEqualTo(whole.sum());
  }

  @Test
  void aFolderHasTheNamesAndContentsOfItsVisibleFiles() throws IOException {
    Path folder = Files.createDirectory(dir.resolve("folder"));
    Files.writeString(folder.resolve("a"), "1");
    Contents before = contents(folder);
    Files.writeString(folder.resolve(".a.crc"), "?");
    Files.writeString(folder.resolve("_SUCCESS"), "");
    assertThat(contents(folder)).isEqualTo(before);
    Files.move(folder.resolve("a"), folder.resolve("b"));
    assertThat(contents(folder).sum()).isNotEqualTo(before.sum());
    assertThat(fingerprints.of(dir.resolve("missing").toString())).isEmpty();
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(dir.resolve(name), bytes);
  }

  private Contents contents(Path path) {
    return fingerprints.of(path.toString()).orElseThrow();
  }
}
