package org.weft.spark.key;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the driver learns of {@link KeyedRows}.
 *
 * @param spaces of the modes
 * @param keys their number, by mode
 * @param bytes of the keys, by mode
 * @param samples beginnings of some of the keys, by mode
 */
public record KeySummary(
    long rows, long rejected, int[] spaces, long[] keys, long[] bytes, byte[][][] samples)
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
        rows.spaces(),
        rows.keys().stream().mapToLong(ByteDictionary::size).toArray(),
        rows.keys().stream().mapToLong(ByteDictionary::bytes).toArray(),
        rows.keys().stream().map(KeySummary::sample).toArray(byte[][][]::new));
  }

  /** About the number of keys of {@code space}: one of two modes counts twice. */
  long keys(int space) {
    return modes(space).mapToLong(mode -> keys[mode]).sum();
  }

  /** About the bytes of the keys of {@code space}. */
  long bytes(int space) {
    return modes(space).mapToLong(mode -> bytes[mode]).sum();
  }

  /** Beginnings of some of the keys of {@code space}. */
  Stream<byte[]> samples(int space) {
    return modes(space).boxed().flatMap(mode -> Arrays.stream(samples[mode]));
  }

  private IntStream modes(int space) {
    return IntStream.range(0, spaces.length).filter(mode -> spaces[mode] == space);
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
