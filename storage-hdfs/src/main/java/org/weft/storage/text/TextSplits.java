package org.weft.storage.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.storage.InputSplit;
import org.weft.storage.SourceFile;
import org.weft.storage.codec.Bzip2Source;

/** Byte ranges of text files: anywhere for plain text and bzip2, one for other compressed files. */
final class TextSplits {
  private TextSplits() {}

  static List<InputSplit> whole(SourceFile file) {
    return List.of(new InputSplit(file.uri(), 0, file.length(), file.length()));
  }

  /** Ranges of equal length, {@code splitBytes} at most, that hold the lines after the header. */
  static List<InputSplit> of(SourceFile file, long dataStart, long splitBytes) throws IOException {
    return switch (file.compression()) {
      case NONE -> ranges(file, dataStart, dataStart, splitBytes);
      case BZIP2 -> ranges(file, 0, endOfHeader(file, dataStart), splitBytes);
      case GZIP, ZSTD -> whole(file);
    };
  }

  /** The first byte of the first bzip2 block that starts after the header. */
  private static long endOfHeader(SourceFile file, long dataStart) throws IOException {
    try (Bzip2Source in = file.openBlocks(0, file.length())) {
      in.skipNBytes(dataStart);
      return in.nextBlock() < 0 ? file.length() : in.nextBlock();
    }
  }

  /** Ranges from {@code from} on, the first of which reaches {@code firstEnd} at least. */
  private static List<InputSplit> ranges(
      SourceFile file, long from, long firstEnd, long splitBytes) {
    if (file.length() <= firstEnd) {
      return whole(file);
    }
    long bytes = file.length() - firstEnd;
    long size = Math.max(1, splitBytes);
    long count = bytes / size + (bytes % size == 0 ? 0 : 1);
    List<InputSplit> splits = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long start = i == 0 ? from : firstEnd + share(bytes, i, count);
      long end = firstEnd + share(bytes, i + 1, count);
      splits.add(new InputSplit(file.uri(), start, end - start, file.length()));
    }
    return splits;
  }

  /** The first {@code i} of {@code count} nearly equal shares of {@code total}. */
  private static long share(long total, long i, long count) {
    return total / count * i + Math.min(i, total % count);
  }
}
