package org.weft.tensor;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/**
 * Measures packing: of a tensor like nell-2 the three forms of its MTTKRPs, together, on one thread
 * and two, with entries in the order of modes and in none. Run {@code main} from the test class
 * path; {@code -Dweft.entries=} sets their number, 8 million. Prints the median and the least of
 * the times, and the least processor time.
 */
final class PackBenchmark {
  private static final int ENTRIES = Integer.getInteger("weft.entries", 8_000_000);
  private static final int ROUNDS = Integer.getInteger("weft.rounds", 9);
  private static final int BLOCK = 1 << 17;
  private static final TensorShape SHAPE = TensorShape.of(12_092, 9_184, 28_818);

  private PackBenchmark() {}

  public static void main(String[] arguments) {
    List<CooBlock> mixed = entries();
    List<CooBlock> ordered = blocksOf(Packing.sorted(SHAPE, new int[] {0, 1, 2}, mixed));
    for (int threads = 1; threads <= 2; threads++) {
      measure("in order", ordered, threads, "{CU, CU, CU}");
      measure(
          "in order", ordered, threads, "{CU, CU, CU}", "{CU, CU, CU}@1,0,2", "{CU, CU, CU}@2,1,0");
      measure(
          "in order",
          ordered,
          threads,
          "{D:2/512, CU:0, CU:1, CU:2%512}",
          "{CU, CN, S}@1,0,2",
          "{D:2/512, CU:0, CN:1, S:2%512}@2,1,0");
      measure("mixed", mixed, threads, "{CU, CU, CU}");
      measure("mixed", mixed, threads, "{CU, CU, CU}", "{CU, CU, CU}@1,0,2", "{CU, CU, CU}@2,1,0");
    }
  }

  private static void measure(String what, List<CooBlock> blocks, int threads, String... forms) {
    List<TensorFormat> formats =
        Arrays.stream(forms)
            .map(form -> TensorFormat.parse(form, SHAPE, ENTRIES, ValueType.DOUBLE))
            .toList();
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    double[] millis = new double[ROUNDS];
    double busy = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      long cpu = system.getProcessCpuTime();
      try (MemoryScope scope = MemoryScope.root("benchmark", MemorySource.system())) {
        Packing.packAll(scope, SHAPE, formats, new ArrayDeque<>(blocks), threads);
        millis[round] = (System.nanoTime() - start) / 1e6;
        busy = Math.min(busy, (system.getProcessCpuTime() - cpu) / 1e6);
      }
    }
    Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "%s, %d threads, %s: %.0f ms, least %.0f, processor %.0f%n",
        what,
        threads,
        String.join(" + ", forms),
        millis[ROUNDS / 2],
        millis[0],
        busy);
  }

  private static List<CooBlock> entries() {
    double[] exponents = {1.0, 0.9, 1.0};
    double[][] shares = new double[3][];
    int[][] labels = new int[3][];
    Random random = new Random(11);
    for (int mode = 0; mode < 3; mode++) {
      int size = (int) SHAPE.size(mode);
      shares[mode] = new double[size];
      labels[mode] = new int[size];
      double sum = 0;
      for (int i = 0; i < size; i++) {
        sum += Math.pow(i + 1, -exponents[mode]);
        shares[mode][i] = sum;
        int other = random.nextInt(i + 1);
        labels[mode][i] = labels[mode][other];
        labels[mode][other] = i;
      }
    }
    List<CooBlock> blocks = new ArrayList<>();
    CooBlock.Builder block = new CooBlock.Builder(3, BLOCK);
    long[] at = new long[3];
    for (int e = 0; e < ENTRIES; e++) {
      for (int mode = 0; mode < 3; mode++) {
        double share = random.nextDouble() * shares[mode][shares[mode].length - 1];
        int rank = Arrays.binarySearch(shares[mode], share);
        at[mode] = labels[mode][Math.min(shares[mode].length - 1, rank < 0 ? -rank - 1 : rank)];
      }
      block.add(at, random.nextDouble());
      if (block.size() == BLOCK || e == ENTRIES - 1) {
        blocks.add(block.build());
      }
    }
    return blocks;
  }

  private static List<CooBlock> blocksOf(CooBlock all) {
    List<CooBlock> blocks = new ArrayList<>();
    for (int from = 0; from < all.size(); from += BLOCK) {
      blocks.add(all.slice(from, Math.min(all.size(), from + BLOCK)));
    }
    return blocks;
  }
}
