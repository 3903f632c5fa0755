package org.weft.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Tensors for benchmarks with the mode sizes, nonzeros and skew of {@code weft generate}:
 * coordinate c of a mode comes in proportion to (c + 1)^-a, values are multiples of 0.01 up to 10.
 * Sorted, without duplicates, the same every time.
 */
enum SyntheticTensors {
  /** {@code nell-2 --scale 0.05}. */
  NELL_2(3_843_971, new long[] {4_455, 3_384, 10_617}, 1, .9, 1),
  UBER(3_309_490, new long[] {183, 24, 1_140, 1_717}, .2, .3, .8, .9),
  /** {@code delicious-3d --scale 0.025}. */
  DELICIOUS(3_503_155, new long[] {155_829, 5_047_541, 725_243}, .6, .7, 1);

  private static final int BLOCK_ENTRIES = 40_000;

  private final int nonzeros;
  private final long[] sizes;
  private final double[] exponents;

  SyntheticTensors(int nonzeros, long[] sizes, double... exponents) {
    this.nonzeros = nonzeros;
    this.sizes = sizes;
    this.exponents = exponents;
  }

  TensorShape shape() {
    return TensorShape.of(sizes);
  }

  List<CooBlock> generate() {
    SplittableRandom random = new SplittableRandom(1);
    long[] keys = new long[0];
    while (keys.length < nonzeros) {
      int kept = keys.length;
      keys = Arrays.copyOf(keys, kept + (nonzeros - kept) * 5 / 4 + 1000);
      for (int i = kept; i < keys.length; i++) {
        for (int mode = 0; mode < sizes.length; mode++) {
          keys[i] = keys[i] * sizes[mode] + draw(sizes[mode], exponents[mode], random.nextDouble());
        }
      }
      Arrays.parallelSort(keys);
      keys = Arrays.stream(keys).distinct().toArray();
    }
    List<CooBlock> blocks = new ArrayList<>();
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, BLOCK_ENTRIES);
    // As many as wanted, spread over all that were drawn.
    for (long e = 0; e < nonzeros; e++) {
      long key = keys[(int) (e * keys.length / nonzeros)];
      for (int mode = sizes.length - 1; mode >= 0; mode--) {
        block.set(mode, key % sizes[mode]);
        key /= sizes[mode];
      }
      block.finish((1 + random.nextInt(1000)) / 100.0);
      if (block.size() == BLOCK_ENTRIES || e == nonzeros - 1) {
        blocks.add(block.build());
      }
    }
    return blocks;
  }

  /** The inverse of the distribution's integral. */
  private static long draw(long size, double exponent, double u) {
    double end = size + 1.0;
    double at =
        exponent == 1
            ? Math.pow(end, u)
            : Math.pow(1 + u * (Math.pow(end, 1 - exponent) - 1), 1 / (1 - exponent));
    return Math.min(size - 1, (long) at - 1);
  }
}
