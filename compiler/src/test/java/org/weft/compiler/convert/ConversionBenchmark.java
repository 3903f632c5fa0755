package org.weft.compiler.convert;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Measures conversions of synthetic entries, CPU time of one thread, against packing the same
 * entries from the Java heap and, for CSR to CSC, against counting sort in Java over plain arrays.
 * Run {@code main} from the test class path; {@code -Dweft.entries=} sets their number, a million.
 */
final class ConversionBenchmark {
  private static final int ENTRIES = Integer.getInteger("weft.entries", 1_000_000);
  private static final int ROUNDS = 12;

  private ConversionBenchmark() {}

  public static void main(String[] arguments) {
    try (MemoryScope scope = MemoryScope.root("benchmark", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Converter converter = new Converter(compiler, 1);
      TensorShape matrix = TensorShape.of(100_000, 100_000);
      CooBlock pairs = entries(matrix);
      measure(scope, converter, matrix, pairs, "CSR", "CSC");
      javaTranspose(scope, matrix, pairs);
      measure(scope, converter, matrix, pairs, "CSR", "COO@1,0");
      measure(scope, converter, matrix, pairs, "CSR", "HashMatrix");
      measure(scope, converter, matrix, pairs, "CSR", "ELL");
      TensorShape cube = TensorShape.of(10_000, 20_000, 30_000);
      CooBlock triples = entries(cube);
      measure(scope, converter, cube, triples, "COO", "CSF");
      measure(scope, converter, cube, triples, "CSF", "CSF@2,0,1");
      measure(scope, converter, cube, triples, "CSF", "CSF@2,1,0");
    }
  }

  /** CPU time of this thread, which other processes disturb less than time. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static CooBlock entries(TensorShape shape) {
    Random random = new Random(1);
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), ENTRIES);
    long[] at = new long[shape.order()];
    for (int e = 0; e < ENTRIES; e++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = random.nextInt((int) shape.size(mode));
      }
      block.add(at, 1);
    }
    return block.build();
  }

  private static void measure(
      MemoryScope scope,
      Converter converter,
      TensorShape shape,
      CooBlock block,
      String from,
      String to) {
    TensorFormat source = TensorFormat.parse(from, shape, ENTRIES, ValueType.DOUBLE);
    TensorFormat target = TensorFormat.parse(to, shape, ENTRIES, ValueType.DOUBLE);
    double best = Double.MAX_VALUE;
    double packing = Double.MAX_VALUE;
    try (TensorStorage stored = Packing.pack(scope, shape, source, List.of(block))) {
      for (int round = 0; round < ROUNDS; round++) {
        long start = cpuNanos();
        converter.convert(scope, stored, target).close();
        best = Math.min(best, (cpuNanos() - start) / 1e6);
      }
    }
    for (int round = 0; round < 2; round++) {
      long start = cpuNanos();
      Packing.pack(scope, shape, target, List.of(block)).close();
      packing = Math.min(packing, (cpuNanos() - start) / 1e6);
    }
    System.out.printf(
        Locale.ROOT, "%s to %s: %.1f ms, packed in Java %.1f ms%n", from, to, best, packing);
  }

  private static void javaTranspose(MemoryScope scope, TensorShape shape, CooBlock block) {
    TensorFormat csr = TensorFormat.parse("CSR[32,32]", 2, ValueType.DOUBLE);
    int rows = (int) shape.size(0);
    int columns = (int) shape.size(1);
    double best = Double.MAX_VALUE;
    try (TensorStorage stored = Packing.pack(scope, shape, csr, List.of(block))) {
      int n = (int) stored.storedEntries();
      int[] pos = new int[rows + 1];
      int[] crd = new int[n];
      double[] values = new double[n];
      for (int i = 0; i <= rows; i++) {
        pos[i] = (int) stored.pos(1).getLong(i);
      }
      for (int p = 0; p < n; p++) {
        crd[p] = (int) stored.crd(1).getLong(p);
        values[p] = stored.vals().getDouble(p);
      }
      for (int round = 0; round < ROUNDS; round++) {
        long start = cpuNanos();
        int[] next = new int[columns + 2];
        int[] rowOf = new int[n];
        double[] moved = new double[n];
        for (int p = 0; p < n; p++) {
          next[crd[p] + 2]++;
        }
        for (int j = 2; j < next.length; j++) {
          next[j] += next[j - 1];
        }
        for (int i = 0; i < rows; i++) {
          for (int p = pos[i]; p < pos[i + 1]; p++) {
            int q = next[crd[p] + 1]++;
            rowOf[q] = i;
            moved[q] = values[p];
          }
        }
        best = Math.min(best, (cpuNanos() - start) / 1e6);
        if (rowOf[n - 1] < 0 || moved[0] == 0) {
          throw new AssertionError("wrong transpose");
        }
      }
    }
    System.out.printf(Locale.ROOT, "CSR to CSC in plain Java arrays: %.1f ms%n", best);
  }
}
