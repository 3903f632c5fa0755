package org.weft.storage.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A manifest as bytes: JSON, then a line with the check sum of all bytes before that line.
 *
 * <pre>
 * {
 *   "formatVersion" : 1,
 *   ...
 * }
 * crc32c 0a1b2c3d
 * </pre>
 */
final class ManifestFile {
  private static final String CHECK = "crc32c ";
  private static final int CHECK_BYTES = CHECK.length() + 8 + 1;
  private static final Pattern NAME = Pattern.compile("manifest-([1-9][0-9]{0,17})\\.json");

  private ManifestFile() {}

  /** Loaded by those who read or write a manifest, not by all who ask for a version's name. */
  private static final class Json {
    static final ObjectMapper MAPPER =
        new ObjectMapper()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
  }

  /** The name of the manifest of {@code version}. */
  static String name(long version) {
    return "manifest-" + version + ".json";
  }

  /** The version whose manifest is named {@code name}; 0 if that is none. */
  static long version(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
  }

  static byte[] encode(Manifest manifest) {
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n"));
    try {
      byte[] json =
          (Json.MAPPER.writer(printer).writeValueAsString(manifest) + "\n")
              .getBytes(StandardCharsets.UTF_8);
      byte[] whole = Arrays.copyOf(json, json.length + CHECK_BYTES);
      byte[] line = (CHECK + check(json, json.length) + "\n").getBytes(StandardCharsets.UTF_8);
      System.arraycopy(line, 0, whole, json.length, CHECK_BYTES);
      return whole;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a manifest that is no JSON", e);
    }
  }

  /**
   * Reads and checks.
   *
   * @param uri of the file, for messages
   * @throws WeftException {@code TRUNCATED_INPUT}, {@code CORRUPT_INPUT}, or {@code
   *     UNSUPPORTED_OPERATION} for a version that this program does not know
   */
  static Manifest decode(byte[] bytes, String uri, long version) {
    int end = bytes.length - CHECK_BYTES;
    String line = end < 0 ? "" : new String(bytes, end, CHECK_BYTES, StandardCharsets.ISO_8859_1);
    if (!line.startsWith(CHECK) || !line.endsWith("\n")) {
      throw new WeftException(
          ErrorCode.TRUNCATED_INPUT,
          uri
              + ": expected a manifest that ends in a line with its check sum, found none in "
              + bytes.length
              + " bytes; the file is truncated, copy it again or read an older version");
    }
    String expected = line.substring(CHECK.length(), CHECK_BYTES - 1);
    String found = check(bytes, end);
    if (!expected.equals(found)) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected CRC32C "
              + expected
              + " for the manifest, found "
              + found
              + "; the file is corrupt, copy it again or read an older version");
    }
    try {
      JsonNode tree = Json.MAPPER.readTree(bytes, 0, end);
      int formatVersion = tree.path("formatVersion").asInt();
      if (formatVersion > Manifest.FORMAT_VERSION) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED_OPERATION,
            uri
                + ": expected container format "
                + Manifest.FORMAT_VERSION
                + ", found "
                + formatVersion
                + "; it was written by a newer Weft, read it with that");
      }
      Manifest manifest = Json.MAPPER.treeToValue(tree, Manifest.class);
      if (manifest.version() != version) {
        throw malformed(uri, "version " + manifest.version(), null);
      }
      return manifest;
    } catch (JsonMappingException e) {
      Throwable reason = e instanceof ValueInstantiationException ? e.getCause() : null;
      if (reason instanceof Manifest.ImplausibleException) {
        throw new WeftException(
            ErrorCode.CORRUPT_INPUT, uri + ": " + place(e.getPath()) + reason.getMessage(), e);
      }
      throw malformed(uri, place(e.getPath()) + firstLine(reason == null ? e : reason), e);
    } catch (java.io.IOException | IllegalArgumentException e) {
      throw malformed(uri, firstLine(e), e);
    }
  }

  /** Where in the manifest: {@code parts[0].values: }. */
  private static String place(List<JsonMappingException.Reference> path) {
    StringBuilder place = new StringBuilder();
    for (JsonMappingException.Reference step : path) {
      if (step.getFieldName() == null) {
        place.append('[').append(step.getIndex()).append(']');
      } else {
        place.append(place.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return place.isEmpty() ? "" : place.append(": ").toString();
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static WeftException malformed(
      String uri, String found, @org.jspecify.annotations.Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri + ": expected the manifest of this version of a tensor, found " + found,
        cause);
  }

  private static String check(byte[] bytes, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, count);
    return hex(crc.getValue());
  }

  static String hex(long check) {
    return java.util.HexFormat.of().toHexDigits((int) check);
  }
}
