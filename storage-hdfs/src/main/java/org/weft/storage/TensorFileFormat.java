package org.weft.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;

/**
 * A file format as a plugin: found by {@link java.util.ServiceLoader}, chosen by extension, checked
 * by {@code TensorFileFormatContract} in the tests. Stateless and thread-safe.
 */
public interface TensorFileFormat {
  /** Name for messages and plans, such as {@code FROSTT text}. */
  String name();

  /** Extension with its dot, lower case: {@code .tns}. */
  String extension();

  /** Other extensions that files have; they are read, and {@link #extension} is what is written. */
  default List<String> otherExtensions() {
    return List.of();
  }

  /** Whether {@code name}, in lower case, ends in an extension of this format. */
  default boolean takes(String name) {
    return name.endsWith(extension()) || otherExtensions().stream().anyMatch(name::endsWith);
  }

  /** Whether tensors are also written in this format. */
  default boolean isWritable() {
    return true;
  }

  /** Whether files may be compressed as a whole, as {@link Compression} does. */
  boolean compressible();

  /** Whether files of parts of a tensor, one after the other, are a file of the tensor. */
  default boolean isJoinable() {
    return false;
  }

  /** Whether a tensor of this format is a folder. */
  default boolean isFolder() {
    return false;
  }

  /**
   * Says more about a tensor that was not found, if there is more to say.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND}
   */
  default void requireThere(FileAccess access, String uri) {}

  /** Reads what stands before the entries. Cost: a few lines or one seek. */
  TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException;

  /** Byte ranges of about {@code splitBytes} that cover the entries of {@code file}. */
  List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes) throws IOException;

  /** Opens one split. The reader closes what it opened if this throws. */
  BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException;

  /**
   * A writer of a tensor of {@code order} modes into {@code out}, which it closes. {@code name}
   * stands in messages.
   */
  TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException;

  /** Bytes that a file takes at least, whatever its entries are; 0 if the entries decide. */
  default double leastBytes(WriteOptions options) {
    return 0;
  }

  /**
   * Starts an output at {@code uri}.
   *
   * @throws WeftException {@code OUTPUT_EXISTS} if the target exists and is to be refused, {@code
   *     STORAGE_UNAVAILABLE} if there is no room for it
   */
  default TensorOutput create(
      FileAccess access, String uri, Existing existing, int order, WriteOptions options)
      throws IOException {
    if (existing == Existing.APPEND) {
      checkAppend(access, uri);
    }
    OutputCommit output = OutputCommit.begin(access, uri, existing);
    boolean ready = false;
    try {
      output.requireSpace(leastBytes(options));
      OutputStream out = Compression.of(uri).compress(output.create());
      TensorOutput made = new TensorOutput.OfFile(output, write(out, uri, order, options));
      ready = true;
      return made;
    } finally {
      if (!ready) {
        output.close();
      }
    }
  }

  /** Fails if an output at {@code uri} could not be written or published; leaves nothing. */
  default void checkOutput(FileAccess access, String uri, boolean overwrite) {
    OutputCommit.probe(access, uri, overwrite, false);
  }

  /** Fails if entries could not be added to what is at {@code uri}; leaves nothing. */
  default void checkAppend(FileAccess access, String uri) {
    throw new WeftException(
        ErrorCode.USAGE,
        uri + ": expected a tensor folder .weft to add entries to, found a file of " + name());
  }

  /**
   * For every original coordinate the stored one, for the modes of {@code file} that were
   * reordered.
   */
  default Map<Integer, int[]> permutations(SourceFile file) throws IOException {
    return Map.of();
  }

  /** The labels of original coordinates inside {@code file}, by mode; most formats have none. */
  default Map<Integer, Labels> labels(SourceFile file) throws IOException {
    return Map.of();
  }

  /** The names of the modes of {@code file}; most formats have none. */
  default List<String> modeNames(SourceFile file) {
    return List.of();
  }

  /** For formats whose coordinates have a fixed base: refuses the option that would change it. */
  static void refuseZeroBased(String uri, boolean zeroBased, String format) {
    if (zeroBased) {
      throw new WeftException(
          ErrorCode.USAGE,
          uri
              + ": zero-based coordinates are an option of .tns text; "
              + format
              + " fixes its own");
    }
  }
}
