package org.weft.compiler.lower;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Times kernels with sparse results on one and two threads: best of {@value #ROUNDS} calls that
 * alternate, in milliseconds. Entries are random, skewed as in the table of the README. Run {@code
 * main} from the test class path.
 */
final class SparseResultsBenchmark {
  private static final int ROUNDS = 8;
  private static final Map<String, Long> SIZES = Map.of("i", 12_000L, "j", 9_000L, "k", 28_000L);

  private SparseResultsBenchmark() {}

  public static void main(String[] arguments) {
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      Map<String, String> tensor = Map.of("Y", "D,CU", "T", "D,CU,CU", "v", "D");
      measure(compiler, "Y(i,j) = T(i,j,k) * v(k)", tensor, 4_000_000);
      Map<String, String> blocks = Map.of("Y", "D,CU,D", "T", "D,CU,CU", "B", "D,D");
      measure(compiler, "Y(i,j,r) = T(i,j,k) * B(k,r)", blocks, 4_000_000);
      Map<String, String> matrices = Map.of("Y", "D,CU", "A", "D,CU", "B", "D,CU");
      measure(compiler, "Y(i,j) = A(i,j) + B(i,j)", matrices, 4_000_000);
      measure(compiler, "Y(i,j) = A(i,j) * B(i,j)", matrices, 4_000_000);
      measure(compiler, "Y(i,k) = A(i,j) * B(j,k)", matrices, 400_000);
    }
  }

  private static TensorFormat format(String levels) {
    return TensorFormat.parse("{" + levels + "}", levels.split(",").length, ValueType.DOUBLE)
        .withWidths(Width.W32, Width.W32);
  }

  private static TensorShape shape(String expression, String tensor) {
    int from = expression.indexOf(tensor + "(") + 2;
    String[] labels = expression.substring(from, expression.indexOf(')', from)).split(",");
    long[] sizes = new long[labels.length];
    for (int mode = 0; mode < labels.length; mode++) {
      sizes[mode] = SIZES.getOrDefault(labels[mode], 16L);
    }
    return TensorShape.of(sizes);
  }

  private static CooBlock entries(TensorShape shape, int count, Random random) {
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), count);
    long[] at = new long[shape.order()];
    for (int entry = 0; entry < count; entry++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = (long) (shape.size(mode) * Math.pow(random.nextDouble(), 2));
      }
      block.add(at, random.nextDouble());
    }
    return block.build();
  }

  private static void measure(
      TensorCompiler compiler, String expression, Map<String, String> levels, int entries) {
    Map<String, TensorFormat> formats = new HashMap<>();
    levels.forEach((name, text) -> formats.put(name, format(text)));
    Map<String, Long> sizes = expression.contains("r)") ? Map.of("r", 16L) : Map.of();
    var image =
        compiler.compile(
            List.of(new KernelRequest("k", expression, formats, sizes, Schedule.parallel())));
    Kernel kernel = Kernel.of(KernelLibrary.open(image), image.signature("k"));
    Random random = new Random(1);
    double[] best = {0, Double.MAX_VALUE, Double.MAX_VALUE};
    long[] stored = new long[3];
    try (MemoryScope scope = MemoryScope.root("benchmark", MemorySource.system())) {
      Map<String, TensorStorage> bound = new HashMap<>();
      for (String name : formats.keySet()) {
        if (!name.equals("Y")) {
          TensorShape shape = shape(expression, name);
          boolean sparse = shape.size(shape.order() - 1) > 16 && shape.order() > 1;
          CooBlock block = entries(shape, sparse ? entries : 10_000, random);
          bound.put(name, Packing.pack(scope, shape, formats.get(name), List.of(block)));
        }
      }
      for (int call = 0; call < 2 * ROUNDS; call++) {
        int threads = 1 + call % 2;
        long start = System.nanoTime();
        var results = kernel.run(bound, Map.of("Y", shape(expression, "Y")), scope, threads);
        best[threads] = Math.min(best[threads], (System.nanoTime() - start) / 1e6);
        stored[threads] = results.get("Y").storedEntries();
        results.get("Y").close();
      }
    }
    if (stored[1] != stored[2]) {
      throw new AssertionError(stored[1] + " entries by one thread, " + stored[2] + " by two");
    }
    System.out.printf(
        Locale.ROOT, "%s: %d entries, %.1f / %.1f ms%n", expression, stored[1], best[1], best[2]);
  }
}
