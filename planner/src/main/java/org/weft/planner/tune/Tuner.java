package org.weft.planner.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.weft.compiler.Explanation;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.Padding;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.planner.machine.MachineParameters;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Finds the fastest variant of a statement. The tuner enumerates the state space, drops the
 * variants that the compiler refuses, and keeps the variants that the cost model predicts to be
 * fast. It runs each kept variant once and compares the answers. Then it times the variants in
 * turns, so that a slow moment of the machine affects all of them alike.
 *
 * <p>Every round begins and ends with the variant without tuning, whose times show how noisy the
 * machine is. A variant that is far behind after two rounds, or takes ten times as long as another
 * when it first runs, is timed no further.
 */
public final class Tuner {
  private static final int MOST_FORMATS = 4096;
  private static final int KEPT_FORMATS = 16;
  private static final int MOST_ATTEMPTS = 4000;
  private static final int ROUNDS = 7;
  private static final int SCREENING_ROUNDS = 2;
  private static final double FAR_BEHIND = 2.0;
  private static final double HOPELESS = 10.0;

  private final TensorCompiler compiler;
  private final MachineParameters machine;
  private final Consumer<String> progress;

  /**
   * @param compiler compiles the variants; stays the caller's
   * @param progress told one line per step
   */
  public Tuner(TensorCompiler compiler, MachineParameters machine, Consumer<String> progress) {
    this.compiler = compiler;
    this.machine = machine;
    this.progress = progress;
  }

  /** A legal variant with its loops and its prediction. */
  private record Candidate(Variant variant, String loops, double predicted, boolean untuned) {}

  private static final class Search {
    final TuningTask task;
    final VariantCost cost;
    final Map<String, Map<TensorFormat, Long>> blocks;
    long enumerated;
    long illegal;

    Search(TuningTask task, VariantCost cost, Map<String, Map<TensorFormat, Long>> blocks) {
      this.task = task;
      this.cost = cost;
      this.blocks = blocks;
    }
  }

  /**
   * Searches the state space of {@code task}.
   *
   * @param trials variants to time at most, the untuned one included
   * @param scope owner of copies of the operands in other formats, freed on return
   * @throws WeftException as evaluating the statement; {@code KERNEL_FAILURE} for a variant that
   *     gives another answer, which is a bug
   */
  public TuningResult tune(MemoryScope scope, TuningTask task, int trials) {
    return run(scope, task, (search, result) -> Optional.of(candidates(search, result, trials)))
        .orElseThrow();
  }

  /**
   * Times {@code variant}, which was found elsewhere, against the one without tuning.
   *
   * @return nothing if one of them is not legal for these operands
   * @throws WeftException as {@link #tune}
   */
  public Optional<TuningResult> compare(MemoryScope scope, TuningTask task, Variant variant) {
    return run(scope, task, (search, result) -> pair(search, result, variant));
  }

  private Optional<List<Candidate>> pair(Search search, TensorFormat result, Variant variant) {
    search.enumerated = 2;
    Optional<Candidate> untuned =
        lower(search, given(search.task), result, Schedule.parallel(), true);
    Optional<Candidate> other =
        lower(search, operands(variant, search.task), result, variant.schedule(), false);
    return untuned.isEmpty() || other.isEmpty()
        ? Optional.empty()
        : Optional.of(List.of(untuned.get(), other.get()));
  }

  private static Map<String, TensorFormat> given(TuningTask task) {
    Map<String, TensorFormat> formats = new HashMap<>();
    task.operands().forEach((name, storage) -> formats.put(name, storage.format()));
    return formats;
  }

  private Optional<TuningResult> run(
      MemoryScope scope,
      TuningTask task,
      BiFunction<Search, TensorFormat, Optional<List<Candidate>>> choice) {
    Statement statement = parse(task.expression());
    MemoryScope own = scope.child("tuning");
    try {
      progress.accept("computing the statement as given");
      Evaluator evaluator = new Evaluator(compiler, task.threads());
      StatementInput input =
          StatementInput.of(statement, task.operands(), task.resultFormat())
              .withSizes(task.sizes());
      TensorStorage reference = evaluator.evaluate(own, input);
      Map<String, Map<TensorFormat, Long>> blocks = new HashMap<>();
      task.operands().forEach((name, storage) -> blocks.put(name, BlockFormats.of(storage)));
      Search search = new Search(task, cost(statement, task, blocks, reference), blocks);
      Optional<List<Candidate>> candidates = choice.apply(search, reference.format());
      if (candidates.isEmpty()) {
        return Optional.empty();
      }
      int timing = candidates.get().size();
      progress.accept(
          TuningResult.counts(
                  search.enumerated, search.illegal, search.enumerated - search.illegal - timing)
              + ", timing "
              + timing);
      try (VariantRuns runs = new VariantRuns(compiler, evaluator, own, task, reference)) {
        List<TuningResult.Trial> timed = time(candidates.get(), runs);
        search.illegal += timing - timed.size();
        long pruned = search.enumerated - search.illegal - timed.size();
        return Optional.of(
            new TuningResult(task.expression(), timed, search.enumerated, search.illegal, pruned));
      }
    } finally {
      own.close();
    }
  }

  private static Statement parse(String text) {
    Diagnostics diagnostics = new Diagnostics();
    Optional<Statement> statement = Parser.statement(SourceText.expression(text), diagnostics);
    diagnostics.throwIfErrors();
    if (statement.orElseThrow().assignment() != Statement.Assignment.ASSIGN) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected a statement with =, whose runs do not depend on each other, found "
              + text
              + "; tune it with = instead");
    }
    return statement.orElseThrow();
  }

  private VariantCost cost(
      Statement statement,
      TuningTask task,
      Map<String, Map<TensorFormat, Long>> blocks,
      TensorStorage result) {
    List<VariantCost.Use> uses = new ArrayList<>();
    uses(statement.value(), task.operands(), blocks, uses);
    boolean product = !hasUnion(statement.value());
    VariantCost.Use target = use(statement.target(), result, Map.of());
    return new VariantCost(uses, target, product, machine, task.threads());
  }

  private static VariantCost.Use use(
      Syntax.Access access, TensorStorage storage, Map<TensorFormat, Long> blocks) {
    return new VariantCost.Use(
        access.tensor(),
        access.labels().stream().map(Syntax.Label::name).toList(),
        storage.shape(),
        storage.storedEntries(),
        blocks);
  }

  private static void uses(
      Syntax node,
      Map<String, TensorStorage> operands,
      Map<String, Map<TensorFormat, Long>> blocks,
      List<VariantCost.Use> uses) {
    if (node instanceof Syntax.Access access && operands.containsKey(access.tensor())) {
      Map<TensorFormat, Long> filled = blocks.getOrDefault(access.tensor(), Map.of());
      uses.add(use(access, operands.get(access.tensor()), filled));
    }
    node.children().forEach(child -> uses(child, operands, blocks, uses));
  }

  private static boolean hasUnion(Syntax node) {
    boolean product =
        node instanceof Syntax.Access
            || node instanceof Syntax.Number
            || node instanceof Syntax.Semiring
            || node instanceof Syntax.Reduction
            || node instanceof Syntax.Sum
            || node instanceof Syntax.Negation
            || node instanceof Syntax.Transpose
            || node instanceof Syntax.Operation operation
                && operation.operator() != Syntax.Operator.ADD
                && operation.operator() != Syntax.Operator.SUBTRACT;
    return !product || node.children().stream().anyMatch(Tuner::hasUnion);
  }

  private List<Candidate> candidates(Search search, TensorFormat result, int trials) {
    TuningTask task = search.task;
    Map<String, List<TensorFormat>> choices = new LinkedHashMap<>();
    task.operands()
        .forEach(
            (name, storage) ->
                choices.put(
                    name,
                    task.fixed().contains(name)
                        ? List.of(storage.format())
                        : VariantSpace.formats(storage, structured(search, name, storage))));
    List<Map<String, TensorFormat>> formats = VariantSpace.combinations(choices, MOST_FORMATS);
    List<Schedule> schedules = VariantSpace.schedules(search.cost.labels(), task.threads());
    search.enumerated = (long) formats.size() * schedules.size();
    List<Candidate> layouts = new ArrayList<>();
    for (Map<String, TensorFormat> operands : formats) {
      Optional<Candidate> plain =
          lower(search, operands, result, Schedule.parallel(), layouts.isEmpty());
      plain.ifPresentOrElse(layouts::add, () -> search.illegal += schedules.size());
    }
    if (layouts.isEmpty() || !layouts.get(0).untuned()) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected a statement that one kernel can evaluate in the formats given, found "
              + task.expression()
              + ", which needs conversions first; give operands formats that agree on the order of"
              + " labels, or do not give any");
    }
    Candidate untuned = layouts.get(0);
    layouts.sort(Comparator.comparingDouble(Candidate::predicted));
    List<Candidate> kept = layouts.subList(0, Math.min(KEPT_FORMATS, layouts.size()));
    List<Candidate> all = new ArrayList<>(List.of(untuned));
    all.addAll(kept);
    int attempts = 0;
    for (Schedule schedule : schedules.subList(1, schedules.size())) {
      for (Candidate layout : kept) {
        if (attempts++ < MOST_ATTEMPTS) {
          Map<String, TensorFormat> operands = operands(layout.variant(), task);
          lower(search, operands, result, schedule, false)
              .ifPresentOrElse(all::add, () -> search.illegal++);
        }
      }
    }
    return choose(all, untuned, trials);
  }

  /** Formats of blocks that the operand fills, and of tiles for the longest rows of others. */
  private Set<TensorFormat> structured(Search search, String name, TensorStorage operand) {
    Set<TensorFormat> formats =
        new LinkedHashSet<>(search.blocks.getOrDefault(name, Map.of()).keySet());
    double rowBytes =
        search.task.operands().values().stream()
            .filter(other -> other.format().isDense() && other.shape().order() == 2)
            .mapToDouble(other -> (double) other.byteSize() / Math.max(1, other.shape().size(0)))
            .max()
            .orElse(0);
    formats.addAll(TileFormats.of(operand, rowBytes, machine));
    return formats;
  }

  private static Map<String, TensorFormat> operands(Variant variant, TuningTask task) {
    Map<String, TensorFormat> operands = new HashMap<>(variant.formats());
    operands.keySet().retainAll(task.operands().keySet());
    return operands;
  }

  /** The fastest by prediction, with room for several formats; kernels with equal loops are one. */
  private static List<Candidate> choose(List<Candidate> all, Candidate untuned, int trials) {
    List<Candidate> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparingDouble(Candidate::predicted));
    List<Candidate> chosen = new ArrayList<>(List.of(untuned));
    Set<String> loops = new HashSet<>(Set.of(key(untuned)));
    Map<String, Integer> perFormat = new HashMap<>();
    for (Candidate candidate : sorted) {
      String formats = candidate.variant().formatsText();
      int most = Math.max(3, trials / 4);
      if (chosen.size() < trials
          && perFormat.getOrDefault(formats, 0) < most
          && loops.add(key(candidate))) {
        perFormat.merge(formats, 1, Integer::sum);
        chosen.add(candidate);
      }
    }
    return chosen;
  }

  private static String key(Candidate candidate) {
    return candidate.variant().formatsText() + "\n" + candidate.loops();
  }

  /** The variant as loops, or nothing when it is illegal. */
  private Optional<Candidate> lower(
      Search search,
      Map<String, TensorFormat> operands,
      TensorFormat result,
      Schedule schedule,
      boolean untuned) {
    Map<String, TensorFormat> formats = new HashMap<>(operands);
    formats.put(resultName(search.task), result);
    Variant variant = new Variant(formats, schedule);
    try {
      if (Padding.shows(parse(search.task.expression()), formats)) {
        return Optional.empty();
      }
      KernelRequest request =
          new KernelRequest("tuned", search.task.expression(), formats, Map.of(), schedule);
      Explanation explanation = compiler.explain(request);
      double predicted =
          search.cost.seconds(formats, order(explanation.iterationGraph()), schedule);
      return Optional.of(new Candidate(variant, explanation.loops(), predicted, untuned));
    } catch (WeftException e) {
      if (e.code().kind() == ErrorCode.Kind.INTERNAL) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private static String resultName(TuningTask task) {
    return parse(task.expression()).target().tensor();
  }

  /** The loops of an iteration graph's text, outermost first. */
  private static List<String> order(String graph) {
    String marker = "loops: ";
    String line = graph.substring(graph.lastIndexOf(marker) + marker.length());
    return List.of(line.strip().replaceAll("[\\[\\]]", "").split("\\s*,\\s*"));
  }

  private List<TuningResult.Trial> time(List<Candidate> candidates, VariantRuns runs) {
    Map<Candidate, List<Double>> seconds = new LinkedHashMap<>();
    Set<Candidate> hopeless = new HashSet<>();
    double fastest = Double.POSITIVE_INFINITY;
    for (Candidate candidate : candidates) {
      OptionalDouble first = runs.prepare(candidate.variant());
      if (first.isEmpty() && candidate.untuned()) {
        throw new IllegalStateException("the untuned variant does not run: " + candidate);
      }
      if (first.isPresent()) {
        fastest = Math.min(fastest, first.getAsDouble());
        seconds.put(candidate, new ArrayList<>());
        if (first.getAsDouble() > HOPELESS * fastest && hopeless.add(candidate)) {
          seconds.put(candidate, new ArrayList<>(List.of(first.getAsDouble())));
        }
        progress.accept(
            String.format(
                Locale.ROOT,
                "variant %d of %d gives the same, in %.1f ms at first",
                candidates.indexOf(candidate) + 1,
                candidates.size(),
                1e3 * first.getAsDouble()));
      }
    }
    Candidate reference = candidates.get(0);
    for (int round = 0; round < ROUNDS; round++) {
      double best = best(seconds);
      for (Map.Entry<Candidate, List<Double>> timed : seconds.entrySet()) {
        boolean behind =
            hopeless.contains(timed.getKey())
                || round >= SCREENING_ROUNDS
                    && new Timings(timed.getValue()).median() > FAR_BEHIND * best;
        if (!behind || timed.getKey().untuned()) {
          timed.getValue().add(runs.seconds(timed.getKey().variant()));
        }
      }
      double again = runs.seconds(reference.variant());
      seconds.computeIfAbsent(reference, none -> new ArrayList<>()).add(again);
      progress.accept("round " + (round + 1) + " of " + ROUNDS);
    }
    List<TuningResult.Trial> trials = new ArrayList<>();
    seconds.forEach(
        (candidate, times) ->
            trials.add(
                new TuningResult.Trial(
                    candidate.variant(),
                    candidate.untuned(),
                    candidate.predicted(),
                    new Timings(times))));
    trials.sort(Comparator.comparingDouble(TuningResult.Trial::medianSeconds));
    return trials;
  }

  private static double best(Map<Candidate, List<Double>> seconds) {
    return seconds.values().stream()
        .filter(times -> !times.isEmpty())
        .mapToDouble(times -> new Timings(times).median())
        .min()
        .orElse(0);
  }
}
