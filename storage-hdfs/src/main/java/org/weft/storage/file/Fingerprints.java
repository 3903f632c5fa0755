package org.weft.storage.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The contents of files and folders. A file system's own check sum is taken where it keeps one, as
 * HDFS does, which reads nothing. Otherwise a file has SHA-256 of the CRC32C of its blocks of 64
 * KiB, big-endian: as HDFS sums blocks, and many times faster than SHA-256 of all bytes. A folder
 * has the names and contents of its files but those that begin with {@code _} or a dot; a container
 * its newest manifest, which has the check sums of its arrays. Cost: O(bytes) on file systems that
 * keep no check sums.
 */
public final class Fingerprints {
  private static final Pattern MANIFEST = Pattern.compile("manifest-([0-9]{1,18})\\.json");
  private static final int BLOCK_BYTES = 1 << 16;

  private final FileAccess files;

  public Fingerprints(FileAccess files) {
    this.files = files;
  }

  /** What is at {@code uri}; empty if there is nothing. */
  public Optional<Contents> of(String uri) {
    Path path = files.path(uri);
    FileSystem system = files.fileSystem(path);
    try {
      return Optional.of(of(system, system.getFileStatus(path)));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** Lengths and times of {@code uri}: what a change within a run is noticed by, at little cost. */
  public String stamp(String uri) {
    Path path = files.path(uri);
    FileSystem system = files.fileSystem(path);
    StringBuilder stamp = new StringBuilder();
    try {
      stamp(system, system.getFileStatus(path), stamp);
      return sha256(stamp.toString());
    } catch (FileNotFoundException e) {
      return "";
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private static void stamp(FileSystem system, FileStatus status, StringBuilder stamp)
      throws IOException {
    stamp.append(status.getPath()).append(' ').append(status.getLen());
    if (status.isFile()) {
      stamp.append(' ').append(status.getModificationTime());
    } else {
      for (FileStatus child : system.listStatus(status.getPath())) {
        stamp(system, child, stamp.append('\n'));
      }
    }
  }

  private static Contents of(FileSystem system, FileStatus status) throws IOException {
    if (status.isFile()) {
      FileChecksum kept = system.getFileChecksum(status.getPath());
      String sum =
          kept == null
              ? "crc32c-sha256:" + blocks(system, status.getPath())
              : kept.getAlgorithmName() + ":" + HexFormat.of().formatHex(kept.getBytes());
      return new Contents(status.getLen(), sum);
    }
    TreeMap<String, FileStatus> children = new TreeMap<>();
    long newest = 0;
    for (FileStatus child : system.listStatus(status.getPath())) {
      String name = child.getPath().getName();
      Matcher manifest = MANIFEST.matcher(name);
      newest = Math.max(newest, manifest.matches() ? Long.parseLong(manifest.group(1)) : 0);
      if (!name.startsWith("_") && !name.startsWith(".")) {
        children.put(name, child);
      }
    }
    if (newest > 0) {
      String name = "manifest-" + newest + ".json";
      children.keySet().removeIf(other -> !other.equals(name));
    }
    MessageDigest digest = sha256();
    long bytes = 0;
    for (FileStatus child : children.values()) {
      Contents contents = of(system, child);
      bytes += contents.bytes();
      String line = child.getPath().getName() + " " + contents + "\n";
      digest.update(line.getBytes(StandardCharsets.UTF_8));
    }
    return new Contents(bytes, "folder-sha256:" + HexFormat.of().formatHex(digest.digest()));
  }

  private static String blocks(FileSystem system, Path path) throws IOException {
    MessageDigest digest = sha256();
    CRC32C block = new CRC32C();
    byte[] buffer = new byte[BLOCK_BYTES];
    try (InputStream in = system.open(path)) {
      for (int n = in.readNBytes(buffer, 0, BLOCK_BYTES); n > 0; ) {
        block.reset();
        block.update(buffer, 0, n);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, (int) block.getValue()));
        n = in.readNBytes(buffer, 0, BLOCK_BYTES);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** SHA-256 of a text, in hexadecimal. */
  public static String sha256(String text) {
    return HexFormat.of().formatHex(sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
