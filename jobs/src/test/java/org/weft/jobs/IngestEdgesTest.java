package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables at their edges: damaged, empty but for rejects, with names that stand twice. */
class IngestEdgesTest extends IngestCase {
  private static final int DAMAGES =
      Integer.getInteger("weft.rounds", Boolean.getBoolean("weft.long") ? 8 : 4);

  private byte[] compressed(String name, int rows) throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    BZip2Codec bzip2 = new BZip2Codec();
    bzip2.setConf(new Configuration());
    try (OutputStream out =
        name.endsWith(".gz") ? new GZIPOutputStream(packed) : bzip2.createOutputStream(packed)) {
      StringBuilder text = new StringBuilder("a,b\n");
      for (int row = 0; row < rows; row++) {
        text.append("name").append(row * 7919 % 5000).append(',').append(row % 13).append('\n');
      }
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }
    return packed.toByteArray();
  }

  @Test
  void damagedTextIsOneErrorWithItsFile() throws Exception {
    damagedTextIsOneError("x.csv.bz2");
  }

  @Tag("long")
  @Test
  void damagedTextOfAnotherKindIsOneErrorWithItsFile() throws Exception {
    damagedTextIsOneError("x.csv.gz");
  }

  private void damagedTextIsOneError(String name) throws Exception {
    byte[] good = compressed(name, 3000);
    Random random = new Random(Long.getLong("weft.seed", 20261126));
    for (int round = 0; round < DAMAGES; round++) {
      byte[] bad = good.clone();
      if (round % 2 == 0) {
        bad = Arrays.copyOf(good, 1 + random.nextInt(good.length - 1));
      } else {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(Path.of(path(name)), bad);
      Run run = ingest(path(name), path("o.weft"), "--mode", "a", "--mode", "b", "--overwrite");
      if (run.status() != 0) {
        String last = run.err().lines().reduce((a, b) -> b).orElseThrow();
        assertThat(last).as("round " + round).matches("weft: WEFT-(100|300|304|305): .*");
        assertThat(last).contains(path(name));
        assertThat(run.status()).isEqualTo(2);
        assertThat(folder.resolve("o.weft/manifest-1.json")).doesNotExist();
      }
      assertThat(run.status() == 0)
          .as("a truncated file, round " + round)
          .isIn(round % 2 != 0, false);
    }
    Files.writeString(Path.of(path(name)), "a,b\nx,1\n");
    Run plain = ingest(path(name), path("o.weft"), "--mode", "a", "--mode", "b");
    assertThat(plain.err())
        .containsPattern("WEFT-30[045]: .*" + name + ": expected (compressed|lines of) text");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t.csv|a,b|x,1|M\u00fcller,2",
        "t.csv|a,b|\u00e9,1|\"M\u00fcller\",2", // quoted
        "t.csv|a,b,c|x,1,y|z,2,M\u00fcller", // a cell that nothing is made of
        "t.tsv|a\tb|\u4f8b\t1|M\u00fcller\t2",
        "t.jsonl|{\"a\": \"x\", \"b\": 1}|{\"a\": \"\u00e9\"}|{\"a\": \"M\u00fcller\", \"b\": 2}",
        "t.csv --column c=upper(a)|a,b|x,1|M\u00fcller,2",
        "t.jsonl --column c=upper(a)|{\"a\": \"x\"}|{\"a\": \"y\"}|{\"a\": \"M\u00fcller\"}",
        "t.txt --format text --pattern (?<a>\\S+)|x|\u00e9|M\u00fcller"
      })
  void aLineThatIsNotUtf8IsARejectAndNoOtherLabel(String table) throws Exception {
    String[] lines = table.split("\\|");
    String[] name = lines[0].split(" ");
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (String line : List.of(lines).subList(1, lines.length)) {
      boolean wrong = line.contains("\u00fc");
      text.write(
          (line + "\n").getBytes(wrong ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8));
    }
    Files.write(Path.of(path(name[0])), text.toByteArray());
    List<String> line = new ArrayList<>(List.of(path(name[0]), path("o.weft"), "--mode", "a"));
    line.addAll(List.of(name).subList(1, name.length));
    String place = name[0] + ":3: expected text in UTF-8, found '";
    ingest(line.toArray(String[]::new)).fails(2, "WEFT-300", place, "M\ufffdller");
    line.addAll(List.of("--rejects", path("r")));
    ingest(line.toArray(String[]::new)).succeeds();
    assertThat(Run.read(path("r"))).contains(name[0] + ",3,,expected text in UTF-8,");
    assertThat(labels("o.weft", 0)).hasSizeBetween(1, 2).noneMatch(label -> label.contains("M"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--format=csv", "--column=c=upper(b)"})
  void aHeaderThatIsNotUtf8IsAnError(String option) throws Exception {
    Files.write(
        Path.of(path("t.csv")), "b,M\u00fcller\nx,1\n".getBytes(StandardCharsets.ISO_8859_1));
    ingest(path("t.csv"), path("o.weft"), "--mode", "b", option)
        .fails(2, "WEFT-300", "t.csv:1: expected text in UTF-8, found 'b,M\ufffdller'");
  }

  @Test
  void rejectsAreListedAlsoWhereNothingIsLeft() {
    String table = Run.write(folder, "t.csv", "a,v\nx,bad\ny,worse\n");
    String[] line = {table, path("o.weft"), "--mode", "a", "--value", "v", "--rejects", path("r")};
    ingest(line).fails(2, "WEFT-300", "the rejected rows are in " + path("r"));
    assertThat(Run.read(path("r"))).contains("t.csv,2,v,", "y,worse");
    assertThat(folder.resolve("o.weft")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"x.csv, sep=", "x.csv, sep=\\", "x.csv, quote=ab", "x.jsonl, timeZone=Mars"})
  void anOptionThatSparkCannotUseIsAMistakeWithItsName(String name, String option)
      throws Exception {
    String text = name.endsWith(".csv") ? "a,b\n1,2\n" : "{\"a\":1,\"b\":2}\n";
    Files.writeString(Path.of(path(name)), text);
    Run run = ingest(path(name), path("x.weft"), "--mode", "a", "--mode", "b", "--option", option);
    if (run.status() != 0) { // some options are never looked at
      assertThat(run.status()).as(run.err()).isEqualTo(2);
      assertThat(run.err()).contains(name).contains("--option " + option.split("=")[0]);
      assertThat(run.err()).doesNotContain("'" + option + "'"); // it may be a password
    }
    assertThat(Path.of(path("x.weft")).toFile().exists()).isEqualTo(run.status() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.orc", "x.parquet"})
  void aBinaryFileOfOtherBytesIsRefused(String name) throws Exception {
    for (String text : List.of("", "ORCxxxx", "PAR1xxxxPAR1")) {
      Files.writeString(Path.of(path(name)), text);
      ingest(path(name), path("x.weft"), "--mode", "a", "--mode", "b")
          .fails(2, name, text.isEmpty() ? "WEFT-" : "WEFT-300");
    }
  }

  @Test
  void namesThatStandTwiceAreTold() {
    String table = Run.write(folder, "t.csv", "a,a,b\nx,1,2\n");
    Run run = ingest(table, path("o.weft"), "--mode", "a", "--mode", "b");
    assertThat(run.err())
        .contains("several columns have this name in the header")
        .contains("a0, a1");
    assertThat(run.status()).isEqualTo(2);
    Run given = ingest(table, path("o.weft"), "--mode", "a", "--columns", "a,b,A");
    assertThat(given.err()).contains("expected --columns with different names, found 'A' twice");
    Run where = ingest(table, path("o.weft"), "--mode", "a0", "--where", "nope > 3");
    assertThat(where.err()).contains("Spark refuses --where", "`nope`").doesNotContain("__weft");
    Run one = ingest(table, path("o.weft"), "--mode", "a0", "--rejects", path("o.weft"));
    assertThat(one.err()).contains("expected --rejects to name another file than the output");
    for (String least : List.of("0", "-5")) {
      Run rare = ingest(table, path("o.weft"), "--mode", "a0", "--min-count", "a0=" + least);
      assertThat(rare.err()).contains("expected --min-count of at least 1, found a0=" + least);
    }
    assertThat(folder.resolve("o.weft")).doesNotExist();
  }
}
