package org.weft.spark.ingest.key;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What the driver learns of {@link KeyedRows}.
 *
 * @param keys their number, by mode
 * @param samples beginnings of some of the keys, by mode
 */
public record KeySummary(long rows, long rejected, long[] keys, byte[][][] samples)
    implements Serializable {
  private static final int MOST_SAMPLES = 20;

  /** Keys for each of which there is a sample. */
  private static final int SAMPLED_KEYS = 1 << 11;

  /** Of a sample behind what all have in common. */
  private static final int BYTES = 64;

  private static final int MOST_BYTES = 1 << 10;

  /** Of {@code rows}. */
  public static KeySummary of(KeyedRows rows) {
    return new KeySummary(
        rows.rows().size(),
        rows.rejected(),
        rows.keys().stream().mapToLong(ByteDictionary::size).toArray(),
        rows.keys().stream().map(KeySummary::sample).toArray(byte[][][]::new));
  }

  private static byte[][] sample(ByteDictionary keys) {
    int size = keys.size();
    int count = Math.min(MOST_SAMPLES, (size + SAMPLED_KEYS - 1) / SAMPLED_KEYS);
    byte[][] samples =
        IntStream.range(0, count)
            .mapToObj(n -> keys.get((int) ((long) n * size / count)))
            .toArray(byte[][]::new);
    int common = MOST_BYTES;
    for (byte[] sample : samples) {
      int differs = Arrays.mismatch(samples[0], sample);
      common = differs < 0 ? common : Math.min(common, differs);
    }
    int most = Math.min(MOST_BYTES, common + BYTES);
    return Arrays.stream(samples)
        .map(sample -> sample.length <= most ? sample : Arrays.copyOf(sample, most))
        .toArray(byte[][]::new);
  }
}
