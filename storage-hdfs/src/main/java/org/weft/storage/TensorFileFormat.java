package org.weft.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * A file format as a plugin: found by {@link java.util.ServiceLoader}, chosen by extension, checked
 * by {@code TensorFileFormatContract} in the tests. Stateless and thread-safe.
 */
public interface TensorFileFormat {
  /** Name for messages and plans, such as {@code FROSTT text}. */
  String name();

  /** Extension with its dot, lower case: {@code .tns}. */
  String extension();

  /** Whether files may be gzip'd as a whole. */
  boolean compressible();

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

  /** The labels inside {@code file}, by mode; most formats have none. */
  default Map<Integer, Labels> labels(SourceFile file) throws IOException {
    return Map.of();
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
