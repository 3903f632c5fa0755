package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Manifests as other writers may write them, and what is said of those that are none. */
class ManifestFileTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Members that a manifest may lack. */
  private static final Set<String> OPTIONAL =
      Set.of(
          "pos", "crd", "sample", "permutation", "labels", "batches", "source", "command", "weft");

  private static Manifest.ArrayEntry array(long offset) {
    List<Manifest.Block> blocks = List.of(new Manifest.Block("plain", 16, "0a1b2c3d"));
    return new Manifest.ArrayEntry(0, offset, "u32", 4, blocks);
  }

  private static Manifest manifest() {
    Manifest.Histogram histogram = new Manifest.Histogram(0, 3, array(0));
    Manifest.Sample sample = new Manifest.Sample(2, array(448));
    Manifest.LabelEntry labels = new Manifest.LabelEntry(4, List.of(array(64), array(128)));
    Manifest.LevelEntry level = new Manifest.LevelEntry(4, array(192), array(256));
    Manifest.Part part =
        new Manifest.Part(
            4,
            Double.NaN,
            List.of(new Manifest.Range(0, 3)),
            List.of(level),
            new Manifest.ArrayEntry(0, 320, "f64", 4, List.of()));
    return new Manifest(
        1,
        7,
        "double",
        "{CU}",
        true,
        1 << 20,
        List.of(new Manifest.Mode("user", 4, histogram, sample, array(384), labels)),
        new Manifest.Statistics(4, 30.5, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1),
        List.of(new Manifest.DataFile("data/1/part-00000.bin", 448)),
        List.of(part),
        List.of(new Manifest.Batch("monday", 0, 1)),
        new Manifest.Provenance("x.tns", "weft convert \"x\"", "1.0"));
  }

  private static JsonNode tree() throws Exception {
    String text = new String(ManifestFile.encode(manifest()), StandardCharsets.UTF_8);
    return JSON.readTree(text.substring(0, text.lastIndexOf("crc32c ")));
  }

  private static Manifest read(JsonNode tree) throws Exception {
    return read(JSON.writeValueAsString(tree) + "\n");
  }

  private static Manifest read(String text) {
    byte[] json = text.getBytes(StandardCharsets.UTF_8);
    CRC32C crc = new CRC32C();
    crc.update(json);
    String line = "crc32c " + ManifestFile.hex(crc.getValue()) + "\n";
    byte[] whole = Arrays.copyOf(json, json.length + line.length());
    System.arraycopy(line.getBytes(StandardCharsets.UTF_8), 0, whole, json.length, line.length());
    return ManifestFile.decode(whole, "x.weft/manifest-7.json", 7);
  }

  private static List<ObjectNode> objects(JsonNode tree) {
    List<ObjectNode> all = new ArrayList<>();
    if (tree instanceof ObjectNode object) {
      all.add(object);
    }
    tree.forEach(child -> all.addAll(objects(child)));
    return all;
  }

  private static List<String> names(ObjectNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void whatIsWrittenIsRead() throws Exception {
    assertThat(ManifestFile.decode(ManifestFile.encode(manifest()), "x", 7)).isEqualTo(manifest());
    assertThat(read(tree())).isEqualTo(manifest());
  }

  @Test
  void membersMayComeInAnyOrder() throws Exception {
    JsonNode tree = tree();
    for (ObjectNode object : objects(tree)) {
      List<String> names = names(object);
      Collections.reverse(names);
      for (String name : names) {
        object.set(name, object.remove(name));
      }
    }
    assertThat(names((ObjectNode) tree)).startsWith("provenance").endsWith("formatVersion");
    assertThat(read(tree)).isEqualTo(manifest());
  }

  @Test
  void membersOfLaterWritersArePassedOver() throws Exception {
    JsonNode tree = tree();
    JsonNode later = JSON.readTree("{\"entries\": [1, {\"size\": null}], \"shift\": \"x\"}");
    for (ObjectNode object : objects(tree)) {
      ObjectNode before = object.deepCopy();
      object.removeAll();
      object.set("later", later);
      object.put("earlier", true);
      object.setAll(before);
      object.set("last", later.path("entries"));
    }
    ((ArrayNode) tree.at("/parts/0/ranges/0")).add(later);
    ((ArrayNode) tree.at("/modes/0/histogram/counts/blocks/0")).add("more");
    assertThat(read(tree)).isEqualTo(manifest());
  }

  @Test
  void membersThatAreMissingOrNullAreNamed() throws Exception {
    int objects = objects(tree()).size();
    int refused = 0;
    for (int o = 0; o < objects; o++) {
      for (String name : names(objects(tree()).get(o))) {
        if (OPTIONAL.contains(name)) {
          continue;
        }
        JsonNode without = tree();
        objects(without).get(o).remove(name);
        assertThatThrownBy(() -> read(without))
            .isInstanceOfSatisfying(
                WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_INPUT))
            .hasMessageContaining("manifest-7.json: ")
            .hasMessageContaining("expected " + name);
        JsonNode empty = tree();
        objects(empty).get(o).putNull(name);
        assertThatThrownBy(() -> read(empty))
            .isInstanceOf(WeftException.class)
            .hasMessageContaining(name + ": expected ");
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(60);
  }

  @Test
  void whatMayBeMissingMayBeNull() throws Exception {
    JsonNode tree = tree();
    ((ObjectNode) tree).putNull("batches");
    ((ObjectNode) tree.at("/modes/0")).putNull("permutation").putNull("labels");
    ((ObjectNode) tree.at("/parts/0/levels/0")).putNull("pos").remove("crd");
    Manifest read = read(tree);
    assertThat(read.batches()).isEmpty();
    assertThat(read.modes().get(0).labels()).isNull();
    assertThat(read.modes().get(0).permutation()).isNull();
    assertThat(read.parts().get(0).levels().get(0))
        .isEqualTo(new Manifest.LevelEntry(4, null, null));
  }

  @Test
  void whatIsOfAnotherTypeIsRefusedAtItsPlace() throws Exception {
    String[][] wrong = {
      {"/modes/0", "size", "1.5", "modes[0].size: expected a whole number"},
      {"/modes/0", "size", "\"4\"", "modes[0].size: expected a whole number"},
      {"/modes/0", "size", "99999999999999999999", "modes[0].size: "},
      {"/modes/0/histogram", "shift", "4294967296", "modes[0].histogram.shift: "},
      {"/modes/0/histogram", "counts", "[]", "modes[0].histogram.counts"},
      {"/statistics", "minimum", "\"nan\"", "statistics.minimum: expected a number"},
      {"/parts/0", "levels", "{}", "parts[0].levels: expected a list"},
      {"/parts/0", "ranges", "[[0, \"x\"]]", "parts[0].ranges[0][1]: expected a whole number"},
      {"/parts/0", "ranges", "[[3, 0]]", "parts[0].ranges[0]: expected a range of coordinates"},
      {"", "distinct", "1", "distinct: expected true or false"},
      {"", "format", "\"{XX}\"", "manifest-7.json: expected "},
      {"", "parts", "[null]", "parts[0]: expected an object"},
    };
    for (String[] change : wrong) {
      JsonNode tree = tree();
      ((ObjectNode) tree.at(change[0])).set(change[1], JSON.readTree(change[2]));
      assertThatThrownBy(() -> read(tree))
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_INPUT))
          .hasMessageContaining(change[3]);
    }
  }

  /** Under a right check sum. */
  @Test
  void whatFollowsTheManifestIsNoticed() throws Exception {
    String good = JSON.writeValueAsString(tree());
    assertThat(read(good + " \n\n ")).isEqualTo(manifest());
    for (String more : List.of(good, "{}", "[]", "null", "1", "\"x\"", "}", "x", ",", "// x")) {
      assertThatThrownBy(() -> read(good + "\n" + more + "\n"))
          .as(more)
          .isInstanceOfSatisfying(
              WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_INPUT))
          .hasMessageStartingWith("x.weft/manifest-7.json: expected ")
          .hasMessageNotContaining("found expected")
          .hasMessageContaining("found ");
    }
  }

  /** One "expected" and one "found", in words of those who write JSON. */
  @Test
  void whatIsNoManifestIsToldInWords() {
    for (String text : List.of("", "[]", "null", "3", "\"x\"", "{", "{\"modes\": 3}", "nonsense")) {
      assertThatThrownBy(() -> read(text + "\n"))
          .as(text)
          .isInstanceOf(WeftException.class)
          .hasMessageMatching("x.weft/manifest-7.json: ([\\w.\\[\\]]+: )?expected .*")
          .hasMessageNotContaining("found expected")
          .hasMessageNotContaining("VALUE_")
          .hasMessageNotContaining("START_");
    }
  }

  /** Whatever else they hold, before or after the number. */
  @Test
  void newerFormatsAreToldFromNonsense() throws Exception {
    for (String other : List.of("modes", "format", "later")) {
      for (boolean first : new boolean[] {true, false}) {
        ObjectNode tree = (ObjectNode) tree();
        tree.remove("formatVersion");
        ObjectNode newer = JSON.createObjectNode();
        if (first) {
          newer.put("formatVersion", 2);
        }
        newer.setAll(tree);
        newer.set(other, JSON.readTree("[{\"a\": [1]}]"));
        newer.put("formatVersion", 2);
        assertThatThrownBy(() -> read(newer))
            .isInstanceOfSatisfying(
                WeftException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_OPERATION))
            .hasMessageContaining("newer Weft");
      }
    }
  }
}
