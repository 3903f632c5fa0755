package org.weft.spark.ingest.key;

import java.io.Serializable;
import java.util.stream.IntStream;

/**
 * What the driver learns of {@link KeyedRows}.
 *
 * @param keys their number, by mode
 * @param samples beginnings of some of the keys, by mode
 */
public record KeySummary(long rows, long rejected, long[] keys, byte[][][] samples)
    implements Serializable {
  private static final int SAMPLED = 20;
  private static final int SAMPLE_BYTES = 64;

  /** Of {@code rows}. */
  public static KeySummary of(KeyedRows rows) {
    return new KeySummary(
        rows.rows().size(),
        rows.rejected(),
        rows.keys().stream().mapToLong(ByteDictionary::size).toArray(),
        rows.keys().stream().map(KeySummary::sample).toArray(byte[][][]::new));
  }

  private static byte[][] sample(ByteDictionary keys) {
    int count = Math.min(SAMPLED, keys.size());
    return IntStream.range(0, count)
        .mapToObj(n -> keys.get((int) ((long) n * keys.size() / count)))
        .map(key -> key.length <= SAMPLE_BYTES ? key : java.util.Arrays.copyOf(key, SAMPLE_BYTES))
        .toArray(byte[][]::new);
  }
}
