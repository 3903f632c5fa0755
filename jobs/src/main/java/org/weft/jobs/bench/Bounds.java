package org.weft.jobs.bench;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.BoundStatement;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * What the machine can do, measured by kernels of our own compiler while the suite runs: a STREAM
 * triad (McCalpin 1995), a dot product, and as arithmetic the faster of a polynomial of degree 32
 * at numbers in the first-level cache and a product of matrices that the second-level cache holds.
 * The best of all rounds counts.
 */
public final class Bounds {
  private static final long STREAM_VALUES = 1 << 24; // 128 MiB an array
  private static final long POINTS = 1 << 11;
  private static final long FACTORS = 1 << 7;
  private static final int DEGREE = 32;
  private static final long ROWS = 1 << 8;
  private static final int REPEATS = 3;
  private static final int FILLED_AT_A_TIME = 1 << 12;

  /** A run takes less than a millisecond, and a thread that sleeps comes late. */
  private static final int SHORT_REPEATS = 20;

  /**
   * Rates with a number of threads.
   *
   * @param triad bytes per second of {@code a(i) = b(i) + s * c(i)}, 24 bytes an element
   * @param read bytes per second of {@code s = b(i) * c(i)}, 16 bytes an element
   * @param flops per second of multiply-adds in registers, of values of the type that is timed
   */
  public record Rates(double triad, double read, double flops) {
    Rates best(Rates other) {
      return new Rates(
          Math.max(triad, other.triad), Math.max(read, other.read), Math.max(flops, other.flops));
    }

    /** By name, in bytes and operations per second. */
    Map<String, Double> columns() {
      Map<String, Double> columns = new LinkedHashMap<>();
      columns.put("triad", triad);
      columns.put("read", read);
      columns.put("flops", flops);
      return columns;
    }

    /** Bytes per second of the faster of the two. */
    double bandwidth() {
      return Math.max(triad, read);
    }

    /** Seconds that no kernel with this work is faster than. */
    double seconds(Work work) {
      return Math.max(work.bytes() / bandwidth(), work.flops() / flops);
    }
  }

  private final TensorCompiler compiler;
  private final MemoryScope parent;
  private final List<Integer> threads;
  private final ValueType type;
  private final Map<Integer, Rates> best = new TreeMap<>();

  Bounds(TensorCompiler compiler, MemoryScope parent, List<Integer> threads, ValueType type) {
    this.type = type;
    this.compiler = compiler;
    this.parent = parent;
    this.threads = List.copyOf(threads);
  }

  /** Measures {@code rounds} times, and keeps what is better than before. About 50 ms a round. */
  void measure(int rounds) {
    MemoryScope scope = parent.child("bounds");
    try {
      TensorStorage s = filled(scope, TensorShape.of(), 0.5);
      TensorStorage a = filled(scope, TensorShape.of(STREAM_VALUES), 0);
      Map<String, TensorStorage> streams =
          Map.of(
              "b", filled(scope, TensorShape.of(STREAM_VALUES), 1),
              "c", filled(scope, TensorShape.of(STREAM_VALUES), 2),
              "s", s);
      TensorStorage y = filled(scope, TensorShape.of(FACTORS, POINTS), 0);
      Map<String, TensorStorage> cached =
          Map.of(
              "x", filled(scope, TensorShape.of(POINTS), 1),
              "p", filled(scope, TensorShape.of(FACTORS), 0.5),
              "s", s);
      TensorShape square = TensorShape.of(ROWS, ROWS);
      TensorStorage product = TensorStorage.dense(scope, square, type);
      Map<String, TensorStorage> matrices =
          Map.of(
              "A", TensorStorage.dense(scope, square, type),
              "B", TensorStorage.dense(scope, square, type));
      double cubed = (double) ROWS * ROWS * ROWS;
      for (int round = 0; round < rounds; round++) {
        for (int count : threads) {
          double triad =
              rate(count, REPEATS, "a(i) = b(i) + s * c(i)", streams, a, 24.0 * STREAM_VALUES);
          double read =
              rate(
                  count,
                  REPEATS,
                  "d = b(i) * c(i)",
                  Map.of("b", streams.get("b"), "c", streams.get("c")),
                  filled(scope, TensorShape.of(), 0),
                  16.0 * STREAM_VALUES);
          double flops =
              rate(count, SHORT_REPEATS, polynomial(), cached, y, 2.0 * DEGREE * FACTORS * POINTS);
          double products =
              rate(count, SHORT_REPEATS, "Y(i,j) = A(i,k) * B(k,j)", matrices, product, 2 * cubed);
          best.merge(count, new Rates(triad, read, Math.max(flops, products)), Rates::best);
        }
      }
    } finally {
      scope.close();
    }
  }

  /** {@code Y(i,j) = ((x(j) * p(i) + s) * p(i) + s) ...}. */
  private static String polynomial() {
    return "Y(i,j) = " + "(".repeat(DEGREE) + "x(j)" + " * p(i) + s)".repeat(DEGREE);
  }

  /** Units per second of the best of a few runs. */
  private double rate(
      int count,
      int repeats,
      String expression,
      Map<String, TensorStorage> operands,
      TensorStorage result,
      double units) {
    StatementInput input = StatementInput.of(expression, operands, result.format());
    double seconds = Double.POSITIVE_INFINITY;
    try (BoundStatement statement =
        new Evaluator(compiler, count).prepare(input).bind(result, operands)) {
      for (int repeat = 0; repeat < repeats; repeat++) {
        long start = System.nanoTime();
        statement.run();
        seconds = Math.min(seconds, (System.nanoTime() - start) * 1e-9);
      }
    }
    return units / seconds;
  }

  /** The best rates so far by number of threads. */
  Map<Integer, Rates> rates() {
    return Collections.unmodifiableMap(new TreeMap<>(best));
  }

  private static TensorStorage filled(MemoryScope scope, TensorShape shape, double value) {
    TensorStorage storage = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
    NativeArray vals = storage.vals();
    double[] chunk = new double[(int) Math.min(vals.length(), FILLED_AT_A_TIME)];
    Arrays.fill(chunk, value);
    for (long p = 0; p < vals.length(); p += chunk.length) {
      vals.setDoubles(p, chunk, 0, (int) Math.min(chunk.length, vals.length() - p));
    }
    return storage;
  }
}
