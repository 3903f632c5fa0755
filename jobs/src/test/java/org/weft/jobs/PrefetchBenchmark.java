package org.weft.jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.BoundStatement;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.PreparedStatement;
import org.weft.compiler.eval.StatementInput;
import org.weft.jobs.bench.BenchTensor;
import org.weft.jobs.file.LoadedTensor;
import org.weft.jobs.option.CommonOptions;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.ReadOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Times kernels that find rows by stored coordinates with and without prefetching, in turns in one
 * process: {@code main KERNELS TENSORS DISTANCES [ROUNDS]}, lists with commas. A tensor is of the
 * suite, a file, or {@code ROWS:ENTRIES}, square and uniform, which SpGEMM squares; distance 0 is
 * without, -1 what the evaluator chooses. Prints best and median in milliseconds on one and two
 * threads.
 */
final class PrefetchBenchmark {
  private static final int COLUMNS = 32;

  private record Statement(String expression, String loops, String label) {
    static Statement of(String kernel) {
      return switch (kernel) {
        case "spmv" -> new Statement("y(i) = A(i,j) * x(j)", "i,j", "j");
        case "spmm" -> new Statement("Y(i,k) = A(i,j) * X(j,k)", "i,j,k", "j");
        case "sddmm" -> new Statement("C(i,j) = A(i,j) * B(i,k) * D(j,k)", "i,j,k", "j");
        case "spgemm" -> new Statement("C(i,j) = A(i,k) * B(k,j)", "i,k,j", "k");
        case "ttv" -> new Statement("Y(i,j) = A(i,j,k) * x(k)", "i,j,k", "k");
        default -> throw new IllegalArgumentException("expected spmv, spmm, sddmm, spgemm or ttv");
      };
    }

    Schedule schedule(int distance) {
      return distance < 0
          ? Schedule.parallel()
          : Schedule.parse(
              "order("
                  + loops
                  + ") parallel"
                  + (distance == 0 ? "" : " prefetch(" + label + ":" + distance + ")"));
    }
  }

  private PrefetchBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    int[] distances = Arrays.stream(arguments[2].split(",")).mapToInt(Integer::parseInt).toArray();
    int rounds = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 15;
    for (String name : arguments[1].split(",")) {
      BenchTensor tensor = tensor(name);
      for (String kernel : arguments[0].split(",")) {
        try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
            MemoryScope scope = MemoryScope.root("benchmark", MemorySource.system())) {
          measure(compiler, scope, tensor, kernel, distances, rounds);
        }
      }
    }
  }

  private static BenchTensor tensor(String name) throws Exception {
    if (name.contains(":")) {
      String[] facts = name.split(":");
      return random(name, Long.parseLong(facts[0]), Integer.parseInt(facts[1]));
    }
    if (!name.contains(".")) {
      return BenchTensor.named(name, 1, 1);
    }
    LoadedTensor read = LoadedTensor.read(CommonOptions.files(), name, ReadOptions.defaults());
    return BenchTensor.of(name.substring(name.lastIndexOf('/') + 1), read.shape(), read.blocks());
  }

  /** A square matrix with entries anywhere. */
  private static BenchTensor random(String name, long rows, int entries) {
    Random random = new Random(1);
    CooBlock.Builder block = new CooBlock.Builder(2, entries);
    for (int entry = 0; entry < entries; entry++) {
      long[] at = {random.nextLong(rows), random.nextLong(rows)};
      block.add(at, random.nextDouble());
    }
    return new BenchTensor(
        name, TensorShape.of(rows, rows), List.of(block.build()), Optional.empty());
  }

  private static void measure(
      TensorCompiler compiler,
      MemoryScope scope,
      BenchTensor tensor,
      String kernel,
      int[] distances,
      int rounds) {
    Statement statement = Statement.of(kernel);
    TensorShape shape = tensor.shape();
    String levels = shape.order() == 2 ? "CSR" : "CSF";
    TensorFormat format = TensorFormat.parse(levels, shape, tensor.entries(), ValueType.DOUBLE);
    Map<String, TensorStorage> operands = new LinkedHashMap<>();
    operands.put("A", Packing.pack(scope, shape, format, tensor.blocks()));
    long last = shape.size(shape.order() - 1);
    if (kernel.equals("spgemm")) {
      operands.put("B", operands.get("A"));
    }
    for (String name : List.of("x", "X", "B", "D")) {
      if (statement.expression().contains(name + "(") && !operands.containsKey(name)) {
        operands.put(
            name,
            name.equals("x")
                ? dense(scope, TensorShape.of(last))
                : dense(scope, TensorShape.of(name.equals("B") ? shape.size(0) : last, COLUMNS)));
      }
    }
    List<PreparedStatement> prepared = new ArrayList<>();
    boolean sparse = !kernel.startsWith("spm");
    TensorStorage dense = null;
    for (int threads = 1; threads <= 2; threads++) {
      Evaluator evaluator = new Evaluator(compiler, threads);
      for (int distance : distances) {
        int order = kernel.equals("spmv") ? 1 : 2;
        StatementInput input =
            StatementInput.of(
                    statement.expression(), operands, TensorFormat.dense(order, ValueType.DOUBLE))
                .withSchedule(statement.schedule(distance));
        if (sparse) {
          input = input.withResultFormat(evaluator.resultFormat(input));
        } else if (dense == null) {
          dense =
              dense(
                  scope,
                  order == 1
                      ? TensorShape.of(shape.size(0))
                      : TensorShape.of(shape.size(0), COLUMNS));
        }
        prepared.add(evaluator.prepare(input));
        if (distance < 0 && threads == 1) {
          System.out.println(evaluator.plan(input));
        }
      }
    }
    double[][] ms = new double[prepared.size()][rounds];
    for (int round = -2; round < rounds; round++) {
      for (int p = 0; p < ms.length; p++) {
        long start = System.nanoTime();
        if (sparse) {
          TensorStorage result = prepared.get(p).run(scope, operands);
          ms[p][Math.max(0, round)] = (System.nanoTime() - start) * 1e-6;
          result.close();
        } else {
          try (BoundStatement bound = prepared.get(p).bind(dense, operands)) {
            bound.run();
          }
          ms[p][Math.max(0, round)] = (System.nanoTime() - start) * 1e-6;
        }
      }
    }
    for (int d = 0; d < distances.length; d++) {
      StringBuilder line = new StringBuilder();
      for (int threads = 1; threads <= 2; threads++) {
        double[] sorted = ms[(threads - 1) * distances.length + d].clone();
        Arrays.sort(sorted);
        line.append(
            String.format(Locale.ROOT, "  %9.3f %9.3f", sorted[0], sorted[sorted.length / 2]));
      }
      System.out.printf("%-6s %-12s %5d%s%n", kernel, tensor.name(), distances[d], line);
    }
  }

  private static TensorStorage dense(MemoryScope scope, TensorShape shape) {
    TensorStorage storage = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
    int columns = shape.order() == 1 ? 1 : (int) shape.size(1);
    DenseMatrix.random(shape.size(0), columns, 17).copyTo(storage.vals().address());
    return storage;
  }
}
