package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Entries;

/** Every damage to a container is noticed and named. */
class DamageTest {
  private static final long SEED = Long.getLong("weft.seed", 20261121);

  @TempDir Path folder;

  private Path root;
  private String uri;

  @BeforeEach
  void write() throws Exception {
    root = folder.resolve("d.weft");
    uri = root.toString();
    Tensors.writeFull(uri, new Random(SEED));
  }

  /** Reads all there is: entries, statistics, labels, permutations. */
  private void readAll() throws Exception {
    Tensors.readFull(uri);
  }

  private WeftException failure(String what) {
    Throwable thrown = catchThrowable(this::readAll);
    assertThat(thrown).as(what).isInstanceOf(WeftException.class);
    return (WeftException) thrown;
  }

  @Test
  void aFlippedBitIsFoundWhereverItIs() throws Exception {
    readAll();
    Random random = new Random(SEED);
    System.out.println("DamageTest: -Dweft.seed=" + SEED);
    int data = 0;
    for (String name : ContainerTest.names(root)) {
      Path file = root.resolve(name);
      byte[] good = Files.readAllBytes(file);
      int step = Boolean.getBoolean("weft.long") ? 1 : 16;
      for (int at = 0; at < good.length; at += 1 + random.nextInt(step)) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bad);
        WeftException e = failure(name + ", byte " + at);
        assertThat(e.code().kind()).as(e.getMessage()).isEqualTo(ErrorCode.Kind.DATA);
        assertThat(e.getMessage()).contains(file.getFileName().toString());
        if (name.endsWith(".bin")) {
          assertThat(e.getMessage()).contains("expected CRC32C ").contains(" for block 0 of ");
          data++;
        }
      }
      Files.write(file, good);
    }
    assertThat(data).isGreaterThan(100);
    readAll();
  }

  @Test
  void everyTruncationAndEveryAdditionIsFound() throws Exception {
    Random random = new Random(SEED);
    for (String name : ContainerTest.names(root)) {
      Path file = root.resolve(name);
      byte[] good = Files.readAllBytes(file);
      for (int length = 0; length < good.length; length += 1 + random.nextInt(60)) {
        Files.write(file, Arrays.copyOf(good, length));
        WeftException e = failure(name + " of " + length);
        assertThat(e.code())
            .as(e.getMessage())
            .isIn(ErrorCode.TRUNCATED_INPUT, ErrorCode.CORRUPT_INPUT);
        assertThat(e.getMessage()).contains(file.getFileName().toString());
      }
      if (good.length > 0) {
        Files.write(file, Arrays.copyOf(good, good.length + 1));
        assertThat(failure(name).code().kind()).isEqualTo(ErrorCode.Kind.DATA);
      }
      Files.write(file, good);
    }
    readAll();
  }

  @Test
  void aMissingFileIsNamed() throws Exception {
    Files.delete(root.resolve("data/1/part-00000.bin"));
    WeftException e = failure("missing");
    assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    assertThat(e.getMessage()).contains("data/1/part-00000.bin").contains("found nothing");
  }

  @Test
  void aManifestOfANewerFormatIsRefused() throws Exception {
    Manifest m = Container.open(Entries.ACCESS, uri).manifest();
    Manifest newer =
        new Manifest(
            2,
            m.version(),
            m.valueType(),
            m.format(),
            m.distinct(),
            m.blockBytes(),
            m.modes(),
            m.statistics(),
            m.files(),
            m.parts(),
            m.batches(),
            m.provenance());
    Files.write(root.resolve("manifest-1.json"), ManifestFile.encode(newer));
    WeftException e = failure("newer");
    assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION);
    assertThat(e.getMessage()).contains("newer Weft");
  }

  /** Check sums tell damage from nonsense; nonsense under right check sums is refused as well. */
  @Test
  void nonsenseWithRightCheckSumsIsRefused() throws Exception {
    Path file = root.resolve("manifest-1.json");
    String good = Files.readString(file);
    String json = good.substring(0, good.lastIndexOf("crc32c "));
    Random random = new Random(SEED);
    java.util.List<String> numbers =
        java.util.regex.Pattern.compile("[0-9]+")
            .matcher(json)
            .results()
            .map(r -> r.start() + " " + r.end())
            .toList();
    String[] odd = {"-1", "0", "7", "999999999999", "9223372036854775807", "\"x\"", "null", "[]"};
    for (String at : numbers) {
      if (random.nextInt(4) > 0 && !Boolean.getBoolean("weft.long")) {
        continue;
      }
      int from = Integer.parseInt(at.split(" ")[0]);
      int to = Integer.parseInt(at.split(" ")[1]);
      String changed =
          json.substring(0, from) + odd[random.nextInt(odd.length)] + json.substring(to);
      byte[] bytes = changed.getBytes(StandardCharsets.UTF_8);
      java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
      crc.update(bytes);
      Files.writeString(file, changed + "crc32c " + ManifestFile.hex(crc.getValue()) + "\n");
      Throwable thrown = catchThrowable(this::readAll);
      if (thrown != null) {
        assertThat(thrown)
            .as(changed.substring(Math.max(0, from - 30), from))
            .isInstanceOf(WeftException.class)
            .extracting(e -> ((WeftException) e).code().kind())
            .as(thrown.getMessage())
            .isIn(ErrorCode.Kind.DATA, ErrorCode.Kind.USER, ErrorCode.Kind.UNSUPPORTED);
      }
    }
  }

  @Test
  void whatIsWrongInAManifestIsNamedByItsPlace() throws Exception {
    Path file = root.resolve("manifest-1.json");
    String good = Files.readString(file);
    String json = good.substring(0, good.lastIndexOf("crc32c "));
    String changed = json.replaceFirst("\"offset\" : [0-9]+", "\"offset\" : 7");
    byte[] bytes = changed.getBytes(StandardCharsets.UTF_8);
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes);
    Files.writeString(file, changed + "crc32c " + ManifestFile.hex(crc.getValue()) + "\n");
    assertThat(failure("place").getMessage())
        .matches("(?s).*manifest-1.json: .*modes\\[0\\].histogram.*expected .*offset.*")
        .doesNotContain("Cannot construct");
  }
}
