package org.weft.compiler.eval;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.level.LevelView;

/**
 * How the stored entries of one tensor lie along its modes, counted in its {@code pos} and {@code
 * crd} arrays. The positions of a compressed level count its fibers exactly. Of a level with more
 * than {@value #MOST_VISITED} positions an even sample is counted, so that the cost is bounded.
 */
final class ModeCounts {
  /** Positions of a level that are looked at. */
  static final int MOST_VISITED = 1 << 18;

  /** The same where coordinates are too many for an array of counts. */
  private static final int MOST_HASHED = 1 << 16;

  private static final long MOST_COUNTED = 1 << 20;

  private final Mode[] modes;
  private final Map<Set<Integer>, Double> fibers;

  private ModeCounts(Mode[] modes, Map<Set<Integer>, Double> fibers) {
    this.modes = modes;
    this.fibers = fibers;
  }

  /**
   * One mode.
   *
   * @param coordinates of slices that have entries, in order; those of a sample
   * @param shares of the entries in each of these slices, which add up to 1
   * @param distinct slices that have entries
   */
  record Mode(long[] coordinates, double[] shares, double distinct) {}

  /** The counts of {@code tensor}; empty for formats whose levels are not one for each mode. */
  static Optional<ModeCounts> of(TensorStorage tensor) {
    TensorFormat format = tensor.format();
    if (!Conversions.isPlain(format) || format.order() == 0 || tensor.storedEntries() == 0) {
      return Optional.empty();
    }
    Mode[] modes = new Mode[format.order()];
    Map<Set<Integer>, Double> fibers = new HashMap<>();
    Set<Integer> prefix = Set.of();
    boolean unique = true;
    for (int level = 0; level < modes.length; level++) {
      int mode = format.modeOf(level);
      modes[mode] = new LevelCount(tensor, level).count();
      Set<Integer> longer = new java.util.HashSet<>(prefix);
      longer.add(mode);
      prefix = Set.copyOf(longer);
      String symbol = format.level(level).format().symbol();
      unique &= symbol.equals("CU") || symbol.equals("D");
      if (unique && symbol.equals("CU")) {
        fibers.put(prefix, (double) tensor.positions(level));
      }
    }
    return Optional.of(new ModeCounts(modes, fibers));
  }

  Mode mode(int mode) {
    return modes[mode];
  }

  /**
   * Coordinates over some modes below which there are entries: exact for one mode and for the modes
   * of the outermost levels, else as if the entries were spread evenly over the slices in use.
   *
   * @param stored entries of the tensor
   */
  double fibers(Set<Integer> some, double stored) {
    Double exact = fibers.get(some);
    if (exact != null) {
      return exact;
    }
    double box = 1;
    double least = 1;
    for (int mode : some) {
      box *= modes[mode].distinct();
      least = Math.max(least, modes[mode].distinct());
    }
    return some.size() == 1 ? box : Math.max(least, box * -Math.expm1(-stored / box));
  }

  /** Counts the entries below each coordinate of one level. */
  private static final class LevelCount {
    private final TensorStorage tensor;
    private final int level;
    private final LevelView view;
    private final long positions;

    LevelCount(TensorStorage tensor, int level) {
      this.tensor = tensor;
      this.level = level;
      this.view = tensor.level(level);
      this.positions = tensor.positions(level);
    }

    Mode count() {
      long size = tensor.shape().size(tensor.format().modeOf(level));
      return size <= MOST_COUNTED ? counted((int) size) : hashed();
    }

    private Mode counted(int size) {
      double[] entries = new double[size];
      int[] times = new int[size];
      long stride = stride(MOST_VISITED);
      for (long start = 0; start < positions; start += stride) {
        long p = near(start, stride);
        long below = below(p);
        if (below > 0) {
          int coordinate = (int) coordinate(p);
          entries[coordinate] += below;
          times[coordinate]++;
        }
      }
      long[] found = new long[size];
      int count = 0;
      for (int c = 0; c < size; c++) {
        if (times[c] > 0) {
          found[count++] = c;
        }
      }
      long[] coordinates = Arrays.copyOf(found, count);
      double[] shares = new double[count];
      Arrays.setAll(shares, at -> entries[(int) coordinates[at]]);
      double once = Arrays.stream(times).filter(n -> n == 1).count();
      return mode(coordinates, shares, distinct(count, once, stride, size));
    }

    private Mode hashed() {
      Map<Long, double[]> entries = new HashMap<>();
      long stride = stride(MOST_HASHED);
      for (long start = 0; start < positions; start += stride) {
        long p = near(start, stride);
        long below = below(p);
        if (below > 0) {
          double[] sum = entries.computeIfAbsent(coordinate(p), c -> new double[2]);
          sum[0] += below;
          sum[1]++;
        }
      }
      long[] coordinates = entries.keySet().stream().mapToLong(c -> c).sorted().toArray();
      double[] shares = new double[coordinates.length];
      double once = 0;
      for (int at = 0; at < shares.length; at++) {
        double[] sum = entries.getOrDefault(coordinates[at], new double[2]);
        shares[at] = sum[0];
        once += sum[1] == 1 ? 1 : 0;
      }
      long size = tensor.shape().size(tensor.format().modeOf(level));
      return mode(coordinates, shares, distinct(shares.length, once, stride, size));
    }

    private static Mode mode(long[] coordinates, double[] shares, double distinct) {
      double all = Arrays.stream(shares).sum();
      return new Mode(
          coordinates, Arrays.stream(shares).map(share -> share / all).toArray(), distinct);
    }

    private long stride(long most) {
      return Math.max(1, (positions + most - 1) / most);
    }

    /** A position within the stride, so that the sample and what repeats do not keep in step. */
    private long near(long start, long stride) {
      long mixed = (start + 1) * 0x9E3779B97F4A7C15L;
      mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L >>> 33;
      return Math.min(positions - 1, start + mixed % stride);
    }

    /**
     * Distinct coordinates, from a sample that met {@code found} of them, {@code once} of these a
     * single time (the estimator of Charikar et al., 2000).
     */
    private double distinct(double found, double once, long stride, long size) {
      if (stride == 1) {
        return found;
      }
      boolean unique = level == 0 && tensor.format().level(level).format().symbol().equals("CU");
      double guessed = unique ? positions : Math.sqrt(stride) * once + found - once;
      return Math.min(guessed, size);
    }

    private long coordinate(long p) {
      return view.crd() == null ? p % view.modeSize() : tensor.crd(level).getLong(p);
    }

    private long below(long p) {
      return firstBelow(p + 1) - firstBelow(p);
    }

    /** The first entry below a position, or the number of entries before it. */
    private long firstBelow(long p) {
      long at = p;
      for (int inner = level + 1; inner < tensor.format().order(); inner++) {
        if (tensor.hasPos(inner)) {
          at = tensor.pos(inner).getLong(at);
        } else if (!tensor.hasCrd(inner)) {
          at *= tensor.level(inner).modeSize();
        }
      }
      return at;
    }
  }
}
