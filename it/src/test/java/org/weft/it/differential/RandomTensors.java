package org.weft.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Small tensors of every awkward shape, each from one seed. */
final class RandomTensors {
  private RandomTensors() {}

  /** A tensor of order 1 to 5: some modes of size 1, duplicates, stored zeros, signed values. */
  static Entries of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int order = 1 + (int) Math.floorMod(seed, 5);
    long[] sizes = new long[order];
    for (int mode = 0; mode < order; mode++) {
      sizes[mode] = random.nextInt(5) == 0 ? 1 : random.nextLong(2, order == 1 ? 400 : 25);
    }
    int count = random.nextInt(8) == 0 ? random.nextInt(3) : random.nextInt(1, 400);
    return fill(sizes, count, random);
  }

  /** A tensor of the given sizes; a fifth of the entries repeat an earlier coordinate. */
  static Entries fill(long[] sizes, int count, SplittableRandom random) {
    long[][] coordinates = new long[sizes.length][count];
    double[] values = new double[count];
    for (int entry = 0; entry < count; entry++) {
      int original = entry > 0 && random.nextInt(5) == 0 ? random.nextInt(entry) : -1;
      for (int mode = 0; mode < sizes.length; mode++) {
        coordinates[mode][entry] =
            original >= 0 ? coordinates[mode][original] : random.nextLong(sizes[mode]);
      }
      values[entry] = random.nextInt(10) == 0 ? 0.0 : random.nextDouble(-4, 4);
    }
    return new Entries(sizes, coordinates, values);
  }

  /** Positive values at coordinates that crowd towards 0, as real tensors' do. */
  static Entries skewed(long[] sizes, int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[][] coordinates = new long[sizes.length][count];
    double[] values = new double[count];
    for (int entry = 0; entry < count; entry++) {
      for (int mode = 0; mode < sizes.length; mode++) {
        double share = random.nextDouble();
        coordinates[mode][entry] = (long) (share * share * sizes[mode]);
      }
      values[entry] = random.nextDouble(0.1, 3);
    }
    return new Entries(sizes, coordinates, values);
  }

  /** As {@link #skewed}, with values whose sums have no rounding. */
  static Entries wholeNumbers(long[] sizes, int count, long seed) {
    Entries entries = skewed(sizes, count, seed);
    java.util.Arrays.setAll(entries.values(), e -> Math.ceil(entries.values()[e]));
    return entries;
  }

  static Entries empty(long... sizes) {
    return new Entries(sizes, new long[sizes.length][0], new double[0]);
  }

  /** Every coordinate of one mode, all others fixed: a slice heavier than any partition. */
  static Entries denseFiber(int order, int fiberMode, int length) {
    long[] sizes = new long[order];
    long[][] coordinates = new long[order][length];
    double[] values = new double[length];
    for (int mode = 0; mode < order; mode++) {
      sizes[mode] = mode == fiberMode ? length : 3;
      for (int entry = 0; entry < length; entry++) {
        coordinates[mode][entry] = mode == fiberMode ? entry : 1;
      }
    }
    for (int entry = 0; entry < length; entry++) {
      values[entry] = 1 + entry % 7;
    }
    return new Entries(sizes, coordinates, values);
  }

  /** One cell stored many times. */
  static Entries oneCell(int order, int times) {
    long[] sizes = new long[order];
    long[][] coordinates = new long[order][times];
    double[] values = new double[times];
    java.util.Arrays.fill(sizes, 2);
    java.util.Arrays.fill(values, 0.125);
    return new Entries(sizes, coordinates, values);
  }

  /** The named awkward cases that a random seed may not reach. */
  static List<Entries> awkward() {
    List<Entries> cases = new ArrayList<>();
    for (int order = 1; order <= 5; order++) {
      long[] sizes = new long[order];
      java.util.Arrays.setAll(sizes, mode -> 3 + mode);
      cases.add(empty(sizes.clone()));
      sizes[order - 1] = 0;
      cases.add(empty(sizes));
      cases.add(denseFiber(order, order - 1, 64));
    }
    cases.add(denseFiber(3, 0, 64));
    cases.add(denseFiber(3, 1, 64));
    cases.add(empty(0, 0, 0));
    cases.add(oneCell(1, 9));
    cases.add(oneCell(4, 9));
    cases.add(fill(new long[] {1, 1, 1}, 5, new SplittableRandom(5)));
    cases.add(fill(new long[] {1, 30, 1, 1}, 40, new SplittableRandom(6)));
    cases.add(fill(new long[] {70_000, 2, 70_000}, 300, new SplittableRandom(7)));
    return cases;
  }
}
