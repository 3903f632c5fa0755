package org.weft.compiler.eval;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorMask;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.convert.ConversionPlan;
import org.weft.compiler.convert.Converter;
import org.weft.compiler.convert.KernelCalls;
import org.weft.compiler.convert.Recent;
import org.weft.compiler.eval.prefetch.PrefetchChoice;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Statement;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Evaluates statements and converts tensors in this process. Stateless apart from the compiler, so
 * one evaluator may serve several threads.
 */
public final class Evaluator {
  private final int threads;
  private final boolean eager;
  private final DenseCandidates.Choice dense;
  private final KernelCalls kernels;
  private final PlanRunner runner;
  private final Converter converter;
  private final Recent<EvaluationStep.Compute.Request, StatementPlanner.Lowered> lowered =
      new Recent<>();

  /**
   * An evaluator that compiles with {@code compiler}, which stays the caller's.
   *
   * @param threads threads that one statement may use, the calling one included
   */
  public Evaluator(TensorCompiler compiler, int threads) {
    this(compiler, threads, UnaryOperator.identity());
  }

  /**
   * As above.
   *
   * @param preference the ways to compute a dense product, the one to take first
   */
  Evaluator(
      TensorCompiler compiler,
      int threads,
      UnaryOperator<List<DenseCandidates.Candidate>> preference) {
    if (threads < 1) {
      throw new WeftException(
          ErrorCode.USAGE, "expected at least 1 thread, found " + threads + "; give 1 or more");
    }
    this.threads = threads;
    this.eager = false;
    this.dense = new DenseCandidates.Choice(compiler.vectorBits(), preference);
    this.kernels = new KernelCalls(compiler, threads);
    this.converter = new Converter(kernels);
    this.runner = new PlanRunner(kernels, converter);
  }

  private Evaluator(Evaluator usual) {
    this.threads = usual.threads;
    this.eager = true;
    this.dense = usual.dense;
    this.kernels = usual.kernels;
    this.runner = usual.runner;
    this.converter = usual.converter;
  }

  /**
   * An evaluator that transposes operands and computes reductions apart also where that saves next
   * to nothing: it plans for small tensors as this one does for large ones.
   */
  public Evaluator eager() {
    return new Evaluator(this);
  }

  /**
   * The value of the statement's result, in a child of {@code parent}. When a width of the result's
   * format is too narrow, the result has the next wider one.
   *
   * @throws WeftException {@code INVALID_EXPRESSION}, {@code INVALID_FORMAT}, {@code
   *     SHAPE_MISMATCH}, {@code UNSUPPORTED_OPERATION} for a statement that cannot be evaluated;
   *     {@code OUT_OF_MEMORY}. Nothing stays allocated then
   */
  public TensorStorage evaluate(MemoryScope parent, StatementInput input) {
    TensorFormat format = input.resultFormat();
    TensorFormat ordered = ConversionPlan.ordered(format);
    return ordered.equals(format)
        ? evaluateInOrder(parent, input)
        : Converter.declared(evaluateInOrder(parent, input.withResultFormat(ordered)), format);
  }

  /** The value in a format whose levels are all in order where they can be. */
  private TensorStorage evaluateInOrder(MemoryScope parent, StatementInput input) {
    Prepared prepared = planned(input);
    Map<String, TensorShape> shapes = new HashMap<>();
    input.operands().forEach((name, operand) -> shapes.put(name, operand.shape()));
    prepared.plan().requireMemory(shapes, prepared.values());
    MemoryScope temporaries = parent.child("temporaries");
    try {
      Map<String, TensorStorage> operands = new HashMap<>(input.operands());
      TensorStorage previous = null;
      if (input.previous().isPresent()) {
        previous = input.previous().get();
        boolean dense = prepared.algebra().accumulate();
        if (dense && !previous.format().equals(input.resultFormat())) {
          previous = converter.convert(temporaries, previous, input.resultFormat());
        }
        prepared.old().ifPresent(old -> operands.put(old, input.previous().orElseThrow()));
      }
      return runner.run(parent, temporaries, prepared.plan(), operands, previous);
    } finally {
      temporaries.close();
    }
  }

  /**
   * A statement to be run many times, over tensors with the formats and shapes of these operands.
   *
   * @throws WeftException as {@link #evaluate}
   * @throws IllegalArgumentException if the statement is not an assignment with {@code =}, or the
   *     result's format has levels that only a conversion puts in order
   */
  public PreparedStatement prepare(StatementInput input) {
    if (input.statement().assignment() != Statement.Assignment.ASSIGN
        || !ConversionPlan.ordered(input.resultFormat()).equals(input.resultFormat())) {
      throw new IllegalArgumentException(
          "expected an assignment with = to a format in order, found "
              + input.statement()
              + " into "
              + input.resultFormat());
    }
    return new PreparedStatement(planned(input).plan(), kernels, converter, threads);
  }

  /**
   * How {@link #evaluate} would go about it: conversions, contraction order, kernels.
   *
   * @throws WeftException as {@link #evaluate}
   */
  public EvaluationPlan plan(StatementInput input) {
    return planned(input.withResultFormat(ConversionPlan.ordered(input.resultFormat()))).plan();
  }

  /**
   * A plan for tensors that are not here: kernels and conversions, to be sent to where they are.
   *
   * @param open labels whose sizes differ from one use of the plan to another
   * @throws WeftException as {@link #evaluate}
   */
  public EvaluationPlan plan(StatementAlgebra algebra, Schedule schedule, Set<String> open) {
    LabelSizes labels = algebra.labels().withOpen(open);
    Map<String, Double> entries = algebra.entries();
    PrefetchChoice prefetch = new PrefetchChoice(labels::size, Map.of());
    StatementPlanner planner =
        new StatementPlanner(
            labels, entries, name -> Optional.empty(), prefetch, dense, eager, lowered);
    Contractions contractions =
        new Contractions(labels, entries, name -> Optional.empty(), eager, planner);
    add(planner, contractions, algebra.assignment(), schedule);
    return new EvaluationPlan(
        algebra.assignment().toString(), contractions.notes(), planner.steps());
  }

  /**
   * A format for the result of {@code input} that suits the sparsity of its expression, with the
   * narrowest coordinates that hold its shape; the input's own result format only says the type.
   *
   * @throws WeftException as {@link #evaluate}
   */
  public TensorFormat resultFormat(StatementInput input) {
    int order = input.statement().target().labels().size();
    ValueType type = input.resultFormat().valueType();
    StatementInput dense = input.withResultFormat(TensorFormat.dense(order, type));
    TensorAssignment algebra = algebra(dense);
    LabelSizes labels = labels(algebra, dense);
    TensorFormat format = ResultFormats.infer(algebra, labels, entries(input.operands()), type);
    return Conversions.narrow(format, labels.shape(algebra.target().variables()));
  }

  private static Optional<ModeCounts> counts(@Nullable TensorStorage operand) {
    return operand == null || operand.format().isDense()
        ? Optional.empty()
        : ModeCounts.of(operand);
  }

  private static Map<String, Double> entries(Map<String, TensorStorage> operands) {
    Map<String, Double> entries = new HashMap<>();
    operands.forEach((name, storage) -> entries.put(name, (double) storage.storedEntries()));
    return entries;
  }

  /**
   * The same entries in another format, in a child of {@code parent}; {@code from} is borrowed.
   * Stored zeros are entries, except where the last level of {@code from} is full: there they are
   * taken for padding, unless the result is dense or has the same levels.
   *
   * @throws WeftException {@code INVALID_FORMAT}, {@code WIDTH_OVERFLOW}, {@code OUT_OF_MEMORY}
   */
  public TensorStorage convert(MemoryScope parent, TensorStorage from, TensorFormat to) {
    return converter.convert(parent, from, to);
  }

  /** See {@link Converter#inModeOrder}. */
  public TensorStorage inModeOrder(MemoryScope parent, TensorStorage tensor) {
    return converter.inModeOrder(parent, tensor);
  }

  /**
   * A planned statement.
   *
   * @param old the operand that stands for the result's previous value, if it is one
   * @param values that the result is expected to have
   */
  private record Prepared(
      TensorAssignment algebra, Optional<String> old, EvaluationPlan plan, double values) {}

  private Prepared planned(StatementInput input) {
    TensorAssignment algebra = algebra(input);
    LabelSizes labels = labels(algebra, input);
    boolean accumulates = input.statement().assignment() != Statement.Assignment.ASSIGN;
    Map<String, TensorStorage> operands = new HashMap<>(input.operands());
    Accumulation sum = null;
    Optional<String> old = Optional.empty();
    if (accumulates && !algebra.accumulate() && input.previous().isPresent()) {
      TensorStorage previous = input.previous().get();
      String name = input.statement().target().tensor();
      TensorVar before =
          new TensorVar(unused(name + "_old", operands), previous.format(), TensorVar.Kind.OPERAND);
      operands.put(before.name(), previous);
      old = Optional.of(before.name());
      sum = Accumulation.of(algebra, before, unused(name + "_part", operands), labels);
      labels = labels.withCopies(sum.copies());
    }
    Map<String, Double> entries = entries(operands);
    PrefetchChoice prefetch = new PrefetchChoice(labels::size, operands);
    Map<String, Optional<ModeCounts>> known = new HashMap<>();
    Function<String, Optional<ModeCounts>> counts =
        name -> known.computeIfAbsent(name, key -> counts(operands.get(key)));
    StatementPlanner planner =
        new StatementPlanner(labels, entries, counts, prefetch, dense, eager, lowered);
    Contractions contractions = new Contractions(labels, entries, counts, eager, planner);
    Schedule schedule = input.schedule();
    TensorAssignment last = sum == null ? algebra : sum.whole();
    String text = last.toString();
    if (sum != null && sum.part() != null) {
      TensorAssignment part = sum.part();
      Set<IndexVar> cells = new HashSet<>(part.target().variables());
      entries.put(part.target().tensor().name(), new Estimates(labels, entries).cells(cells));
      add(planner, contractions, part, schedule);
      schedule = schedule.equals(Schedule.sequential()) ? schedule : Schedule.parallel();
      text = part + ", then " + last;
    }
    add(planner, contractions, last, schedule);
    EvaluationPlan plan = new EvaluationPlan(text, contractions.notes(), planner.steps());
    return new Prepared(last, old, plan, values(last, labels, entries));
  }

  /** Expected number of values of the result, of which a mask lets through as many as it has. */
  private static double values(
      TensorAssignment assignment, LabelSizes labels, Map<String, Double> entries) {
    double values = ResultFormats.entries(assignment, labels, entries);
    TensorMask mask = assignment.mask();
    return mask == null
        ? values
        : Math.min(values, entries.getOrDefault(mask.access().tensor().name(), values));
  }

  private static void add(
      StatementPlanner planner,
      Contractions contractions,
      TensorAssignment stored,
      Schedule schedule) {
    TensorAssignment algebra = planner.conversions().unpadded(stored);
    if (updatesNarrower(algebra)) {
      TensorAssignment wide = planner.conversions().widened(algebra);
      add(planner, contractions, wide, schedule);
      planner
          .conversions()
          .convertResult(wide, algebra, "the sum is in " + wide.type() + " until it is whole");
      return;
    }
    boolean free = schedule.loopOrder().isEmpty() && Conversions.isOrdinary(algebra);
    planner.add(free ? contractions.split(algebra) : algebra, schedule, "");
  }

  /** Whether a sum would be rounded to the type of the result at each of its terms. */
  private static boolean updatesNarrower(TensorAssignment algebra) {
    TensorFormat result = algebra.target().tensor().format();
    return result.isInsertable()
        && result.valueType() != algebra.type()
        && (algebra.accumulate() || reduces(algebra.value()));
  }

  private static boolean reduces(TensorExpr value) {
    return value instanceof TensorExpr.Reduce
        || value.children().stream().anyMatch(Evaluator::reduces);
  }

  /** {@code wanted}, or with a number behind it if an operand has that name. */
  private static String unused(String wanted, Map<String, TensorStorage> operands) {
    String name = wanted;
    for (int copy = 2; operands.containsKey(name); copy++) {
      name = wanted + "_" + copy;
    }
    return name;
  }

  /**
   * The algebra of the statement. Where a result takes no updates in place, or in a narrower type,
   * {@code +=} becomes {@code =}, and the previous value is added as an operand.
   */
  private static TensorAssignment algebra(StatementInput input) {
    Map<String, TensorFormat> formats = new HashMap<>();
    input.operands().forEach((name, storage) -> formats.put(name, storage.format()));
    formats.put(input.statement().target().tensor(), input.resultFormat());
    Diagnostics diagnostics = new Diagnostics();
    Statement statement = input.statement();
    boolean subtracts = statement.assignment() == Statement.Assignment.SUBTRACT;
    boolean inPlace = input.resultFormat().isInsertable();
    if (!inPlace) {
      statement =
          new Statement(
              statement.target(), statement.mask(), Statement.Assignment.ASSIGN, statement.value());
    }
    TensorAssignment algebra = AlgebraBuilder.build(statement, formats, Map.of(), diagnostics);
    diagnostics.throwIfErrors();
    if (algebra.accumulate() && updatesNarrower(algebra)) {
      return algebra.assignedTo(algebra.target());
    }
    return subtracts && !inPlace ? algebra.negated() : algebra;
  }

  private static LabelSizes labels(TensorAssignment algebra, StatementInput input) {
    Map<String, TensorShape> shapes = new HashMap<>();
    for (TensorExpr.Access access : algebra.value().accesses()) {
      TensorStorage storage = input.operands().get(access.tensor().name());
      if (storage != null) {
        shapes.put(access.tensor().name(), storage.shape());
      }
    }
    String result = algebra.target().tensor().name();
    input.previous().ifPresent(previous -> shapes.put(result, previous.shape()));
    Map<String, Long> stated = new HashMap<>(input.sizes());
    stated.keySet().removeIf(name -> !algebra.variables().contains(new IndexVar(name)));
    return LabelSizes.of(algebra, shapes, stated);
  }
}
