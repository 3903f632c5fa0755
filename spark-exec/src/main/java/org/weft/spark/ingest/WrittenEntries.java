package org.weft.spark.ingest;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.weft.storage.container.ContainerPiece;

/**
 * What tasks have written.
 *
 * @param wrong the first entry without a value that the job allows; null if all have one
 */
public record WrittenEntries(ContainerPiece piece, long count, @Nullable NoValue wrong)
    implements Serializable {
  /**
   * An entry without a value.
   *
   * @param range that it is in
   * @param found its value, or "none"
   */
  record NoValue(int range, long[] coordinates, String found) implements Serializable {}

  WrittenEntries merge(WrittenEntries other) {
    boolean first = other.wrong == null || wrong != null && wrong.range() < other.wrong.range();
    return new WrittenEntries(
        piece.merge(other.piece), count + other.count, first ? wrong : other.wrong);
  }
}
