package org.weft.storage.container;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.error.WeftException;

/**
 * Reads the JSON of a manifest member by member: an object mapper takes longer to start than a
 * small job. Members may come in any order, and those that this program does not know are passed
 * over. A manifest that is none is an {@code IllegalArgumentException}, and {@link #place} says
 * where.
 */
final class ManifestReader implements Closeable {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonParser json;

  ManifestReader(byte[] bytes, int count) throws IOException {
    json = FACTORY.createParser(bytes, 0, count);
  }

  /** One value of a kind. */
  private interface Value<T> {
    T read() throws IOException;
  }

  /**
   * The format of the manifest alone, whatever else it holds; 0 if it says none.
   *
   * @throws IOException if it is no JSON up to there
   */
  int formatVersion() throws IOException {
    json.nextToken();
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      if (name.equals("formatVersion")) {
        return json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getIntValue() : 0;
      }
      json.skipChildren();
    }
    return 0;
  }

  /**
   * The whole manifest.
   *
   * @throws IOException if it is no JSON, or has numbers that are too large
   */
  Manifest manifest() throws IOException {
    json.nextToken();
    try {
      Manifest manifest = members();
      if (json.nextToken() != null) {
        throw new IllegalArgumentException(
            "expected nothing after the manifest, found " + kind(json.currentToken()));
      }
      return manifest;
    } catch (WeftException e) {
      throw new IllegalArgumentException(
          "expected a format of its modes, found another: " + e.getMessage(), e);
    }
  }

  private Manifest members() throws IOException {
    Integer formatVersion = null;
    Long version = null;
    String valueType = null;
    String format = null;
    Boolean distinct = null;
    Integer blockBytes = null;
    List<Manifest.Mode> modes = null;
    Manifest.Statistics statistics = null;
    List<Manifest.DataFile> files = null;
    List<Manifest.Part> parts = null;
    List<Manifest.Batch> batches = null;
    Manifest.Provenance provenance = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "formatVersion" -> formatVersion = narrow();
        case "version" -> version = whole();
        case "valueType" -> valueType = text();
        case "format" -> format = text();
        case "distinct" -> distinct = truth();
        case "blockBytes" -> blockBytes = narrow();
        case "modes" -> modes = list(this::mode);
        case "statistics" -> statistics = statistics();
        case "files" -> files = list(this::dataFile);
        case "parts" -> parts = list(this::part);
        case "batches" -> batches = isNull() ? null : list(this::batch);
        case "provenance" -> provenance = provenance();
        default -> json.skipChildren();
      }
    }
    return new Manifest(
        given(formatVersion, "formatVersion"),
        given(version, "version"),
        given(valueType, "valueType"),
        given(format, "format"),
        given(distinct, "distinct"),
        given(blockBytes, "blockBytes"),
        given(modes, "modes"),
        given(statistics, "statistics"),
        given(files, "files"),
        given(parts, "parts"),
        batches == null ? List.of() : batches, // older versions have none
        given(provenance, "provenance"));
  }

  private Manifest.Mode mode() throws IOException {
    String modeName = null;
    Long size = null;
    Manifest.Histogram histogram = null;
    Manifest.Sample sample = null;
    Manifest.ArrayEntry permutation = null;
    Manifest.LabelEntry labels = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "name" -> modeName = text();
        case "size" -> size = whole();
        case "histogram" -> histogram = histogram();
        case "sample" -> sample = isNull() ? null : sample();
        case "permutation" -> permutation = isNull() ? null : array();
        case "labels" -> labels = isNull() ? null : labels();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Mode(
        given(modeName, "name"),
        given(size, "size"),
        given(histogram, "histogram"),
        sample,
        permutation,
        labels);
  }

  private Manifest.Histogram histogram() throws IOException {
    Integer shift = null;
    Long largest = null;
    Manifest.ArrayEntry counts = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "shift" -> shift = narrow();
        case "largest" -> largest = whole();
        case "counts" -> counts = array();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Histogram(
        given(shift, "shift"), given(largest, "largest"), given(counts, "counts"));
  }

  private Manifest.Sample sample() throws IOException {
    Integer level = null;
    Manifest.ArrayEntry slices = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "level" -> level = narrow();
        case "slices" -> slices = array();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Sample(given(level, "level"), given(slices, "slices"));
  }

  private Manifest.LabelEntry labels() throws IOException {
    Long count = null;
    List<Manifest.ArrayEntry> text = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "count" -> count = whole();
        case "text" -> text = list(this::array);
        default -> json.skipChildren();
      }
    }
    return new Manifest.LabelEntry(given(count, "count"), given(text, "text"));
  }

  private Manifest.Statistics statistics() throws IOException {
    Long entries = null;
    Double normSquared = null;
    Double minimum = null;
    Double maximum = null;
    Long nonfinite = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "entries" -> entries = whole();
        case "normSquared" -> normSquared = real();
        case "minimum" -> minimum = real();
        case "maximum" -> maximum = real();
        case "nonfinite" -> nonfinite = whole();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Statistics(
        given(entries, "entries"),
        given(normSquared, "normSquared"),
        given(minimum, "minimum"),
        given(maximum, "maximum"),
        given(nonfinite, "nonfinite"));
  }

  private Manifest.DataFile dataFile() throws IOException {
    String path = null;
    Long bytes = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "path" -> path = text();
        case "bytes" -> bytes = whole();
        default -> json.skipChildren();
      }
    }
    return new Manifest.DataFile(given(path, "path"), given(bytes, "bytes"));
  }

  private Manifest.Part part() throws IOException {
    Long entries = null;
    Double normSquared = null;
    List<Manifest.Range> ranges = null;
    List<Manifest.LevelEntry> levels = null;
    Manifest.ArrayEntry values = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "entries" -> entries = whole();
        case "normSquared" -> normSquared = real();
        case "ranges" -> ranges = list(this::range);
        case "levels" -> levels = list(this::level);
        case "values" -> values = array();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Part(
        given(entries, "entries"),
        given(normSquared, "normSquared"),
        given(ranges, "ranges"),
        given(levels, "levels"),
        given(values, "values"));
  }

  private Manifest.Range range() throws IOException {
    begin(JsonToken.START_ARRAY, "a list");
    json.nextToken();
    long first = whole();
    json.nextToken();
    long last = whole();
    endList();
    return new Manifest.Range(first, last);
  }

  private Manifest.LevelEntry level() throws IOException {
    Long positions = null;
    Manifest.ArrayEntry pos = null;
    Manifest.ArrayEntry crd = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "positions" -> positions = whole();
        case "pos" -> pos = isNull() ? null : array();
        case "crd" -> crd = isNull() ? null : array();
        default -> json.skipChildren();
      }
    }
    return new Manifest.LevelEntry(given(positions, "positions"), pos, crd);
  }

  private Manifest.ArrayEntry array() throws IOException {
    Integer file = null;
    Long offset = null;
    String type = null;
    Long length = null;
    List<Manifest.Block> blocks = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "file" -> file = narrow();
        case "offset" -> offset = whole();
        case "type" -> type = text();
        case "length" -> length = whole();
        case "blocks" -> blocks = list(this::block);
        default -> json.skipChildren();
      }
    }
    return new Manifest.ArrayEntry(
        given(file, "file"),
        given(offset, "offset"),
        given(type, "type"),
        given(length, "length"),
        given(blocks, "blocks"));
  }

  private Manifest.Block block() throws IOException {
    begin(JsonToken.START_ARRAY, "a list");
    json.nextToken();
    String encoding = text();
    json.nextToken();
    int bytes = narrow();
    json.nextToken();
    String check = text();
    endList();
    return new Manifest.Block(encoding, bytes, check);
  }

  private Manifest.Batch batch() throws IOException {
    String key = null;
    Integer firstPart = null;
    Integer parts = null;
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "key" -> key = text();
        case "firstPart" -> firstPart = narrow();
        case "parts" -> parts = narrow();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Batch(
        given(key, "key"), given(firstPart, "firstPart"), given(parts, "parts"));
  }

  private Manifest.Provenance provenance() throws IOException {
    String source = "";
    String command = "";
    String weft = "";
    begin(JsonToken.START_OBJECT, "an object");
    for (String name = next(); name != null; name = next()) {
      switch (name) {
        case "source" -> source = text();
        case "command" -> command = text();
        case "weft" -> weft = text();
        default -> json.skipChildren();
      }
    }
    return new Manifest.Provenance(source, command, weft);
  }

  /** The name of the next member, at whose value the parser then is; null behind the last. */
  private @Nullable String next() throws IOException {
    if (json.nextToken() == JsonToken.END_OBJECT) {
      return null;
    }
    String name = json.currentName();
    json.nextToken();
    return name;
  }

  private <T> List<T> list(Value<T> value) throws IOException {
    begin(JsonToken.START_ARRAY, "a list");
    List<T> all = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      all.add(value.read());
    }
    return all;
  }

  /** Passes over what a list has besides the values that are known. */
  private void endList() throws IOException {
    while (json.nextToken() != JsonToken.END_ARRAY) {
      json.skipChildren();
    }
  }

  private boolean isNull() {
    return json.currentToken() == JsonToken.VALUE_NULL;
  }

  private long whole() throws IOException {
    begin(JsonToken.VALUE_NUMBER_INT, "a whole number");
    return json.getLongValue();
  }

  private int narrow() throws IOException {
    begin(JsonToken.VALUE_NUMBER_INT, "a whole number");
    return json.getIntValue();
  }

  /** A number; those that JSON has not are text. */
  private double real() throws IOException {
    if (json.currentToken() == JsonToken.VALUE_STRING) {
      switch (json.getText()) {
        case "NaN":
          return Double.NaN;
        case "Infinity":
          return Double.POSITIVE_INFINITY;
        case "-Infinity":
          return Double.NEGATIVE_INFINITY;
        default:
          break;
      }
    }
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      begin(JsonToken.VALUE_NUMBER_FLOAT, "a number");
    }
    return json.getDoubleValue();
  }

  private boolean truth() throws IOException {
    if (json.currentToken() != JsonToken.VALUE_TRUE) {
      begin(JsonToken.VALUE_FALSE, "true or false");
    }
    return json.getBooleanValue();
  }

  private String text() throws IOException {
    begin(JsonToken.VALUE_STRING, "text");
    return json.getText();
  }

  /** Throws unless the parser is at such a value, or at the beginning of one. */
  private void begin(JsonToken expected, String what) throws IOException {
    if (json.currentToken() != expected) {
      throw new IllegalArgumentException(
          "expected " + what + ", found " + kind(json.currentToken()));
    }
  }

  /** What a token is to those who write JSON. */
  private static String kind(@Nullable JsonToken token) {
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING, FIELD_NAME -> "text";
      case VALUE_NUMBER_INT -> "a whole number";
      case VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "true or false";
      case VALUE_NULL -> "null";
      default -> "another value";
    };
  }

  private static <T> T given(@Nullable T member, String name) {
    if (member == null) {
      throw new IllegalArgumentException("expected " + name);
    }
    return member;
  }

  /** Where the parser is: {@code parts[0].values: }. Nothing at the manifest itself. */
  String place() {
    StringBuilder place = new StringBuilder();
    append(json.getParsingContext(), place);
    return place.isEmpty() ? "" : place.append(": ").toString();
  }

  private static void append(JsonStreamContext at, StringBuilder place) {
    if (at.getParent() != null) {
      append(at.getParent(), place);
    }
    if (at.inArray() && at.hasCurrentIndex()) {
      place.append('[').append(at.getCurrentIndex()).append(']');
    } else if (at.inObject() && at.hasCurrentName()) {
      place.append(place.isEmpty() ? "" : ".").append(at.getCurrentName());
    }
  }

  @Override
  public void close() throws IOException {
    json.close();
  }
}
