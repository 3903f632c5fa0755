package org.weft.storage.text;

import java.util.ArrayList;
import java.util.List;
import org.weft.storage.Compression;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;

/** Byte ranges of text files: anywhere for plain text, one for a compressed file. */
final class TextSplits {
  private TextSplits() {}

  /** Whether the file can only be read from its beginning. */
  static boolean isWhole(SourceFile file) {
    return file.compression() != Compression.NONE;
  }

  static List<InputSplit> whole(SourceFile file) {
    return List.of(new InputSplit(file.uri(), 0, file.length(), file.length()));
  }

  /** Ranges of equal length, {@code splitBytes} at most, from {@code dataStart} to the end. */
  static List<InputSplit> of(SourceFile file, long dataStart, long splitBytes) {
    if (isWhole(file) || file.length() <= dataStart) {
      return whole(file);
    }
    long bytes = file.length() - dataStart;
    long size = Math.max(1, splitBytes);
    long count = bytes / size + (bytes % size == 0 ? 0 : 1);
    List<InputSplit> splits = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long from = dataStart + share(bytes, i, count);
      long to = dataStart + share(bytes, i + 1, count);
      splits.add(new InputSplit(file.uri(), from, to - from, file.length()));
    }
    return splits;
  }

  /** The first {@code i} of {@code count} nearly equal shares of {@code total}. */
  private static long share(long total, long i, long count) {
    return total / count * i + Math.min(i, total % count);
  }
}
