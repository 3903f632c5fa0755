package org.weft.storage.container;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

  /** Loaded by those who write a manifest: it takes longer to load than others to read one. */
  private static final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
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
    try (ManifestReader reader = new ManifestReader(bytes, end)) {
      return manifest(reader, uri, version);
    } catch (WeftException e) {
      requireKnownFormat(bytes, end, uri);
      throw e;
    } catch (IOException e) {
      requireKnownFormat(bytes, end, uri);
      throw noJson(uri, "", e);
    }
  }

  private static Manifest manifest(ManifestReader reader, String uri, long version) {
    Manifest manifest;
    try {
      manifest = reader.manifest();
    } catch (Manifest.ImplausibleException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT, uri + ": " + reader.place() + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw malformed(uri, reader.place() + e.getMessage(), e);
    } catch (IOException e) {
      throw noJson(uri, reader.place(), e);
    }
    requireKnown(manifest.formatVersion(), uri);
    if (manifest.version() != version) {
      throw malformed(
          uri,
          "expected the manifest of version " + version + ", found that of " + manifest.version(),
          null);
    }
    return manifest;
  }

  /** Of a manifest that cannot be read: one of a newer format need not look like ours. */
  private static void requireKnownFormat(byte[] bytes, int end, String uri) {
    int formatVersion;
    try (ManifestReader reader = new ManifestReader(bytes, end)) {
      formatVersion = reader.formatVersion();
    } catch (IllegalArgumentException | IOException e) {
      return; // it says none
    }
    requireKnown(formatVersion, uri);
  }

  private static void requireKnown(int formatVersion, String uri) {
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
  }

  private static WeftException noJson(String uri, String place, IOException e) {
    String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return malformed(
        uri, place + "expected the JSON of a manifest, found other text: " + reason, e);
  }

  private static WeftException malformed(
      String uri, String what, @org.jspecify.annotations.Nullable Throwable cause) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        uri + ": " + what + "; copy the file again or read an older version",
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
