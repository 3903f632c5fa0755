package org.weft.compiler.lower;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.algebra.AlgebraBuilder;
import org.weft.compiler.algebra.DistributeReduction;
import org.weft.compiler.algebra.Flatten;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.graph.IterationGraph;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Parser;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.LoopChecker;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopPrinter;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;

/**
 * The front end of the compiler as a list of passes: parse, build algebra, expose the levels of
 * structured formats, order loops, fuse branchless levels or factor products, emit loops, check.
 */
public final class Lowering {
  private final String symbol;
  private final Schedule schedule;
  private final Map<String, String> stages = new LinkedHashMap<>();

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
    lowering.stages.put("algebra", algebra + "\n");
    lowering.stages.put("iterationGraph", "loops: " + loops + ", result in buckets\n");
    LoopFunction function = ModeLabels.add(lowering.buckets(algebra, loops), algebra);
    LoopChecker.check(function);
    lowering.stages.put("loops", LoopPrinter.print(function));
    return new LoweredKernel(function, lowering.stages);
  }

  private LoopFunction buckets(TensorAssignment algebra, List<IndexVar> order) {
    Tensors tensors = new Tensors(algebra);
    Values values = new Values(tensors, Values.typeOf(algebra));
    FusedAccess fused = FusedAccess.in(algebra.value(), order);
    LoopNest nest = new LoopNest(tensors, values, fused, new Directives(schedule));
    TensorLayout result = tensors.layout(algebra.target().tensor());
    Code body = tensors.head().nested();
    Scope scope = Scope.root(tensors.head().nested());
    BucketSink counting = BucketSink.counting(algebra.target(), result, body);
    nest.emit(algebra.value(), order, scope, counting, body);
    BucketSink placing = counting.placing(body);
    nest.emit(algebra.value(), order, scope, placing, body);
    placing.finish(body);
    stages.put("lattices", nest.lattices());
    scope.workspaces().freeAll(body);
    Code whole = tensors.head();
    whole.addAll(scope.workspaces().allocations());
    whole.addAll(body);
    return new LoopFunction(tensors.signature(symbol), tensors.bindings(), whole.block());
  }

  private LoweredKernel run(TensorAssignment statement, Diagnostics diagnostics) {
    TensorAssignment algebra = ExposeLevels.of(Diagonals.of(statement));
    TensorAssignment masked = MaskStrategy.choose(algebra, schedule.loopOrder());
    List<IndexVar> loops = order(masked);
    FusedAccess fused = FusedAccess.find(masked, loops);
    TensorAssignment factored = fused == null ? factored(masked, loops) : masked;
    stages.put("algebra", diagnosticsText(diagnostics) + factored + "\n");
    LoopFunction function = ModeLabels.add(loops(factored, loops, fused), statement);
    LoopChecker.check(function);
    stages.put("loops", LoopPrinter.print(function));
    return new LoweredKernel(function, stages);
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
    stages.put("iterationGraph", graph.toString());
    return order;
  }

  /** {@code algebra} with its products factored as suits the loop order. */
  public static TensorAssignment factored(TensorAssignment algebra, List<IndexVar> loops) {
    RewriteRule distribute = new DistributeReduction(new LoopOrder(loops), algebra.isInteger());
    return algebra.withValue(RewriteRule.rewrite(algebra.value(), distribute, new Flatten()));
  }

  private LoopFunction loops(
      TensorAssignment algebra, List<IndexVar> order, @Nullable FusedAccess fused) {
    Tensors tensors = new Tensors(algebra);
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
    stages.put("lattices", nest.lattices());
    scope.workspaces().freeAll(body);
    Code whole = tensors.head();
    whole.addAll(prologue);
    whole.addAll(scope.workspaces().allocations());
    whole.addAll(body);
    return new LoopFunction(tensors.signature(symbol), tensors.bindings(), whole.block());
  }
}
