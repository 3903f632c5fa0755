package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Directive;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.DistributeReduction;
import org.weft.compiler.algebra.Flatten;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.SplitReduction;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.LoopChecker;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopPrinter;
import org.weft.compiler.lower.nest.LoopNest;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.panel.Contraction;
import org.weft.compiler.lower.panel.GemmLoops;
import org.weft.compiler.lower.panel.Transposition;
import org.weft.compiler.lower.rewrite.DiagonalIntersections;
import org.weft.compiler.lower.rewrite.ExposeLevels;
import org.weft.compiler.lower.rewrite.FusedAccess;
import org.weft.compiler.lower.rewrite.LoopOrder;
import org.weft.compiler.lower.rewrite.MaskStrategy;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.schedule.Lookup;
import org.weft.compiler.lower.sink.AppendPlan;
import org.weft.compiler.lower.sink.AppendSink;
import org.weft.compiler.lower.sink.Assembly;
import org.weft.compiler.lower.sink.BucketSink;
import org.weft.compiler.lower.sink.EntryList;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.Sink;
import org.weft.error.WeftException;
import org.weft.runtime.KernelSignature;
import org.weft.tensor.LevelCoordinate;
import org.weft.tensor.TensorFormat;

/**
 * The front end of the compiler as a list of passes: parse, build algebra, expose the levels of
 * structured formats, order loops, fuse branchless levels or factor products, emit loops, check.
 */
public final class Lowering {
  private static final SourceSpan NOWHERE =
      new SourceSpan(SourceText.expression("conversion"), 0, 0);

  private final String symbol;
  private final Schedule schedule;
  private final Map<String, Supplier<String>> stages = new LinkedHashMap<>();
  private List<Lookup> lookups = List.of();

  private Lowering(String symbol, Schedule schedule) {
    this.symbol = symbol;
    this.schedule = schedule;
  }

  /**
   * Lowers one kernel. Takes about a millisecond.
   *
   * @throws WeftException {@code INVALID_EXPRESSION} with carets for errors in the text, {@code
   *     INVALID_FORMAT} when no loop order suits the formats, {@code INVALID_SCHEDULE} for an
   *     illegal directive, {@code UNSUPPORTED_OPERATION} for correct requests without a lowering,
   *     {@code CONVERSION_REQUIRED} for those that have one once a tensor is in another format
   */
  public static LoweredKernel lower(KernelRequest request) {
    Diagnostics diagnostics = new Diagnostics();
    Statement statement = parse(request.expression(), diagnostics);
    TensorAssignment algebra =
        AlgebraBuilder.build(statement, request.formats(), request.sizes(), diagnostics);
    diagnostics.throwIfErrors();
    return new Lowering(request.symbol(), request.schedule()).run(algebra, diagnostics);
  }

  /**
   * Lowers a statement that is algebra already.
   *
   * @throws WeftException as {@link #lower(KernelRequest)}
   */
  public static LoweredKernel lower(String symbol, TensorAssignment algebra, Schedule schedule) {
    return new Lowering(symbol, schedule).run(algebra, new Diagnostics());
  }

  /** Whether {@link #lowerInBuckets} can make a result of {@code format}. */
  public static boolean assemblesInBuckets(TensorFormat format) {
    return BucketSink.groupOf(format) >= 0;
  }

  /**
   * Lowers an elementwise statement whose result is assembled by counting sort: the loops run in
   * any order of the result's upper levels, twice.
   *
   * @param algebra a statement without reductions, whose result {@link #assemblesInBuckets}
   * @param loops the loop order, outermost first; the cells below one position of the upper levels
   *     come in storage order
   */
  public static LoweredKernel lowerInBuckets(
      String symbol, TensorAssignment algebra, List<IndexVar> loops) {
    Lowering lowering = new Lowering(symbol, Schedule.sequential());
    lowering.stages.put("algebra", () -> algebra + "\n");
    lowering.stages.put("iterationGraph", () -> "loops: " + loops + ", result in buckets\n");
    LoopFunction function = ModeLabels.add(lowering.buckets(algebra, loops), algebra);
    LoopChecker.check(function);
    lowering.stages.put("loops", () -> LoopPrinter.print(function));
    return new LoweredKernel(function, List.of(), lowering.stages);
  }

  private LoopFunction buckets(TensorAssignment algebra, List<IndexVar> order) {
    KernelTensors tensors = new KernelTensors(algebra);
    Values values = new Values(tensors, Values.typeOf(algebra));
    FusedAccess fused = FusedAccess.in(algebra.value(), order);
    LoopNest nest = new LoopNest(tensors, values, fused, new Directives(schedule));
    TensorLayout result = tensors.layout(algebra.target().tensor());
    Code body = tensors.head().nested();
    Scope scope = Scope.root(tensors.head().nested());
    BucketSink counting = BucketSink.counting(algebra.target(), result, scope.workspaces(), body);
    nest.emit(algebra.value(), order, scope, counting, body);
    BucketSink dividing = counting.dividing(body);
    nest.emit(algebra.value(), order, scope, dividing, body);
    dividing.finish(body);
    stages.put("lattices", nest::lattices);
    scope.workspaces().freeAll(body);
    Code whole = tensors.head();
    whole.addAll(scope.workspaces().allocations());
    whole.addAll(body);
    return new LoopFunction(tensors.signature(symbol), tensors.bindings(), whole.block());
  }

  /**
   * Lowers the listing of a tensor's entries in storage order, with one mode for every level of
   * another format.
   *
   * @param source every level is walked as if each position had a coordinate of its own
   * @param dropZeros whether stored zeros are not listed
   * @param list a coordinate format of as many modes as {@code format} has levels
   * @param format whose levels the list has, a format for tensors of the source's order
   */
  public static LoweredKernel lowerList(
      String symbol, TensorVar source, boolean dropZeros, TensorVar list, TensorFormat format) {
    Lowering lowering = new Lowering(symbol, Schedule.sequential());
    List<IndexVar> labels = variables("i", source.stored().order());
    TensorExpr.Access from = new TensorExpr.Access(1, source, labels, NOWHERE);
    TensorExpr.Access to =
        new TensorExpr.Access(0, list, variables("c", list.format().order()), NOWHERE);
    TensorExpr.Access levels =
        ExposeLevels.of(new TensorAssignment(to, false, from, Map.of())).value().accesses().get(0);
    TensorExpr value =
        dropZeros ? new TensorExpr.Apply(TensorExpr.Function.NONZERO, List.of(levels)) : levels;
    List<IndexVar> loops = new ArrayList<>();
    for (int level = 0; level < levels.tensor().format().order(); level++) {
      loops.add(levels.variableAt(level));
    }
    lowering.stages.put("algebra", () -> to + " = list of " + value + " by " + format + "\n");
    lowering.stages.put("iterationGraph", () -> "loops: " + loops + ", entries as they come\n");
    TensorAssignment algebra = new TensorAssignment(to, false, value, Map.of());
    KernelTensors tensors = new KernelTensors(algebra);
    Code body = tensors.head().nested();
    Scope scope = Scope.root(tensors.head().nested());
    LoopNest nest =
        new LoopNest(
            tensors,
            new Values(tensors, Values.typeOf(algebra)),
            FusedAccess.in(value, loops),
            new Directives(lowering.schedule));
    EntryList sink = new EntryList(loops, tensors.layout(list), labels, format, tensors, body);
    nest.emit(value, loops, scope, sink, body);
    sink.finish(body);
    return lowering.lowered(tensors, nest, scope, body);
  }

  /** Lowers the making of {@code result} from a sorted list of its entries: {@link Assembly}. */
  public static LoweredKernel lowerAssembly(String symbol, TensorVar list, TensorVar result) {
    Lowering lowering = new Lowering(symbol, Schedule.sequential());
    TensorFormat format = result.format();
    List<IndexVar> labels = variables("i", format.order());
    List<IndexVar> levels = new ArrayList<>();
    for (int level = 0; level < format.levelCount(); level++) {
      LevelCoordinate coordinate = format.coordinate(level);
      IndexVar label =
          coordinate.isCounted()
              ? new IndexVar(result.name() + ".slot")
              : labels.get(format.modeOf(level));
      levels.add(
          coordinate instanceof LevelCoordinate.Block block
              ? IndexVar.block(label, block.size())
              : coordinate instanceof LevelCoordinate.Within within
                  ? IndexVar.within(label, within.size())
                  : label);
    }
    TensorVar seen =
        new TensorVar(
            result.name(),
            TensorFormat.ofLevels(format.levels(), format.valueType()),
            TensorVar.Kind.RESULT,
            format);
    TensorExpr.Access to = new TensorExpr.Access(0, seen, levels, NOWHERE);
    TensorExpr.Access from =
        new TensorExpr.Access(1, list, variables("c", list.format().order()), NOWHERE);
    lowering.stages.put("algebra", () -> to + " assembled from " + from + "\n");
    lowering.stages.put("iterationGraph", () -> "loops: [entries], level by level\n");
    TensorAssignment algebra = new TensorAssignment(to, false, from, Map.of());
    KernelTensors tensors = new KernelTensors(algebra);
    Code body = tensors.head().nested();
    new Assembly(tensors.layout(list), tensors.layout(seen), body).emit();
    return lowering.lowered(tensors, null, Scope.root(tensors.head().nested()), body);
  }

  private static List<IndexVar> variables(String stem, int count) {
    return IntStream.range(0, count).mapToObj(number -> new IndexVar(stem + number)).toList();
  }

  private LoweredKernel lowered(
      KernelTensors tensors, @Nullable LoopNest nest, Scope scope, Code body) {
    stages.put("lattices", () -> nest == null ? "" : nest.lattices());
    scope.workspaces().freeAll(body);
    Code whole = tensors.head();
    whole.addAll(scope.workspaces().allocations());
    whole.addAll(body);
    LoopFunction function =
        new LoopFunction(tensors.signature(symbol), tensors.bindings(), whole.block());
    LoopChecker.check(function);
    stages.put("loops", () -> LoopPrinter.print(function));
    return new LoweredKernel(function, List.of(), stages);
  }

  private LoweredKernel run(TensorAssignment statement, Diagnostics diagnostics) {
    Optional<Directive.Panels> panels = schedule.panels();
    if (panels.isPresent()) {
      return panels(statement, panels.get(), diagnostics);
    }
    Optional<Transposition> transposition = Transposition.of(statement, schedule);
    if (transposition.isPresent()) {
      return tiles(statement, transposition.get(), diagnostics);
    }
    TensorAssignment algebra = ExposeLevels.of(DiagonalIntersections.of(statement));
    TensorAssignment masked = MaskStrategy.choose(apart(algebra), schedule.loopOrder());
    List<IndexVar> loops = order(masked);
    FusedAccess fused = FusedAccess.find(masked, loops);
    TensorAssignment factored = fused == null ? factored(masked, loops) : masked;
    stages.put("algebra", () -> diagnosticsText(diagnostics) + factored + "\n");
    LoopFunction function = ModeLabels.add(loops(factored, loops, fused), statement);
    LoopChecker.check(function);
    stages.put("loops", () -> LoopPrinter.print(function));
    return new LoweredKernel(function, lookups, stages);
  }

  /** A contraction of dense tensors over packed panels. */
  private LoweredKernel panels(
      TensorAssignment statement, Directive.Panels directive, Diagnostics diagnostics) {
    stages.put("algebra", () -> diagnosticsText(diagnostics) + statement + "\n");
    stages.put("iterationGraph", () -> "packed panels: " + directive + "\n");
    stages.put("lattices", () -> "");
    Directives directives = new Directives(schedule);
    directives.follow(directive);
    Contraction contraction = GemmLoops.contraction(statement, directive);
    if (schedule.around().isPresent()) {
      Directive.Around around = schedule.around().get();
      directives.follow(around);
      contraction = GemmLoops.around(statement, contraction, directive, around);
    }
    contraction = inLanes(contraction, directives);
    directives.requireFollowed(statement);
    KernelTensors tensors = new KernelTensors(statement);
    Code body = tensors.head().nested();
    new GemmLoops(statement, contraction, tensors, directive, schedule.parallelOutermost(), body)
        .emit();
    return arrays(statement, tensors, body, true);
  }

  /** Vector lanes along another label than the result's last, where the schedule has one. */
  private Contraction inLanes(Contraction contraction, Directives directives) {
    Optional<Directive.Vector> vector =
        schedule.directives().stream()
            .filter(Directive.Vector.class::isInstance)
            .map(Directive.Vector.class::cast)
            .findFirst();
    if (vector.isEmpty()) {
      return contraction;
    }
    Optional<IndexVar> lanes =
        contraction.otherLanes().filter(label -> label.name().equals(vector.get().variable()));
    if (lanes.isEmpty()) {
      directives.refuse(
          vector.get(),
          "lanes of gemm run along the result's last label, or along the last one of the operand"
              + " that has this label, if the result has that too",
          "drop the directive");
      return contraction;
    }
    directives.follow(vector.get());
    return contraction.withLanes(lanes.get());
  }

  /** A transposed copy of a dense tensor. */
  private LoweredKernel tiles(
      TensorAssignment statement, Transposition transposition, Diagnostics diagnostics) {
    stages.put("algebra", () -> diagnosticsText(diagnostics) + statement + "\n");
    stages.put(
        "iterationGraph", () -> "transposition in tiles over " + transposition.labels() + "\n");
    stages.put("lattices", () -> "");
    KernelTensors tensors = new KernelTensors(statement);
    Code body = tensors.head().nested();
    transposition.emit(tensors, schedule.parallelOutermost(), body);
    return arrays(statement, tensors, body, false);
  }

  /** The kernel of {@code body}, which writes every cell of a dense result unless it adds to it. */
  private LoweredKernel arrays(
      TensorAssignment statement, KernelTensors tensors, Code body, boolean tiled) {
    Code whole = tensors.head();
    whole.addAll(body);
    KernelSignature signature =
        statement.accumulate() ? tensors.signature(symbol) : tensors.overwriting(symbol);
    LoopFunction function =
        ModeLabels.add(
            new LoopFunction(signature, tensors.bindings(), whole.block(), tiled), statement);
    LoopChecker.check(function);
    stages.put("loops", () -> LoopPrinter.print(function));
    return new LoweredKernel(function, List.of(), stages);
  }

  private static Statement parse(String expression, Diagnostics diagnostics) {
    Optional<Statement> statement =
        Parser.statement(SourceText.expression(expression), diagnostics);
    diagnostics.throwIfErrors();
    return statement.orElseThrow();
  }

  private static String diagnosticsText(Diagnostics diagnostics) {
    return diagnostics.list().isEmpty() ? "" : diagnostics.render() + "\n";
  }

  private List<IndexVar> order(TensorAssignment algebra) {
    IterationGraph graph = IterationGraph.of(algebra, schedule.loopOrder());
    List<IndexVar> order = graph.loopOrder();
    stages.put("iterationGraph", graph::toString);
    return order;
  }

  /** {@code algebra} with reductions apart that have nothing to do with each other. */
  public static TensorAssignment apart(TensorAssignment algebra) {
    RewriteRule split = new SplitReduction(algebra.isInteger());
    return algebra.withValue(RewriteRule.rewrite(algebra.value(), split, new Flatten()));
  }

  /** {@code algebra} with its products factored as suits the loop order. */
  public static TensorAssignment factored(TensorAssignment algebra, List<IndexVar> loops) {
    RewriteRule distribute = new DistributeReduction(new LoopOrder(loops), algebra.isInteger());
    return algebra.withValue(RewriteRule.rewrite(algebra.value(), distribute, new Flatten()));
  }

  private LoopFunction loops(
      TensorAssignment algebra, List<IndexVar> order, @Nullable FusedAccess fused) {
    KernelTensors tensors = new KernelTensors(algebra);
    Values values = new Values(tensors, Values.typeOf(algebra));
    Directives directives = new Directives(schedule);
    LoopNest nest = new LoopNest(tensors, values, fused, directives);
    TensorLayout result = tensors.layout(algebra.target().tensor());
    Code prologue = tensors.head().nested();
    Code body = tensors.head().nested();
    Scope scope = Scope.root(tensors.head().nested());
    if (result.tensor().format().isInsertable()) {
      Sink sink =
          new MemorySink(
              algebra.target(), result.vals(), algebra.accumulate() ? Fold.SUM : null, false, null);
      nest.emit(algebra.value(), order, scope, sink, body);
    } else {
      AppendPlan plan = new AppendPlan(algebra.target(), result, prologue);
      plan.init(prologue);
      nest.emit(algebra.value(), order, scope, new AppendSink(plan), body);
      plan.finish(body);
    }
    directives.requireFollowed(algebra);
    lookups = nest.lookups();
    stages.put("lattices", nest::lattices);
    scope.workspaces().freeAll(body);
    Code whole = tensors.head();
    whole.addAll(prologue);
    whole.addAll(scope.workspaces().allocations());
    whole.addAll(body);
    boolean overwrites =
        !algebra.accumulate() && hasPlainLabels(algebra.target()) && nest.writesEveryCell();
    KernelSignature signature =
        overwrites ? tensors.overwriting(symbol) : tensors.signature(symbol);
    return new LoopFunction(signature, tensors.bindings(), whole.block());
  }

  /** Whether the loops of the variables count all coordinates of a mode, no more and no less. */
  private static boolean hasPlainLabels(TensorExpr.Access access) {
    return access.variables().stream().allMatch(variable -> variable.label().equals(variable))
        && access.tensor().stored().isOrdinary();
  }
}
