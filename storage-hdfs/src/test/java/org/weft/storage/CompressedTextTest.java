package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Text that is compressed as a whole: every codec, many blocks, splits anywhere, damage. */
class CompressedTextTest {
  private static final long[][] SHAPES = {{5, 7, 3}, {300}, {1, 1L << 40}};

  @TempDir Path folder;

  @Nested
  class TnsBzip2 extends TensorFileFormatContract {
    TnsBzip2() {
      super(".tns.bz2", SHAPES);
    }
  }

  @Nested
  class MtxBzip2 extends TensorFileFormatContract {
    MtxBzip2() {
      super(".mtx.bz2", new long[] {5, 7}, new long[] {1, 1L << 40});
    }
  }

  @Nested
  class TnsZstd extends TensorFileFormatContract {
    TnsZstd() {
      super(".tns.zst", SHAPES);
    }
  }

  private static final class Text {
    private final StringBuilder text = new StringBuilder();
    private final List<String> entries = new ArrayList<>();

    /** Lines of uneven length, with now and then a comment longer than a bzip2 block. */
    Text(int lines, boolean comments) {
      Random random = new Random(7);
      for (int i = 0; i < lines; i++) {
        long a = random.nextInt(1 << random.nextInt(1, 30));
        long b = random.nextInt(1000);
        text.append(a + 1).append(' ').append(b + 1).append(' ').append(i).append(".5\n");
        entries.add(a + " " + b + " " + i + ".5");
        if (comments && i % 20_000 == 10_000) {
          text.append('#');
          for (int k = 0; k < 150_000; k++) {
            text.append((char) ('a' + random.nextInt(26)));
          }
          text.append('\n');
        }
      }
    }

    byte[] bytes() {
      return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
  }

  private String file(String name, byte[] bytes) throws Exception {
    Path path = folder.resolve(name);
    Files.write(path, bytes);
    return path.toString();
  }

  private static byte[] bzip2(byte[] bytes, int streams) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int s = 0; s < streams; s++) {
      int from = (int) ((long) bytes.length * s / streams);
      int to = (int) ((long) bytes.length * (s + 1) / streams);
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      try (OutputStream out = new BZip2CompressorOutputStream(stream, 1)) {
        out.write(bytes, from, to - from);
      }
      all.writeBytes(stream.toByteArray());
    }
    return all.toByteArray();
  }

  private static byte[] gzip(byte[] bytes) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(all)) {
      out.write(bytes);
    }
    return all.toByteArray();
  }

  private static byte[] zstd(byte[] bytes) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out = new com.github.luben.zstd.ZstdOutputStream(all).setChecksum(true)) {
      out.write(bytes);
    }
    return all.toByteArray();
  }

  private static InputPlan open(String uri, long split) {
    return TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults(), split);
  }

  @Test
  void bzip2BlocksAreReadOnceInAnySplitting() throws Exception {
    Text text = new Text(30_000, true);
    for (int streams : new int[] {1, 3}) {
      byte[] packed = bzip2(text.bytes(), streams);
      String uri = file("t" + streams + ".tns.bz2", packed);
      for (long split : new long[] {packed.length, 20_011, packed.length / 2 + 1}) {
        InputPlan plan = open(uri, split);
        if (split < 100_000) {
          assertThat(plan.splits()).hasSizeGreaterThan(packed.length / 30_000);
        }
        assertThat(Entries.read(plan))
            .as("%d streams, splits of %d of %d bytes", streams, split, packed.length)
            .isEqualTo(text.entries);
      }
    }
  }

  @Test
  void anErrorInALaterBlockNamesItsLine() throws Exception {
    Text text = new Text(60_000, false);
    byte[] bytes = text.bytes();
    int line = 50_000;
    int at = 0;
    for (int seen = 1; seen < line; at++) {
      seen += bytes[at] == '\n' ? 1 : 0;
    }
    bytes[at] = 'x';
    for (int streams : new int[] {1, 3}) {
      String uri = file("e" + streams + ".tns.bz2", bzip2(bytes, streams));
      assertThatThrownBy(() -> Entries.read(open(uri, 30_000)))
          .isInstanceOf(WeftException.class)
          .hasMessageStartingWith(uri + ":" + line + ": ");
    }
  }

  /** Headers that are all of their files: the entries begin where the text ends, not behind it. */
  @ParameterizedTest
  @CsvSource({
    ".tns, '# extended FROSTT;1 0;4'",
    ".tns, '# extended FROSTT;2 0;4 5'",
    ".tns, '1;4'",
    ".mtx, '%%MatrixMarket matrix coordinate real general;4 5 0'",
    ".mtx, '%%MatrixMarket matrix array real general;0 5'"
  })
  void headersMayEndWithoutALineEnd(String extension, String lines) throws Exception {
    for (String end : new String[] {"", "\n", "\r\n"}) {
      byte[] text = (lines.replace(";", "\n") + end).getBytes(StandardCharsets.US_ASCII);
      Map<String, byte[]> files =
          Map.of("", text, ".gz", gzip(text), ".bz2", bzip2(text, 1), ".zst", zstd(text));
      for (Map.Entry<String, byte[]> packed : files.entrySet()) {
        InputPlan plan = open(file("h" + extension + packed.getKey(), packed.getValue()), 7);
        assertThat(Entries.read(plan)).as("%s of %s", packed.getKey(), lines).isEmpty();
      }
    }
  }

  /** A changed bit makes wrong lines long before the check sum behind them is read. */
  @Test
  void damageIsTheErrorAndNotTheLineThatItMade() throws Exception {
    byte[] text = new Text(20_000, false).bytes();
    damageIsTheError("bad.tns.bz2", bzip2(text, 2), 4);
    damageIsTheError("bad.tns.gz", gzip(text), 10);
    damageIsTheError("bad.tns.zst", zstd(text), 10);
  }

  private void damageIsTheError(String name, byte[] good, int header) throws Exception {
    Random random = new Random(3);
    for (int round = 0; round < 15; round++) {
      byte[] bad = good.clone();
      bad[header + random.nextInt(bad.length - header)] ^= (byte) (1 << random.nextInt(8));
      String uri = file(name, bad);
      for (int splits : new int[] {1, 3}) {
        assertThatThrownBy(() -> Entries.read(open(uri, good.length / splits)))
            .as("%s, round %d, %d splits", name, round, splits)
            .isInstanceOfSatisfying(
                WeftException.class,
                e -> assertThat(e.code()).isIn(ErrorCode.CORRUPT_INPUT, ErrorCode.TRUNCATED_INPUT))
            .hasMessageStartingWith(uri + ": expected ");
      }
    }
  }

  @Test
  void writersMakeFilesThatOtherReadersTake() throws Exception {
    Text text = new Text(Boolean.getBoolean("weft.long") ? 150_000 : 70_000, false);
    String plain = file("w.tns", text.bytes());
    for (String extension : new String[] {".gz", ".bz2", ".zst"}) {
      String uri = folder.resolve("w.tns" + extension).toString();
      InputPlan plan = open(plain, Long.MAX_VALUE);
      try (TensorOutput output =
              TensorFiles.create(Entries.ACCESS, uri, false, 2, WriteOptions.defaults());
          BlockReader reader = TensorFiles.read(Entries.ACCESS, plan, plan.splits().get(0))) {
        while (reader.hasNext()) {
          output.write(reader.next());
        }
        output.commit();
      }
      byte[] packed = Files.readAllBytes(Path.of(uri));
      java.io.ByteArrayInputStream in = new java.io.ByteArrayInputStream(packed);
      byte[] back =
          switch (extension) {
            case ".gz" -> new GZIPInputStream(in).readAllBytes();
            case ".bz2" -> new BZip2CompressorInputStream(in, true).readAllBytes();
            default -> new com.github.luben.zstd.ZstdInputStream(in).readAllBytes();
          };
      assertThat(back).as(extension).isEqualTo(text.bytes());
      assertThat(Entries.read(open(uri, 50_000))).isEqualTo(text.entries);
    }
  }

  @Test
  void theFirstBytesTellTheCodecWhateverTheName() throws Exception {
    Text text = new Text(10, false);
    String uri = file("hidden.tns", bzip2(text.bytes(), 1));
    assertThat(Entries.read(open(uri, 7))).isEqualTo(text.entries);
    String crossed = file("crossed.tns.gz", bzip2(text.bytes(), 1));
    assertThat(Entries.read(open(crossed, 7))).isEqualTo(text.entries);
    String none = file("none.tns.zst", text.bytes());
    assertThatThrownBy(() -> open(none, 7))
        .isInstanceOfSatisfying(
            WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_INPUT))
        .hasMessageContaining("expected zstd data");
  }
}
