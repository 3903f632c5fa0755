package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Numbers that kernels must not believe, at the borders of what is read and looked at in one go:
 * elements, pieces, chunks and blocks; under wrong check sums and under right ones.
 */
class ForgedArraysTest {
  /** Two blocks of 32-bit numbers, the second not full and of odd length. */
  private static final int ROWS = 300_001;

  private static final int CHUNK = 1 << 18;

  @TempDir Path folder;

  private String uri = "";
  private int stored;

  /**
   * Row 2 r has column r mod 199. To be packed, the row is 2 r or 2 r + 1 and some have one column
   * more, so that bit-packed differences are the smallest that there is.
   */
  private Container write(boolean packed) throws Exception {
    uri = folder.resolve(packed ? "packed.weft" : "plain.weft").toString();
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(2L * ROWS, 200))
            .withContainer(
                ContainerOptions.defaults().withCompressed(packed).withPartEntries(1 << 20));
    CooBlock.Builder entries = new CooBlock.Builder(2, 2 * ROWS);
    Random random = new Random(1);
    for (int r = 0; r < ROWS; r++) {
      int choice = packed ? random.nextInt(4) : 0;
      for (int c = 0; c <= choice / 2; c++) {
        entries.set(0, 2L * r + choice % 2);
        entries.set(1, r % 199 + c);
        entries.finish(1 + r % 3);
      }
    }
    stored = entries.size();
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 2, options)) {
      output.write(entries.build());
      output.commit();
    }
    return Container.open(Entries.ACCESS, uri);
  }

  private static Manifest.ArrayEntry array(Container container, int level, boolean pos) {
    Manifest.LevelEntry entry = container.manifest().parts().get(0).levels().get(level);
    return Objects.requireNonNull(pos ? entry.pos() : entry.crd());
  }

  private @Nullable Throwable load(String uri, boolean wide, long rootOffset) {
    Container container = Container.open(Entries.ACCESS, uri);
    TensorFormat format =
        wide
            ? container.format()
            : container.format().narrowedFor(container.shape(), container.entries());
    try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
      return catchThrowable(
          () -> {
            try (TensorStorage part =
                container.load(scope, 0, format, container.shape(), rootOffset)) {
              assertThat(part.storedEntries()).isEqualTo(stored);
            }
          });
    }
  }

  /** What loading says while {@code bytes} stand at {@code at}, under a right check sum or not. */
  private String forged(
      Container container, Manifest.ArrayEntry array, int block, long at, byte[] bytes, boolean sum)
      throws Exception {
    Path root = folder.resolve(Path.of(uri).getFileName());
    Path data = root.resolve(container.manifest().files().get(array.file()).path());
    Path manifest = root.resolve("manifest-1.json");
    String json = Files.readString(manifest);
    byte[] old = new byte[bytes.length];
    try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
      file.seek(at);
      file.readFully(old);
      file.seek(at);
      file.write(bytes);
      if (sum) {
        Files.writeString(manifest, resummed(json, file, array, block));
      }
      WeftException e = null;
      for (boolean wide : new boolean[] {false, true}) {
        Throwable thrown = load(uri, wide, 0);
        assertThat(thrown).as(at + ", wide " + wide).isInstanceOf(WeftException.class);
        e = (WeftException) Objects.requireNonNull(thrown);
        assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.CORRUPT_INPUT);
      }
      file.seek(at);
      file.write(old);
      Files.writeString(manifest, json);
      return String.valueOf(Objects.requireNonNull(e).getMessage());
    }
  }

  private static String resummed(
      String json, RandomAccessFile file, Manifest.ArrayEntry array, int block) throws Exception {
    long from = array.offset();
    for (int b = 0; b < block; b++) {
      from += array.blocks().get(b).bytes();
    }
    long end = from + array.blocks().get(block).bytes();
    end += block == array.blocks().size() - 1 ? -end & 63 : 0;
    byte[] all = new byte[(int) (end - from)];
    file.seek(from);
    file.readFully(all);
    String was = "\"" + array.blocks().get(block).crc32c() + "\"";
    String changed = json.substring(0, json.lastIndexOf("crc32c "));
    assertThat(changed.indexOf(was)).isPositive().isEqualTo(changed.lastIndexOf(was));
    changed = changed.replace(was, "\"" + crc(all) + "\"");
    return changed + "crc32c " + crc(changed.getBytes(StandardCharsets.UTF_8)) + "\n";
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return ManifestFile.hex(crc.getValue());
  }

  private static byte[] number(long value, int width) {
    byte[] bytes = new byte[Long.BYTES];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    return java.util.Arrays.copyOf(bytes, width);
  }

  /** Elements at the borders of pieces of 24 KB, chunks, blocks, and of the array. */
  private static int[] borders(int length, int width) {
    int each = Manifest.BLOCK_BYTES / width;
    return java.util.stream.IntStream.of(
            0, 24576 / width, CHUNK / width, each, length - 1, 3 * CHUNK / width + 17)
        .flatMap(i -> java.util.stream.IntStream.of(i - 1, i, i + 1))
        .filter(i -> i >= 0 && i < length)
        .distinct()
        .toArray();
  }

  @Test
  void aCoordinateOutsideItsModeIsFoundWhereverItIs() throws Exception {
    Container plain = write(false);
    assertThat(load(uri, false, 0)).isNull();
    assertThat(load(uri, true, 0)).isNull();
    for (int level = 0; level < 2; level++) {
      Manifest.ArrayEntry crd = array(plain, level, false);
      int width = crd.elementType().bytes();
      assertThat(width).isEqualTo(level == 0 ? 4 : 1);
      long size = plain.shape().size(level);
      for (int at : borders(ROWS, width)) {
        int block = (int) ((long) at * width / Manifest.BLOCK_BYTES);
        long offset = crd.offset() + (long) at * width;
        for (long value : new long[] {size, (1L << 8 * width) - 1}) {
          byte[] bytes = number(value, width);
          assertThat(forged(plain, crd, block, offset, bytes, true))
              .contains("part 0, level " + (level + 1) + ": expected coordinates below " + size)
              .contains(", found " + value + " at position " + at + " although");
          assertThat(forged(plain, crd, block, offset, bytes, false))
              .contains("expected CRC32C " + crd.blocks().get(block).crc32c())
              .contains("block " + block + " of part 0, level " + (level + 1) + ", crd at byte ")
              .contains(".bin");
        }
      }
    }
    assertThat(load(uri, false, 0)).isNull();
  }

  @Test
  void aBoundThatDescendsIsFoundWhereverItIs() throws Exception {
    Container plain = write(false);
    Manifest.ArrayEntry pos = array(plain, 1, true);
    assertThat(pos.elementType().bytes()).isEqualTo(4);
    for (int at : borders(ROWS + 1, 4)) {
      int block = (int) (at * 4L / Manifest.BLOCK_BYTES);
      long offset = pos.offset() + at * 4L;
      // One that ascends from the one before, and from which the next descends; or the other way.
      String larger = forged(plain, pos, block, offset, number(ROWS + 7L, 4), true);
      if (at == ROWS) {
        assertThat(larger).contains("expected bounds from 0 to 300001, found 0 to 300008");
      } else {
        assertThat(larger)
            .contains("part 0, level 2: expected ascending bounds, found " + (at + 1))
            .contains(" after 300008 at position " + (at + 1) + " although");
      }
      if (at >= 2) {
        assertThat(forged(plain, pos, block, offset, number(at - 2, 4), true))
            .contains("found " + (at - 2) + " after " + (at - 1) + " at position " + at + " ");
      }
      assertThat(forged(plain, pos, block, offset, number(ROWS + 7L, 4), false))
          .contains("block " + block + " of part 0, level 2, pos at byte ");
    }
  }

  @Test
  void rootsOfAnotherPartAreRefused() throws Exception {
    write(false);
    Throwable below = load(uri, false, 2);
    assertThat(below)
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("expected coordinates 2 to " + (2L * ROWS + 1))
        .hasMessageContaining("found 0 at position 0");
  }

  /** Of a manifest with a size that is too small, for which fewer bits would do. */
  @Test
  void coordinatesThatNeedMoreBitsThanTheModeAreOutsideIt() throws Exception {
    for (boolean packed : new boolean[] {false, true}) {
      Container container = write(packed);
      TensorShape small = TensorShape.of(200, 200);
      TensorFormat format = container.format().narrowedFor(small, container.entries());
      try (MemoryScope scope = MemoryScope.root("test", MemorySource.system())) {
        assertThatThrownBy(() -> container.load(scope, 0, format, small, 0))
            .isInstanceOfSatisfying(
                WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_INPUT))
            .hasMessageContaining(uri)
            .hasMessageContaining("part 0, level 1: expected coordinates below 200, found 20");
      }
    }
  }

  @Test
  void packedNumbersAreLookedAtAsWell() throws Exception {
    Container packed = write(true);
    for (boolean pos : new boolean[] {false, true}) {
      Manifest.ArrayEntry array = array(packed, pos ? 1 : 0, pos);
      int each = Manifest.BLOCK_BYTES / 4;
      long at = array.offset();
      for (int block = 0; block < 2; block++) {
        Manifest.Block entry = array.blocks().get(block);
        assertThat(entry.encoding()).isEqualTo("difference");
        // The base of the first group, behind its width and kind.
        String message = forged(packed, array, block, at + 2, number(700_000, 4), true);
        if (pos) {
          assertThat(message).contains("expected ascending bounds, found ");
        } else {
          assertThat(message).contains("expected coordinates below 600002, found 700");
        }
        assertThat(message).contains(" at position " + (block * each + (pos ? 256 : 0)) + " ");
        assertThat(forged(packed, array, block, at + 2, number(700_000, 4), false))
            .contains("for block " + block + " of ");
        at += entry.bytes();
      }
    }
    assertThat(load(uri, true, 0)).isNull();
  }

  /** Of the checks that decoding makes, each on a block under a right check sum. */
  @Test
  void blocksThatAreNotInTheirEncodingAreRefused() throws Exception {
    Container packed = write(true);
    Manifest.ArrayEntry crd = array(packed, 0, false);
    Manifest.ArrayEntry values = packed.manifest().parts().get(0).values();
    assertThat(crd.blocks().get(0).encoding()).isEqualTo("difference");
    assertThat(values.blocks().get(0).encoding()).isEqualTo("dictionary");
    int width = 4 + 3 * Double.BYTES;
    Object[][] lies = {
      {crd, 0, 57, 1},
      {crd, 0, 64, 1},
      {crd, 0, 255, 1},
      {crd, 0, 56, 1},
      {crd, 0, 0, 1},
      {crd, 1, 2, 1},
      {crd, 1, 255, 1},
      {values, 0, 0, 4},
      {values, 0, 4097, 4},
      {values, 0, -1, 4},
      {values, 0, 2, 4},
      {values, width, 13, 1},
      {values, width, 255, 1},
      {values, width, 0, 1},
      {values, width, 3, 1},
    };
    for (Object[] lie : lies) {
      Manifest.ArrayEntry array = (Manifest.ArrayEntry) lie[0];
      byte[] bytes = number((int) lie[2], (int) lie[3]);
      String encoding = array.blocks().get(0).encoding();
      assertThat(forged(packed, array, 0, array.offset() + (int) lie[1], bytes, true))
          .contains(".bin: expected block 0 of part 0, ")
          .contains(" elements in encoding " + encoding + ", found other bytes; ");
    }
    assertThat(load(uri, true, 0)).isNull();
  }
}
