package org.weft.storage;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * What a reader saw, complete once it is exhausted. Summaries of the splits of a file merge to the
 * file's.
 */
public final class ReadSummary implements Serializable {
  private static final long serialVersionUID = 1L;

  private final long[] maxCoordinates;
  private final long records;
  private final long entries;
  private final long lines;

  public ReadSummary(long[] maxCoordinates, long records, long entries, long lines) {
    this.maxCoordinates = maxCoordinates.clone();
    this.records = records;
    this.entries = entries;
    this.lines = lines;
  }

  public int order() {
    return maxCoordinates.length;
  }

  /** Largest 0-based coordinate of {@code mode}; -1 if there was no entry. */
  public long maxCoordinate(int mode) {
    return maxCoordinates[mode];
  }

  /** Entries as the file counts them. */
  public long records() {
    return records;
  }

  /** Entries delivered in blocks, symmetric ones expanded. */
  public long entries() {
    return entries;
  }

  /** Text lines passed, blank ones and comments included; 0 for binary files. */
  public long lines() {
    return lines;
  }

  public ReadSummary merge(ReadSummary other) {
    long[] maxima = maxCoordinates.clone();
    for (int mode = 0; mode < maxima.length; mode++) {
      maxima[mode] = Math.max(maxima[mode], other.maxCoordinates[mode]);
    }
    return new ReadSummary(
        maxima, records + other.records, entries + other.entries, lines + other.lines);
  }

  /** The declared mode sizes, or else the smallest that hold every coordinate seen. */
  public TensorShape shape(TensorHeader header) {
    return header
        .shape()
        .orElseGet(() -> TensorShape.of(LongStream.of(maxCoordinates).map(m -> m + 1).toArray()));
  }

  @Override
  public String toString() {
    return Counts.plain(entries, "entry")
        + ", largest coordinates "
        + Arrays.toString(maxCoordinates);
  }
}
