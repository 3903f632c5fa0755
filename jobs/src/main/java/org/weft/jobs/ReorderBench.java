package org.weft.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.reorder.Relabelling;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Times compiled kernels on a tensor under several orders: SpMV and SpMM for a matrix; TTV and TTM
 * of the last mode and MTTKRP of the first for a tensor. Each figure is the least of several runs,
 * the orders taking turns, so that a busy machine disturbs all alike.
 */
final class ReorderBench implements AutoCloseable {
  private static final int LEAST_ROUNDS = 5;
  private static final int MOST_ROUNDS = 40;
  private static final double ENOUGH_SECONDS = 1.0;
  private static final String LETTERS = "ijklmnopqst";

  private final TensorShape shape;
  private final int rank;
  private final MemoryScope scope = MemoryScope.root("weft reorder --bench", MemorySource.system());
  private final Map<String, TensorStorage> versions = new LinkedHashMap<>();
  private final TensorCompiler compiler;

  private record Case(String name, String expression, Map<String, TensorStorage> operands) {}

  /**
   * @param rank columns of the operands of SpMM, TTM and MTTKRP
   */
  ReorderBench(CompilerOptions options, TensorShape shape, int rank) {
    this.compiler = TensorCompiler.create(options);
    this.shape = shape;
    this.rank = rank;
  }

  /** The tensor under another order, packed as jobs pack it. */
  void add(String name, List<CooBlock> blocks, Relabelling relabelling) {
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    TensorFormat format =
        TensorFormat.parse(shape.order() == 2 ? "CSR" : "CSF", shape, entries, ValueType.DOUBLE);
    List<CooBlock> relabelled =
        relabelling.isIdentity() ? blocks : blocks.stream().map(relabelling::apply).toList();
    versions.put(name, Packing.pack(scope, shape, format, relabelled));
  }

  /** Prints a line per kernel and number of threads: milliseconds for each order. */
  void run(Console console, int mostThreads) {
    console.report(
        "%-12s %7s %s",
        "ms",
        "threads",
        versions.keySet().stream()
            .map(name -> String.format(Locale.ROOT, "%14s", name))
            .collect(Collectors.joining(" ")));
    for (Case kernel : cases()) {
      for (int threads = 1; threads <= mostThreads; threads *= 2) {
        List<Double> least = time(kernel, threads);
        console.report(
            "%-12s %7d %s",
            kernel.name(),
            threads,
            least.stream()
                .map(seconds -> String.format(Locale.ROOT, "%14.3f", seconds * 1e3))
                .collect(Collectors.joining(" ")));
      }
    }
  }

  private List<Case> cases() {
    int order = shape.order();
    int last = order - 1;
    String all = access("A", 0, order);
    List<Case> cases = new ArrayList<>();
    if (order == 2) {
      cases.add(new Case("SpMV", "y(i) = A(i,j) * v(j)", Map.of("v", dense(1, 0))));
      cases.add(new Case("SpMM " + rank, "C(i,r) = A(i,j) * B(j,r)", Map.of("B", dense(1, rank))));
      return cases;
    }
    String k = LETTERS.substring(last, last + 1);
    String rest = access("Y", 0, last);
    cases.add(new Case("TTV", rest + " = " + all + " * v(" + k + ")", Map.of("v", dense(last, 0))));
    cases.add(
        new Case(
            "TTM " + rank,
            rest.replace(")", ",r)") + " = " + all + " * U(" + k + ",r)",
            Map.of("U", dense(last, rank))));
    StringBuilder product = new StringBuilder("M(i,r) = " + all);
    Map<String, TensorStorage> factors = new LinkedHashMap<>();
    for (int mode = 1; mode < order; mode++) {
      product.append(" * F").append(mode).append('(').append(LETTERS.charAt(mode)).append(",r)");
      factors.put("F" + mode, dense(mode, rank));
    }
    cases.add(new Case("MTTKRP " + rank, product.toString(), factors));
    return cases;
  }

  private static String access(String name, int from, int to) {
    return name + "(" + String.join(",", LETTERS.substring(from, to).split("", -1)) + ")";
  }

  /** Numbers in [0, 1), mode size x columns, or a vector for 0 columns. */
  private TensorStorage dense(int mode, int columns) {
    DenseMatrix random = DenseMatrix.random(shape.size(mode), Math.max(1, columns), mode);
    TensorStorage storage =
        TensorStorage.dense(
            scope,
            columns == 0
                ? TensorShape.of(shape.size(mode))
                : TensorShape.of(shape.size(mode), columns),
            ValueType.DOUBLE);
    random.copyTo(storage.vals().address());
    return storage;
  }

  private List<Double> time(Case kernel, int threads) {
    Evaluator evaluator = new Evaluator(compiler, threads);
    Diagnostics diagnostics = new Diagnostics();
    Statement statement =
        Parser.statement(SourceText.expression(kernel.expression()), diagnostics).orElseThrow();
    List<StatementInput> inputs = new ArrayList<>();
    for (TensorStorage version : versions.values()) {
      Map<String, TensorStorage> operands = new LinkedHashMap<>(kernel.operands());
      operands.put("A", version);
      TensorFormat dense = TensorFormat.dense(statement.target().labels().size(), ValueType.DOUBLE);
      StatementInput input =
          new StatementInput(
              statement,
              operands,
              dense,
              Map.of(),
              java.util.Optional.empty(),
              threads > 1 ? Schedule.parallel() : Schedule.sequential());
      boolean dominated = kernel.name().startsWith("TT");
      inputs.add(dominated ? input.withResultFormat(evaluator.resultFormat(input)) : input);
    }
    double[] least = new double[inputs.size()];
    java.util.Arrays.fill(least, Double.POSITIVE_INFINITY);
    double spent = 0;
    for (int round = 0;
        round < LEAST_ROUNDS || round < MOST_ROUNDS && spent < ENOUGH_SECONDS * least.length;
        round++) {
      for (int v = 0; v < least.length; v++) {
        long start = System.nanoTime();
        TensorStorage result = evaluator.evaluate(scope, inputs.get(v));
        double seconds = (System.nanoTime() - start) * 1e-9;
        result.close();
        spent += seconds;
        least[v] = round == 0 ? least[v] : Math.min(least[v], seconds); // the first one compiles
      }
    }
    return java.util.Arrays.stream(least).boxed().toList();
  }

  @Override
  public void close() {
    scope.close();
    compiler.close();
  }
}
