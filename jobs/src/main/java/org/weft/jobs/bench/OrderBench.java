package org.weft.jobs.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.PreparedStatement;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.reorder.Permutation;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Times compiled kernels on a tensor under several orders: SpMV and SpMM for a matrix; TTV and TTM
 * of the last mode and MTTKRP of the first for a tensor. The orders take turns, call by call, so
 * that a busy machine disturbs all alike. With one thread a time is the median of its processor
 * time, otherwise the least elapsed.
 */
public final class OrderBench {
  /** The order of the entries as they came. */
  public static final String GIVEN = "given";

  /** All modes shuffled, each on its own. */
  public static final String SHUFFLED = "shuffled";

  private static final double SAMPLE_SECONDS = 0.02;
  private static final String LETTERS = "ijklmnopqst";

  private final TensorCompiler compiler;
  private final Options options;
  private final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
  private final List<OrderedTensor> found = new ArrayList<>();

  /**
   * What to measure.
   *
   * @param methods of {@link Reorderers}
   * @param rank columns of the operands of SpMM, TTM and MTTKRP
   * @param threads numbers of threads
   * @param rounds samples of each time, each of {@value #SAMPLE_SECONDS} s at least
   * @param partitions of mode 0 whose balance and rows are counted
   * @param seed of the shuffle
   */
  public record Options(
      List<String> methods,
      int rank,
      List<Integer> threads,
      int rounds,
      int partitions,
      long seed) {}

  private record Case(String name, String expression, Map<String, TensorStorage> operands) {}

  public OrderBench(TensorCompiler compiler, Options options) {
    this.compiler = compiler;
    this.options = options;
  }

  /** Everything measured so far. */
  public OrderReport report(Map<String, String> machine) {
    return new OrderReport(machine, options.partitions(), found);
  }

  /**
   * Orders a tensor by each method and times its kernels.
   *
   * @param shuffled whether methods get the tensor shuffled; that order is measured, too
   */
  public OrderedTensor run(String name, TensorShape shape, List<CooBlock> given, boolean shuffled) {
    Map<String, Relabelling> orders = new LinkedHashMap<>();
    List<OrderedTensor.Order> costs = new ArrayList<>();
    orders.put(GIVEN, Relabelling.identity(shape));
    costs.add(OrderedTensor.Order.of(GIVEN, 0, shape, given, options.partitions()));
    Relabelling start = Relabelling.identity(shape);
    List<CooBlock> before = given;
    if (shuffled) {
      start =
          new Relabelling(Reorderers.named("random:" + options.seed()).reorder(shape, List.of()));
      before = given.stream().map(start::apply).toList();
      orders.put(SHUFFLED, start);
      costs.add(OrderedTensor.Order.of(SHUFFLED, 0, shape, before, options.partitions()));
    }
    for (String method : options.methods()) {
      long cpu = clock.getCurrentThreadCpuTime();
      List<Permutation> modes = Reorderers.named(method).reorder(shape, before);
      double seconds = (clock.getCurrentThreadCpuTime() - cpu) * 1e-9;
      Relabelling order = new Relabelling(modes);
      orders.put(method, start.andThen(order));
      List<CooBlock> after = before.stream().map(order::apply).toList();
      costs.add(OrderedTensor.Order.of(method, seconds, shape, after, options.partitions()));
    }
    OrderedTensor tensor =
        new OrderedTensor(name, shape, size(given), costs, times(shape, given, orders));
    found.add(tensor);
    return tensor;
  }

  private static long size(List<CooBlock> blocks) {
    return blocks.stream().mapToLong(CooBlock::size).sum();
  }

  private List<OrderedTensor.Times> times(
      TensorShape shape, List<CooBlock> given, Map<String, Relabelling> orders) {
    List<OrderedTensor.Times> times = new ArrayList<>();
    try (MemoryScope scope = MemoryScope.root("orders of a tensor", MemorySource.system())) {
      TensorFormat format =
          TensorFormat.parse(
              shape.order() == 2 ? "CSR" : "CSF", shape, size(given), ValueType.DOUBLE);
      List<TensorStorage> versions = new ArrayList<>();
      for (Relabelling order : orders.values()) {
        List<CooBlock> blocks = given.stream().map(order::apply).toList();
        versions.add(Packing.pack(scope, shape, format, blocks));
      }
      for (Case kernel : cases(shape, scope)) {
        for (int threads : options.threads()) {
          double[] seconds = time(scope, kernel, versions, threads);
          Map<String, Double> byOrder = new LinkedHashMap<>();
          int v = 0;
          for (String order : orders.keySet()) {
            byOrder.put(order, seconds[v++]);
          }
          times.add(new OrderedTensor.Times(kernel.name(), threads, byOrder));
        }
      }
    }
    return times;
  }

  private List<Case> cases(TensorShape shape, MemoryScope scope) {
    int order = shape.order();
    int rank = options.rank();
    int last = order - 1;
    String all = access("A", 0, order);
    List<Case> cases = new ArrayList<>();
    if (order == 2) {
      TensorStorage vector = dense(scope, shape, 1, 0);
      cases.add(new Case("SpMV", "y(i) = A(i,j) * v(j)", Map.of("v", vector)));
      TensorStorage matrix = dense(scope, shape, 1, rank);
      cases.add(new Case("SpMM " + rank, "C(i,r) = A(i,j) * B(j,r)", Map.of("B", matrix)));
      return cases;
    }
    String k = LETTERS.substring(last, last + 1);
    String rest = access("Y", 0, last);
    cases.add(
        new Case(
            "TTV",
            rest + " = " + all + " * v(" + k + ")",
            Map.of("v", dense(scope, shape, last, 0))));
    cases.add(
        new Case(
            "TTM " + rank,
            rest.replace(")", ",r)") + " = " + all + " * U(" + k + ",r)",
            Map.of("U", dense(scope, shape, last, rank))));
    StringBuilder product = new StringBuilder("M(i,r) = " + all);
    Map<String, TensorStorage> factors = new LinkedHashMap<>();
    for (int mode = 1; mode < order; mode++) {
      product.append(" * F").append(mode).append('(').append(LETTERS.charAt(mode)).append(",r)");
      factors.put("F" + mode, dense(scope, shape, mode, rank));
    }
    cases.add(new Case("MTTKRP " + rank, product.toString(), factors));
    return cases;
  }

  private static String access(String name, int from, int to) {
    return LETTERS
        .substring(from, to)
        .chars()
        .mapToObj(Character::toString)
        .collect(Collectors.joining(",", name + "(", ")"));
  }

  /** Numbers in [0, 1), mode size x columns, or a vector for 0 columns. */
  private static TensorStorage dense(MemoryScope scope, TensorShape shape, int mode, int columns) {
    DenseMatrix random = DenseMatrix.random(shape.size(mode), Math.max(1, columns), mode);
    TensorShape of =
        columns == 0 ? TensorShape.of(shape.size(mode)) : TensorShape.of(shape.size(mode), columns);
    TensorStorage storage = TensorStorage.dense(scope, of, ValueType.DOUBLE);
    random.copyTo(storage.vals().address());
    return storage;
  }

  /** Seconds a call, for each version. */
  private double[] time(MemoryScope scope, Case kernel, List<TensorStorage> versions, int threads) {
    Evaluator evaluator = new Evaluator(compiler, threads);
    Statement statement =
        Parser.statement(SourceText.expression(kernel.expression()), new Diagnostics())
            .orElseThrow();
    List<PreparedStatement> prepared = new ArrayList<>();
    List<Map<String, TensorStorage>> operands = new ArrayList<>();
    for (TensorStorage version : versions) {
      Map<String, TensorStorage> named = new LinkedHashMap<>(kernel.operands());
      named.put("A", version);
      TensorFormat dense = TensorFormat.dense(statement.target().labels().size(), ValueType.DOUBLE);
      StatementInput input =
          new StatementInput(
              statement,
              named,
              dense,
              Map.of(),
              Optional.empty(),
              threads > 1 ? Schedule.parallel() : Schedule.sequential());
      boolean sparse = kernel.name().startsWith("TT");
      prepared.add(
          evaluator.prepare(
              sparse ? input.withResultFormat(evaluator.resultFormat(input)) : input));
      operands.add(named);
    }
    int calls = 1;
    double[][] samples = new double[versions.size()][options.rounds()];
    for (int round = -1; round < options.rounds(); round++) { // the first warms up
      double[] spent = new double[versions.size()];
      for (int call = 0; call < calls; call++) {
        for (int v = 0; v < spent.length; v++) {
          spent[v] += call(scope, prepared.get(v), operands.get(v), threads);
        }
      }
      if (round < 0) {
        double quickest = Arrays.stream(spent).min().orElse(SAMPLE_SECONDS);
        calls = (int) Math.max(1, Math.min(1000, Math.ceil(SAMPLE_SECONDS / quickest)));
      } else {
        for (int v = 0; v < spent.length; v++) {
          samples[v][round] = spent[v] / calls;
        }
      }
    }
    return Arrays.stream(samples).mapToDouble(s -> threads == 1 ? median(s) : least(s)).toArray();
  }

  private double call(
      MemoryScope scope,
      PreparedStatement statement,
      Map<String, TensorStorage> operands,
      int threads) {
    long cpu = clock.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    TensorStorage result = statement.run(scope, operands);
    long elapsed = System.nanoTime() - start;
    long used = clock.getCurrentThreadCpuTime() - cpu;
    result.close();
    return Math.max(1, threads == 1 ? used : elapsed) * 1e-9;
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static double least(double[] samples) {
    return Arrays.stream(samples).min().orElse(0);
  }
}
