package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Runs the suite. The workloads of a kernel, a tensor and a rank (all modes and numbers of threads)
 * are compiled, run once to warm up, and then run in turns, a sample each a round; bounds are
 * measured before each tensor and at the end. A sample is one run, or as many as take {@value
 * #SAMPLE_SECONDS} s. Another program, if one is given, is sampled after each.
 */
public final class Benchmark {
  private static final double SAMPLE_SECONDS = 2e-3;
  private static final int BOUND_ROUNDS = 1;

  private final TensorCompiler compiler;
  private final MemoryScope scope;
  private final Options options;
  private final Bounds bounds;
  private final List<Timed> timed = new ArrayList<>();

  /**
   * What to run.
   *
   * @param kernels kernels of the suite; those that do not apply to a tensor are left out
   * @param ranks of TTM, MTTKRP and CP-ALS
   * @param threads numbers of threads
   * @param rounds samples of each workload
   * @param other command of another program to run beside (see {@link OtherProgram})
   */
  public record Options(
      List<BenchKernel> kernels,
      List<Integer> ranks,
      List<Integer> threads,
      int rounds,
      ValueType type,
      Optional<String> other) {
    public Options {
      kernels = List.copyOf(kernels);
      ranks = List.copyOf(ranks);
      threads = List.copyOf(threads);
    }
  }

  /** Samples of a workload, and of the other program after each; NaN without one. */
  private record Timed(String tensor, Workload workload, double[] seconds, double[] others) {}

  /** A suite that compiles with {@code compiler} and allocates below {@code scope}. */
  public Benchmark(TensorCompiler compiler, MemoryScope scope, Options options) {
    this.compiler = compiler;
    this.scope = scope;
    this.options = options;
    this.bounds = new Bounds(compiler, scope, options.threads(), options.type());
  }

  /** Runs the kernels on one tensor, which lives as long as that takes. */
  public void run(Supplier<BenchTensor> source, Consumer<String> progress) {
    bounds.measure(BOUND_ROUNDS);
    BenchTensor tensor = source.get();
    requireKernel(tensor);
    try (Workloads workloads =
        new Workloads(compiler, scope, tensor, options.threads(), options.type())) {
      for (BenchKernel kernel : options.kernels()) {
        if (!kernel.appliesTo(tensor.shape().order())) {
          continue;
        }
        List<Integer> ranks = kernel.hasRank() ? options.ranks() : options.ranks().subList(0, 1);
        for (int rank : ranks) {
          progress.accept(
              kernel.label() + " of " + tensor.name() + (kernel.hasRank() ? ", rank " + rank : ""));
          MemoryScope operands = scope.child("operands");
          try {
            time(tensor.name(), kernel.hasRank() ? rank : 0, workloads.of(kernel, rank, operands));
          } finally {
            operands.close();
          }
        }
      }
    }
  }

  /** A tensor that no kernel is for would be missing in the report. */
  private void requireKernel(BenchTensor tensor) {
    int order = tensor.shape().order();
    if (options.kernels().stream().noneMatch(kernel -> kernel.appliesTo(order))) {
      throw new WeftException(
          ErrorCode.USAGE,
          String.format(
              Locale.ROOT,
              "%s: expected a kernel of --kernels for its order, %d; tensors of 2 modes have spmv,"
                  + " spmm, spgemm, add and sddmm, those of 3 modes and more ttv, ttm, mttkrp and"
                  + " cp-als",
              tensor.name(),
              order));
    }
  }

  /**
   * Times one statement over random operands, once for each schedule.
   *
   * @param schedules none for the one that the evaluator chooses
   * @param seed of the operands
   */
  public void run(RandomStatement statement, List<Schedule> schedules, long seed) {
    if (timed.isEmpty()) {
      bounds.measure(BOUND_ROUNDS);
    }
    MemoryScope owner = scope.child("statement");
    try (StatementWorkloads made = new StatementWorkloads(compiler, owner, options.threads())) {
      Map<String, TensorStorage> operands = statement.operands(owner, options.type(), seed);
      List<Workload> workloads = new ArrayList<>();
      for (Schedule schedule : schedules.isEmpty() ? List.of(Schedule.parallel()) : schedules) {
        workloads.addAll(workloads(statement, operands, schedule, owner, made));
      }
      time(statement.operandsText(), 0, workloads);
    } finally {
      owner.close();
    }
  }

  private List<Workload> workloads(
      RandomStatement statement,
      Map<String, TensorStorage> operands,
      Schedule schedule,
      MemoryScope owner,
      StatementWorkloads made) {
    Evaluator evaluator = new Evaluator(compiler, 1);
    TensorFormat dense = TensorFormat.dense(statement.resultShape().order(), options.type());
    StatementInput input =
        StatementInput.of(statement.statement(), operands, dense).withSchedule(schedule);
    TensorFormat stated = statement.resultFormat(options.type());
    TensorFormat format = stated == null ? evaluator.resultFormat(input) : stated;
    input = input.withResultFormat(format);
    String chosen = schedule.equals(Schedule.parallel()) ? "" : " " + schedule;
    String parameters = (statement.name() + chosen).strip();
    if (format.isDense()) {
      TensorStorage result = TensorStorage.dense(owner, statement.resultShape(), options.type());
      Work work = StatementWork.of(statement, evaluator.plan(input), operands, result.byteSize());
      return made.into(result, statement.text(), parameters, input, work);
    }
    TensorStorage once = evaluator.evaluate(owner, input);
    Work work = StatementWork.of(statement, evaluator.plan(input), operands, once.byteSize());
    once.close();
    return made.making(statement.text(), parameters, input, work);
  }

  private void time(String tensor, int rank, List<Workload> workloads) {
    double[][] seconds = new double[workloads.size()][options.rounds()];
    double[][] others = new double[workloads.size()][options.rounds()];
    int[] repeats = new int[workloads.size()];
    int[] otherRepeats = new int[workloads.size()];
    try (OtherPrograms programs = new OtherPrograms(options.other(), tensor, rank, workloads)) {
      for (int w = 0; w < repeats.length; w++) {
        Workload workload = workloads.get(w);
        repeats[w] = repeats(workload::seconds);
        otherRepeats[w] = repeats(() -> programs.seconds(workload));
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (int w = 0; w < repeats.length; w++) {
          Workload workload = workloads.get(w);
          seconds[w][round] = mean(repeats[w], workload::seconds);
          others[w][round] = mean(otherRepeats[w], () -> programs.seconds(workload));
        }
      }
    }
    for (int w = 0; w < repeats.length; w++) {
      timed.add(new Timed(tensor, workloads.get(w), seconds[w], others[w]));
    }
  }

  /** Warms up, and counts the runs of a sample. */
  private static int repeats(DoubleSupplier seconds) {
    double once = Math.min(seconds.getAsDouble(), seconds.getAsDouble());
    return once > 0 ? (int) Math.max(1, Math.min(10_000, SAMPLE_SECONDS / once)) : 1;
  }

  private static double mean(int repeats, DoubleSupplier seconds) {
    double sum = 0;
    for (int repeat = 0; repeat < repeats; repeat++) {
      sum += seconds.getAsDouble();
    }
    return sum / repeats;
  }

  /**
   * The figures of all tensors so far.
   *
   * @param machine facts for the head of the report
   */
  public BenchReport report(Map<String, String> machine) {
    bounds.measure(BOUND_ROUNDS);
    Map<String, Double> single = new LinkedHashMap<>();
    for (Timed t : timed) {
      if (t.workload().threads() == 1) {
        single.put(key(t), median(t.seconds()));
      }
    }
    List<WorkloadFigures> rows = new ArrayList<>();
    for (Timed t : timed) {
      double median = median(t.seconds());
      Bounds.Rates rates = bounds.rates().get(t.workload().threads());
      rows.add(
          new WorkloadFigures(
              t.tensor(),
              t.workload(),
              median,
              Arrays.stream(t.seconds()).min().orElseThrow(),
              rates == null ? Double.NaN : rates.seconds(t.workload().work()),
              single.getOrDefault(key(t), 0.0) / median,
              median(ratios(t)),
              Arrays.stream(t.others()).min().orElseThrow()));
    }
    return new BenchReport(machine, bounds.rates(), rows);
  }

  private static String key(Timed timed) {
    return timed.tensor() + " " + timed.workload().kernel() + " " + timed.workload().parameters();
  }

  private static double[] ratios(Timed timed) {
    double[] ratios = new double[timed.seconds().length];
    Arrays.setAll(ratios, round -> timed.others()[round] / timed.seconds()[round]);
    return ratios;
  }

  private static double median(double[] samples) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
