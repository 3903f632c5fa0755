package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Every way to be wrong: the code, the line, and what the message says. */
class MalformedInputTest {
  private static final String MTX = "%%MatrixMarket matrix coordinate real ";

  @TempDir Path folder;

  private WeftException error(String name, byte[] bytes, ReadOptions options, long split)
      throws IOException {
    Path file = folder.resolve(name);
    Files.write(file, bytes);
    Throwable thrown =
        catchThrowable(
            () -> Entries.read(TensorFiles.open(Entries.ACCESS, file.toString(), options, split)));
    assertThat(thrown).isInstanceOf(WeftException.class);
    assertThat(thrown.getMessage()).startsWith(file.toString());
    return (WeftException) thrown;
  }

  /** Files of programs that end lines with a carriage return alone are not read as one line. */
  @ParameterizedTest
  @CsvSource({
    "t.tns, '2 3 1R3 1 2R1 1 4R', 1",
    "t.tns, '2 3 1R3 1 2R1 1 4N', 1",
    "t.tns, '# a commentR2 3 1R', 1",
    "t.tns, '1 1 1N# a commentR2 3 1N3 3 3N', 2",
    "t.tns, '1 1 1N2 2 2R3 3 3N', 2",
    "t.tns, '1 1 1N R2 2 2N', 2",
    "t.tns, '1 1 1N2R2 2N', 2",
    "t.tns, '2R2R3 3R1 1 1R', 1",
    "t.tns, '2N3 3N1 1 1R2 2 2N', 3",
    "m.mtx, '%%MatrixMarket matrix coordinate real generalR3 3 2R1 1 1R2 2 2R', 1",
    "m.mtx, '%%MatrixMarket matrix coordinate real generalN3 3 2N1 1 1R2 2 2N', 3",
    "m.mtx, '%%MatrixMarket matrix coordinate pattern symmetricN3 3 2N1 1N2R2N', 4",
    "m.mtx, '%%MatrixMarket matrix array real generalN2 1N1R2N', 3"
  })
  void carriageReturnsAlone(String name, String text, String line) throws IOException {
    String bytes = text.replace('R', '\r').replace('N', '\n');
    check(name, bytes, "MALFORMED_INPUT", line, "carriage return");
  }

  /** In front of a line feed or the end they are white space. */
  @ParameterizedTest
  @CsvSource({
    "t.tns, '2 3 1RN3 1 2RN'",
    "t.tns, '# cRNRN2 3 1 RNR RN3 1 2R'",
    "t.tns, '2 3 1RRN3 1 2N'",
    "m.mtx, '%%MatrixMarket matrix coordinate real generalRN% cRN3 3 2RN2 3 1RN3 1 2RN'"
  })
  void carriageReturnsBeforeLineFeeds(String name, String text) throws Exception {
    Path file = folder.resolve(name);
    Files.writeString(file, text.replace('R', '\r').replace('N', '\n'));
    List<String> expected = Entries.read(plain(name));
    for (long split : new long[] {1, 7, 1 << 20}) {
      InputPlan plan =
          TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults(), split);
      assertThat(Entries.read(plan)).isEqualTo(expected);
    }
  }

  private InputPlan plain(String name) throws IOException {
    String header = name.endsWith("mtx") ? MTX + "general\n3 3 2\n" : "";
    Path file = Files.writeString(folder.resolve("plain-" + name), header + "2 3 1\n3 1 2\n");
    return TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults(), 1 << 20);
  }

  private void check(String name, String text, String code, String line, String says)
      throws IOException {
    byte[] bytes = text.replace("\\n", "\n").replace("\\t", "\t").getBytes(StandardCharsets.UTF_8);
    for (long split : new long[] {1, 7, 1 << 20}) {
      WeftException error = error(name, bytes, ReadOptions.defaults(), split);
      assertThat(error.code()).as(error.getMessage()).isEqualTo(ErrorCode.valueOf(code));
      assertThat(error.getMessage()).contains(says);
      if (line != null) {
        assertThat(error.getMessage()).startsWith(folder.resolve(name) + ":" + line + ": ");
      }
    }
    if (!name.endsWith(".gz")) {
      assertThat(error(name + ".gz", gzip(bytes), ReadOptions.defaults(), 9).code())
          .isEqualTo(ErrorCode.valueOf(code));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'1 1 1\\n2 2\\n', MALFORMED_INPUT, 2, 'expected 3 columns (2 coordinates and a value, as in the first entry), found 2'",
    "'1 1 1\\n2 2 2 2\\n', MALFORMED_INPUT, 2, 'found 4'",
    "'# c\\n\\n1 1 1\\n2 x 2\\n', MALFORMED_INPUT, 4, 'an integer coordinate of mode 1, found ''x'''",
    "'1 1 1\\n2 1.5 2\\n', MALFORMED_INPUT, 2, 'integer coordinate'",
    "'1 1 1\\n2 2 two\\n', MALFORMED_INPUT, 2, 'a number as the value, found ''two'''",
    "'1 1 1\\n2 2 1.5f\\n', MALFORMED_INPUT, 2, 'a number'",
    "'1 1 1\\n2 2 0x10\\n', MALFORMED_INPUT, 2, 'a number'",
    "'1 1 1\\n2 2 1e\\n', MALFORMED_INPUT, 2, 'a number'",
    "'1 1 1\\n2 2 .\\n', MALFORMED_INPUT, 2, 'a number'",
    "'1 1 1\\n2 2 NaN\\n', NONFINITE_VALUE, 2, 'found ''NaN'''",
    "'1 1 1\\n2 2 -Infinity\\n', NONFINITE_VALUE, 2, 'a finite value'",
    "'1 1 1\\n2 2 1e999\\n', NONFINITE_VALUE, 2, 'a finite value'",
    "'1 1 1\\n0 2 1\\n', COORDINATE_OUT_OF_RANGE, 2, 'at least 1, found ''0''; if the file counts from 0'",
    "'1 1 1\\n2 -2 1\\n', COORDINATE_OUT_OF_RANGE, 2, 'found ''-2'''",
    "'1 1 1\\n2 9223372036854775808 1\\n', COORDINATE_OUT_OF_RANGE, 2, 'at most 2^63-1'",
    "'3 2\\n4 5 6\\n1 1 1 1\\n1 1 7 1\\n', COORDINATE_OUT_OF_RANGE, 4, 'at most 6, the size declared'",
    "'3 2\\n4 5 6\\n1 1 1 1\\n', ENTRY_COUNT_MISMATCH, , 'expected 2 entries, as its header declares, found 1'",
    "'3 1\\n4 5 6\\n1 1 1 1\\n1 1 1 1\\n', ENTRY_COUNT_MISMATCH, , 'found 2'",
    "'# only comments\\n\\n', MALFORMED_INPUT, , 'neither'",
    "'7 x\\n', MALFORMED_INPUT, 1, 'a number as the value'",
    "'7\\n', MALFORMED_INPUT, 2, 'the 7 mode sizes that the header announces, found the end of the file'",
    "'# extended FROSTT\\n2 5\\n1 1 1\\n', MALFORMED_INPUT, 3, 'the 2 mode sizes'"
  })
  void tns(String text, String code, String line, String says) throws IOException {
    check("t.tns", text, code, line, says);
  }

  @ParameterizedTest
  @CsvSource({
    "'1 1 1\\n', MALFORMED_INPUT, 1, 'expected ''%%MatrixMarket'",
    "'%%MatrixMarket matrix coordinate complex general\\n1 1 0\\n', UNSUPPORTED_OPERATION, 1, 'complex'",
    "'%%MatrixMarket matrix coordinate real hermitian\\n1 1 0\\n', UNSUPPORTED_OPERATION, 1, 'hermitian'",
    "'%%MatrixMarket matrix array pattern general\\n1 1\\n', MALFORMED_INPUT, 1, 'pattern'",
    "'%%MatrixMarket matrix triangle real general\\n1 1 0\\n', MALFORMED_INPUT, 1, 'layout'",
    "'MTXgeneral\\n% c\\n', MALFORMED_INPUT, 2, 'size line'",
    "'MTXgeneral\\n2 2\\n', MALFORMED_INPUT, 2, 'rows columns entries'",
    "'MTXgeneral\\n2 2 -1\\n', MALFORMED_INPUT, 2, 'non-negative'",
    "'MTXsymmetric\\n2 3 0\\n', MALFORMED_INPUT, 2, 'a square matrix'",
    "'MTXgeneral\\n2 2 1\\n3 1 1\\n', COORDINATE_OUT_OF_RANGE, 3, 'at most 2'",
    "'MTXgeneral\\n2 2 1\\n0 1 1\\n', COORDINATE_OUT_OF_RANGE, 3, 'at least 1'",
    "'MTXgeneral\\n2 2 1\\n1 1\\n', MALFORMED_INPUT, 3, 'expected 3 columns'",
    "'MTXgeneral\\n2 2 2\\n1 1 1\\n', ENTRY_COUNT_MISMATCH, , 'expected 2 entries'",
    "'MTXskew-symmetric\\n2 2 1\\n2 2 1\\n', MALFORMED_INPUT, 3, 'diagonal'",
    "'%%MatrixMarket matrix coordinate integer general\\n2 2 1\\n1 1 1.5\\n', MALFORMED_INPUT, 3, 'an integer value'",
    "'%%MatrixMarket matrix array real general\\n2 1\\n1\\n', ENTRY_COUNT_MISMATCH, , 'expected 2 entries'",
    "'%%MatrixMarket matrix array real general\\n2 1\\n1\\n2\\n3\\n', ENTRY_COUNT_MISMATCH, 5, 'end of the file'",
    "'%%MatrixMarket matrix array real general\\n2 1\\n1 2\\n', MALFORMED_INPUT, 3, '1 value'"
  })
  void mtx(String text, String code, String line, String says) throws IOException {
    check("m.mtx", text.replace("MTX", MTX), code, line, says);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  @Test
  void damagedGzip() throws IOException {
    byte[] good = gzip("1 1 1\n2 2 2\n3 3 3\n".getBytes(StandardCharsets.UTF_8));
    for (int length = 1; length < good.length; length++) {
      WeftException cut =
          error("t.tns.gz", Arrays.copyOf(good, length), ReadOptions.defaults(), 1 << 20);
      assertThat(cut.code()).as("%d bytes", length).isEqualTo(ErrorCode.TRUNCATED_INPUT);
    }
    byte[] wrongCrc = good.clone();
    wrongCrc[good.length - 8] ^= 1;
    assertThat(error("t.tns.gz", wrongCrc, ReadOptions.defaults(), 99).code())
        .isEqualTo(ErrorCode.CORRUPT_INPUT);
    byte[] garbage = Arrays.copyOf(good, good.length + 3);
    garbage[good.length + 2] = 7;
    assertThat(error("t.tns.gz", garbage, ReadOptions.defaults(), 99).code())
        .isEqualTo(ErrorCode.CORRUPT_INPUT);
    assertThat(
            error(
                "t.tns.gz", "1 1 1\n".getBytes(StandardCharsets.UTF_8), ReadOptions.defaults(), 9))
        .hasMessageContaining("no gzip header");
  }

  @Test
  void severalMembersAndPaddingAreOneFile() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(gzip("1 1 1\n2 ".getBytes(StandardCharsets.UTF_8)));
    out.write(gzip(new byte[0]));
    out.write(gzip("2 2\n".getBytes(StandardCharsets.UTF_8)));
    out.write(new byte[5]);
    Path file = folder.resolve("t.tns.gz");
    Files.write(file, out.toByteArray());
    assertThat(
            Entries.read(TensorFiles.open(Entries.ACCESS, file.toString(), ReadOptions.defaults())))
        .containsExactly("0 0 1.0", "1 1 2.0");
  }

  @Test
  void absurdLinesAreErrorsInBoundedMemoryAndCommentsAreNot() throws Exception {
    byte[] line = new byte[3 << 20];
    Arrays.fill(line, (byte) '1');
    assertThat(error("t.tns", line, ReadOptions.defaults(), 1 << 20))
        .hasMessageContaining(":1: expected a line of at most");
    System.arraycopy("1 1 1\n1 1 ".getBytes(StandardCharsets.UTF_8), 0, line, 0, 10);
    assertThat(error("t.tns", line, ReadOptions.defaults(), 1 << 20))
        .hasMessageContaining(":2: expected a line of at most");
    line[0] = '#';
    System.arraycopy(
        "1\n\n1 2 3 \n".getBytes(StandardCharsets.UTF_8), 0, line, line.length - 10, 10);
    line[line.length - 11] = '\n';
    Arrays.fill(line, 0, 20, (byte) '#');
    line[line.length - 10] = ' ';
    Files.write(folder.resolve("c.tns"), line);
    for (long split : new long[] {1 << 20, 300_000, 1 << 30}) {
      InputPlan plan =
          TensorFiles.open(
              Entries.ACCESS, folder.resolve("c.tns").toString(), ReadOptions.defaults(), split);
      assertThat(Entries.read(plan)).containsExactly("0 1 3.0");
    }
  }

  @Test
  void aPipeIsCalledThat() throws Exception {
    Path pipe = folder.resolve("p.tns");
    new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor();
    for (String uri : java.util.List.of(pipe.toString(), "file:" + pipe)) {
      WeftException found =
          (WeftException)
              catchThrowable(() -> TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults()));
      assertThat(found.code()).isEqualTo(ErrorCode.INPUT_NOT_FOUND);
      assertThat(found).hasMessageContaining("expected a file, found a pipe or a device");
    }
  }

  @Test
  void unknownExtensionsListTheKnownOnes() throws IOException {
    WeftException error = error("t.csv", new byte[1], ReadOptions.defaults(), 1);
    assertThat(error.code().kind()).isEqualTo(ErrorCode.Kind.USER);
    assertThat(error.getMessage())
        .contains(
            "ends in .mtx, .npy, .rb, .hb, ",
            ".tns, .weft, .wtb (.mtx, .rb, .tns also with .gz, .bz2 or .zst)");
  }

  @Test
  void aFlippedByteOfABinaryFileIsFoundWhereverItIs() throws Exception {
    String uri = folder.resolve("b.wtb").toString();
    WriteOptions options =
        WriteOptions.defaults()
            .withLabels(java.util.Map.of(0, Labels.of(java.util.List.of("x", "y"))));
    try (TensorOutput output = TensorFiles.create(Entries.ACCESS, uri, false, 2, options)) {
      org.weft.tensor.CooBlock.Builder builder = new org.weft.tensor.CooBlock.Builder(2, 4);
      builder.add(new long[] {0, 5}, 0.1);
      builder.add(new long[] {1, 7}, 0.2);
      output.write(builder.build());
      output.commit();
    }
    assertThat(TensorFiles.labels(Entries.ACCESS, uri).get(0).toList()).containsExactly("x", "y");
    byte[] good = Files.readAllBytes(Path.of(uri));
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 4;
      Files.write(Path.of(uri), bad);
      Throwable thrown =
          catchThrowable(
              () -> {
                Entries.read(TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults()));
                TensorFiles.labels(Entries.ACCESS, uri);
              });
      assertThat(thrown).as("byte %d", at).isInstanceOf(WeftException.class);
      assertThat(((WeftException) thrown).code().kind()).isEqualTo(ErrorCode.Kind.DATA);
    }
  }
}
