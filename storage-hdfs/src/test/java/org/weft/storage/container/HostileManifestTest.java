package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Entries;

/**
 * Manifests and data files that somebody made to harm, with right check sums: they are read as some
 * tensor, or refused as bad data, and never lead out of the folder.
 */
class HostileManifestTest {
  private static final long SEED = Long.getLong("weft.seed", 20261123);
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final int ROUNDS = Integer.getInteger("weft.rounds", LONG ? 800 : 250);

  /** Each place usually gets one of so many hostile values, and each value comes to some places. */
  private static final int STEP = LONG ? 1 : 3;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DATA = "data/1/part-00000.bin";

  @TempDir Path folder;

  private Path root;
  private String uri;
  private JsonNode good;
  private final List<String> complaints = new ArrayList<>();

  @BeforeEach
  void write() throws Exception {
    root = folder.resolve("d.weft");
    uri = root.toString();
    Tensors.writeFull(uri, new Random(SEED));
    String text = Files.readString(manifest());
    good = JSON.readTree(text.substring(0, text.lastIndexOf("crc32c ")));
  }

  private Path manifest() {
    return root.resolve("manifest-1.json");
  }

  /** Writes the manifest under a right check sum. */
  private void seal(JsonNode tree) throws IOException {
    byte[] json = (JSON.writeValueAsString(tree) + "\n").getBytes(StandardCharsets.UTF_8);
    CRC32C crc = new CRC32C();
    crc.update(json);
    byte[] line =
        ("crc32c " + ManifestFile.hex(crc.getValue()) + "\n").getBytes(StandardCharsets.UTF_8);
    byte[] whole = Arrays.copyOf(json, json.length + line.length);
    System.arraycopy(line, 0, whole, json.length, line.length);
    Files.write(manifest(), whole);
  }

  /** Reads all there is, forwards and in stored order, and lists what gc would remove. */
  private void readAll() throws Exception {
    Container container = Tensors.readFull(uri);
    for (int part = 0; part < container.partCount(); part++) {
      Entries.ACCESS.hosts(container.file(part), container.offset(part));
    }
  }

  private JsonNode withPath(String path) {
    JsonNode tree = good.deepCopy();
    ((ObjectNode) tree.path("files").path(0)).put("path", path);
    return tree;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        "..",
        "/",
        "//",
        "/OUTSIDE",
        "file:OUTSIDE",
        "file://OUTSIDE",
        "FILE:///etc/passwd",
        "hdfs://host.invalid/x.bin",
        "hdfs://host.invalid:8020",
        "s3a://bucket/x",
        "data:text",
        "a:b",
        "data/1/x:y.bin",
        "../outside.bin",
        "data/../../outside.bin",
        "data/1/..",
        "data/./1/part-00000.bin",
        "./data/1/part-00000.bin",
        "data//1/part-00000.bin",
        "data/1/part-00000.bin/",
        "data\\1\\part-00000.bin",
        "..\\outside.bin",
        "%2e%2e/outside.bin",
        "data/1/.hidden.bin",
        ".hidden/part-00000.bin",
        "data/1/part-00000.bin\u0000",
        "data/1/part\n00000.bin",
        "data/1/*",
        "data/1/{a,b}",
        "~/x.bin",
        "${user.home}/x.bin",
        "data/1/\u202epart.bin",
        "a/b/c/d/e/f/g/h/i"
      })
  void pathsThatAreNotPlainAreRefused(String path) throws Exception {
    Path outside = folder.resolve("outside.bin");
    Files.copy(root.resolve(DATA), outside);
    seal(withPath(path.replace("OUTSIDE", outside.toString())));
    WeftException e = refused(path);
    assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    assertThat(e.getMessage())
        .contains("manifest-1.json: files[0]: expected a path inside the folder")
        .doesNotContain("\n");
  }

  @Test
  void longNamesAreRefused() throws Exception {
    seal(withPath("data/1/" + "x".repeat(100_000)));
    assertThat(refused("long").code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    assertThat(refused("long").getMessage()).hasSizeLessThan(600);
  }

  private WeftException refused(String what) {
    Throwable thrown = catchThrowable(this::readAll);
    assertThat(thrown).as(what).isInstanceOf(WeftException.class);
    return (WeftException) thrown;
  }

  @Test
  void linksThatLeadOutOfTheFolderAreRefusedAndOthersAreNot() throws Exception {
    Path data = root.resolve(DATA);
    Path outside = Files.createDirectories(folder.resolve("outside/1")).resolve("part-00000.bin");
    Path kept = Files.copy(data, root.resolve("data/1/kept"));
    Files.move(data, outside);
    Files.createSymbolicLink(data, outside);
    assertThat(refused("file").code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    assertThat(refused("file").getMessage()).contains("found a link that leads to");
    Files.delete(data);
    Files.createSymbolicLink(data, Path.of("kept"));
    readAll();
    Files.delete(data);
    Files.move(kept, data);
    readAll();
    Path real = Files.move(root.resolve("data"), folder.resolve("real"));
    Files.createSymbolicLink(root.resolve("data"), real);
    assertThat(refused("folder").code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    Files.delete(root.resolve("data"));
    Files.move(real, root.resolve("data"));
    // A link to the tensor as a whole is what its owner wanted.
    Path alias = Files.createSymbolicLink(folder.resolve("alias.weft"), root);
    uri = alias.toString();
    readAll();
  }

  @Test
  void whatIsNoRegularFileIsRefused() throws Exception {
    JsonNode tree = withPath("data/1");
    ((ObjectNode) tree.path("files").path(0)).put("bytes", Files.size(root.resolve("data/1")));
    seal(tree);
    assertThat(refused("folder").code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
    tree = withPath("data/1/fifo");
    ((ObjectNode) tree.path("files").path(0)).put("bytes", 0);
    seal(tree);
    new ProcessBuilder("mkfifo", root.resolve("data/1/fifo").toString()).start().waitFor();
    assertThat(refused("pipe").code()).isEqualTo(ErrorCode.CORRUPT_INPUT);
  }

  private static void leaves(
      JsonNode at, JsonPointer path, Predicate<JsonNode> which, List<JsonPointer> found) {
    if (which.test(at)) {
      found.add(path);
    }
    if (at instanceof ObjectNode object) {
      object
          .fieldNames()
          .forEachRemaining(name -> leaves(at.get(name), path.appendProperty(name), which, found));
    } else if (at instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        leaves(array.get(i), path.appendIndex(i), which, found);
      }
    }
  }

  private static List<JsonPointer> leaves(JsonNode tree, Predicate<JsonNode> which) {
    List<JsonPointer> found = new ArrayList<>();
    leaves(tree, JsonPointer.empty(), which, found);
    return found;
  }

  private static void set(JsonNode tree, JsonPointer at, JsonNode value) {
    JsonNode parent = tree.at(at.head());
    if (parent instanceof ArrayNode array) {
      array.set(at.last().getMatchingIndex(), value);
    } else {
      ((ObjectNode) parent).set(at.last().getMatchingProperty(), value);
    }
  }

  /** Reads, and notes all but a tensor and an error that says that the data are bad. */
  private boolean refusedOrRead(String what) {
    Throwable thrown = catchThrowable(this::readAll);
    if (thrown instanceof WeftException e) {
      boolean newer =
          e.code() == ErrorCode.UNSUPPORTED_OPERATION && e.getMessage().contains("newer Weft");
      if ((!newer && e.code().kind() != ErrorCode.Kind.DATA)
          || !e.getMessage().contains("d.weft")) {
        complaints.add(what + ": " + e.code() + " " + e.getMessage());
      }
    } else if (thrown != null) {
      String at = Arrays.stream(thrown.getStackTrace()).limit(6).toList().toString();
      complaints.add(what + ": " + thrown + " at " + at);
    }
    return thrown != null;
  }

  @AfterEach
  void nothingElse() {
    assertThat(complaints.stream().limit(10)).as(complaints.size() + " of them").isEmpty();
  }

  private static final List<String> HOSTILE_TEXT =
      List.of(
          "",
          "/etc/passwd",
          "file:/etc/passwd",
          "hdfs://host.invalid/x",
          "../../x",
          "a\u0000b",
          "\ud800",
          "{CU, CU, CU}@0,1,99999999999",
          "{D, D, D}",
          "{S, CU, CU}",
          "{CU, CU}",
          "NaN",
          "-1",
          "plain",
          "zstd",
          "difference",
          "dictionary",
          "i64",
          "f32",
          "u8",
          "x".repeat(5000));

  @Test
  void everyTextOfAManifestMayBeHostile() throws Exception {
    int refusals = 0;
    int first = 0;
    for (JsonPointer at : leaves(good, JsonNode::isTextual)) {
      for (int n = first++ % STEP; n < HOSTILE_TEXT.size(); n += STEP) {
        String text = HOSTILE_TEXT.get(n);
        JsonNode tree = good.deepCopy();
        set(tree, at, JsonNodeFactory.instance.textNode(text));
        seal(tree);
        refusals += refusedOrRead(at + " = " + text) ? 1 : 0;
      }
    }
    assertThat(refusals).isGreaterThan(100 / STEP);
  }

  private static final long[] EXTREMES = {
    Long.MIN_VALUE,
    Long.MIN_VALUE + 1,
    -64,
    -1,
    0,
    1,
    63,
    64,
    Integer.MAX_VALUE - 63L,
    Integer.MAX_VALUE,
    Integer.MAX_VALUE + 1L,
    1L << 40,
    Long.MAX_VALUE / 64 * 64,
    Long.MAX_VALUE - 64,
    Long.MAX_VALUE - 1,
    Long.MAX_VALUE
  };

  @Test
  void everyNumberOfAManifestMayBeExtreme() throws Exception {
    Random random = new Random(SEED);
    int refusals = 0;
    int first = 0;
    for (JsonPointer at : leaves(good, JsonNode::isNumber)) {
      for (int n = first++ % STEP; n < EXTREMES.length; n += STEP) {
        JsonNode tree = good.deepCopy();
        long near = EXTREMES[n] + (random.nextBoolean() ? 0 : 64L * random.nextInt(3));
        set(tree, at, JsonNodeFactory.instance.numberNode(near));
        seal(tree);
        refusals += refusedOrRead(at + " = " + near) ? 1 : 0;
      }
    }
    assertThat(refusals).isGreaterThan(300 / STEP);
  }

  @Test
  void offsetsNearTheEndOfAllNumbersAreCorrupt() throws Exception {
    for (JsonPointer at : leaves(good, JsonNode::isNumber)) {
      if (at.last().mayMatchProperty() && at.last().getMatchingProperty().equals("offset")) {
        for (long offset = Long.MAX_VALUE / 64 * 64; offset > 0; offset -= 64L << 55) {
          JsonNode tree = good.deepCopy();
          for (long near : new long[] {offset, offset + 63, -offset}) {
            set(tree, at, JsonNodeFactory.instance.numberNode(near));
            seal(tree);
            WeftException e = refused(at + " = " + near);
            assertThat(e.code()).as(at + ": " + e.getMessage()).isEqualTo(ErrorCode.CORRUPT_INPUT);
          }
        }
      }
    }
  }

  /** Several changes at once, of any kind, to manifests. */
  @Test
  void randomManifestsAreReadOrRefused() throws Exception {
    System.out.println("HostileManifestTest: -Dweft.seed=" + SEED + " -Dweft.rounds=" + ROUNDS);
    Random random = new Random(SEED);
    int refusals = 0;
    for (int round = 0; round < ROUNDS; round++) {
      JsonNode tree = good.deepCopy();
      StringBuilder what = new StringBuilder("round " + round);
      for (int change = random.nextInt(3); change >= 0; change--) {
        mutate(tree, random, what);
      }
      seal(tree);
      refusals += refusedOrRead(what.toString()) ? 1 : 0;
    }
    assertThat(refusals).isGreaterThan(ROUNDS / 2);
  }

  private void mutate(JsonNode tree, Random random, StringBuilder what) {
    List<JsonPointer> all = leaves(tree, node -> true);
    JsonPointer at = all.get(1 + random.nextInt(all.size() - 1));
    JsonNode parent = tree.at(at.head());
    JsonNode value =
        switch (random.nextInt(8)) {
          case 0 -> JsonNodeFactory.instance.nullNode();
          case 1 -> JsonNodeFactory.instance.arrayNode();
          case 2 -> JsonNodeFactory.instance.objectNode();
          case 3 -> JsonNodeFactory.instance.booleanNode(random.nextBoolean());
          case 4, 5 ->
              JsonNodeFactory.instance.numberNode(EXTREMES[random.nextInt(EXTREMES.length)]);
          case 6 ->
              JsonNodeFactory.instance.textNode(
                  HOSTILE_TEXT.get(random.nextInt(HOSTILE_TEXT.size())));
          default -> tree.at(all.get(random.nextInt(all.size()))).deepCopy();
        };
    what.append("; ")
        .append(at)
        .append(" = ")
        .append(value.toString(), 0, Math.min(60, value.toString().length()));
    int kind = random.nextInt(6);
    if (kind == 0 && parent instanceof ContainerNode<?> && parent.isArray()) {
      ((ArrayNode) parent).remove(at.last().getMatchingIndex());
      what.append(" removed");
    } else if (kind == 0) {
      ((ObjectNode) parent).remove(at.last().getMatchingProperty());
      what.append(" removed");
    } else if (kind == 1 && parent instanceof ArrayNode array) {
      array.insert(at.last().getMatchingIndex(), value);
      what.append(" inserted");
    } else {
      set(tree, at, value);
    }
  }

  /** Bytes of data files changed, under check sums that are made right. */
  @Test
  void randomDataUnderRightCheckSumsAreReadOrRefused() throws Exception {
    Random random = new Random(SEED);
    Path data = root.resolve(DATA);
    byte[] bytes = Files.readAllBytes(data);
    List<JsonPointer> arrays = leaves(good, node -> node.has("blocks"));
    int refusals = 0;
    for (int round = 0; round < ROUNDS; round++) {
      JsonNode tree = good.deepCopy();
      JsonNode array = tree.at(arrays.get(random.nextInt(arrays.size())));
      int at = array.path("offset").asInt();
      ArrayNode block = (ArrayNode) Objects.requireNonNull(array.path("blocks").get(0));
      if (block == null || block.get(1).asInt() == 0) {
        continue;
      }
      int length = (block.get(1).asInt() + 63) / 64 * 64;
      byte[] bad = bytes.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        bad[at + random.nextInt(block.get(1).asInt())] =
            (byte) (random.nextBoolean() ? random.nextInt(256) : -random.nextInt(2));
      }
      if (random.nextInt(4) == 0) {
        block.set(0, HOSTILE_TEXT.get(13 + random.nextInt(4)));
      }
      CRC32C crc = new CRC32C();
      crc.update(bad, at, length);
      block.set(2, ManifestFile.hex(crc.getValue()));
      Files.write(data, bad);
      seal(tree);
      refusals += refusedOrRead("round " + round + ", array at " + at) ? 1 : 0;
    }
    assertThat(refusals).isGreaterThan(ROUNDS / 10);
  }
}
