package org.weft.planner.distributed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorAssignment;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.eval.OperandOutline;
import org.weft.compiler.eval.StatementAlgebra;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.planner.machine.MachineParameters;
import org.weft.planner.machine.Resources;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;

/**
 * Plans statements on tensors that lie on many machines. A statement is divided along one label:
 * each part computes the statement for a range of the label's coordinates. If the result has the
 * label, the cells of each part are its own. If the label is reduced, several parts compute the
 * same cells, and the reducer merges these cells.
 *
 * <p>An operand that has the label is cut along it. An operand without the label goes whole to
 * every part, or each part gets the slices that it needs. A statement may be divided along two or
 * three labels, too: an operand without one of them goes to the ranges of that label only. The
 * planner tries every label with every way for its operands, and every grid of labels, and takes
 * the plan that fits the memory and has the least predicted time.
 */
public final class DistributedPlanner {
  private final StatementCompiler compiler;
  private final MachineParameters machine;

  public DistributedPlanner(TensorCompiler compiler, MachineParameters machine) {
    this.compiler = new StatementCompiler(compiler);
    this.machine = machine;
  }

  /**
   * What is asked for.
   *
   * @param algebra the statement; its operands' formats are those that parts will have
   * @param statistics of the operands, by name
   * @param previous of the value that is added to, if there is one
   * @param resources of the cluster
   * @param parts into which the statement is divided; 0 to choose
   * @param only the one label to try, or those of a grid with commas between them; empty for all,
   *     {@code "-"} for none
   * @param exchange the only way for operands without the label; empty for all
   */
  public record Request(
      StatementAlgebra algebra,
      Map<String, TensorStatistics> statistics,
      Optional<TensorStatistics> previous,
      Resources resources,
      int parts,
      String only,
      Optional<Class<? extends Route>> exchange) {}

  /** The cheapest plan. Compiles its kernels. */
  public DistributedPlan plan(Request asked) {
    SlottedRequest request = SlottedRequest.of(asked);
    StatementAlgebra algebra = request.algebra();
    List<Candidate> candidates = new ArrayList<>(new Candidates(machine, request).all());
    candidates.sort(request.best());
    if (candidates.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "the statement cannot be divided along '" + request.asked().only() + "'");
    }
    return build(request, algebra, candidates);
  }

  private DistributedPlan build(
      SlottedRequest request, StatementAlgebra algebra, List<Candidate> candidates) {
    Candidate best = candidates.get(0);
    TensorAssignment statement = algebra.assignment();
    boolean merged = best.reducer().isPresent() || request.asked().previous().isPresent();
    StatementAlgebra part = part(algebra, best);
    TensorFormat format = statement.target().tensor().format();
    if (merged) {
      // What a part has no value for must be absent, not 0.
      part = part.withResultFormat(compressed(part));
    }
    Set<String> open = Set.copyOf(best.grid().labels());
    CompiledStatement kernel = compiler.compile(part, open);
    Operator reducer = best.reducer().orElse(Operator.PLUS);
    Optional<DistributedPlan.Merge> merge =
        merged
            ? Optional.of(merge(request, algebra, reducer, best.grid().parts() + 1))
            : Optional.empty();
    List<DistributedPlan.Slot> slots = new ArrayList<>();
    best.routes()
        .forEach(
            (name, route) ->
                slots.add(new DistributedPlan.Slot(name, request.tensor(name), route)));
    return new DistributedPlan(
        tree(request, algebra, best, reducer, merged),
        best.grid(),
        algebra.sizes(),
        slots,
        kernel,
        best.grid().modes(StatementCompiler.names(statement.target().variables())),
        merge,
        algebra.resultShape(),
        format,
        candidates.stream().map(Candidate::described).toList());
  }

  /**
   * The statement as one part sees it: less of the operands, and of the labels as much as the part
   * with the most has, so that coordinates fit the formats of every part.
   */
  private static StatementAlgebra part(StatementAlgebra algebra, Candidate best) {
    Map<String, Long> sizes = new HashMap<>(algebra.sizes());
    Map<String, OperandOutline> operands = new LinkedHashMap<>(algebra.operands());
    for (int axis = 0; axis < best.grid().axes().size(); axis++) {
      Ranges ranges = best.grid().axes().get(axis).ranges();
      long length = Math.max(1, ranges.longest());
      sizes.put(best.grid().axes().get(axis).label(), length);
      for (Map.Entry<String, Route> route : best.routes().entrySet()) {
        if (route.getValue() instanceof Route.ByRanges cut && !cut.modes().get(axis).isEmpty()) {
          OperandOutline operand = Objects.requireNonNull(operands.get(route.getKey()));
          TensorShape shape = operand.shape();
          for (int mode : cut.modes().get(axis)) {
            shape = shape.with(mode, length);
          }
          operands.put(
              route.getKey(),
              new OperandOutline(
                  operand.format(), shape, operand.entries() / ranges.parts(), operand.nonzeros()));
        }
      }
    }
    return algebra.withSizes(operands, sizes);
  }

  private static TensorFormat compressed(StatementAlgebra algebra) {
    TensorFormat format = algebra.assignment().target().tensor().format();
    int order = format.order();
    return order == 0 ? format : TensorFormat.csf(order, format.valueType());
  }

  private DistributedPlan.Merge merge(
      SlottedRequest request, StatementAlgebra algebra, Operator reducer, int parts) {
    TensorExpr.Access target = algebra.assignment().target();
    int order = target.variables().size();
    List<IndexVar> modes = new ArrayList<>();
    for (int mode = 0; mode < order; mode++) {
      modes.add(new IndexVar("m" + mode));
    }
    IndexVar part = new IndexVar(DistributedPlan.Merge.PART);
    List<IndexVar> all = new ArrayList<>(modes);
    all.add(part);
    TensorShape shape = algebra.resultShape();
    Map<String, Long> sizes = new LinkedHashMap<>();
    long[] extents = new long[order + 1];
    for (int mode = 0; mode < order; mode++) {
      extents[mode] = shape.size(mode);
      sizes.put(modes.get(mode).name(), shape.size(mode));
    }
    extents[order] = parts;
    sizes.put(part.name(), (long) parts);
    TensorFormat format = target.tensor().format();
    TensorFormat results = TensorFormat.csf(order + 1, format.valueType());
    TensorVar operand = new TensorVar(DistributedPlan.Merge.PARTS, results, TensorVar.Kind.OPERAND);
    TensorExpr value =
        new TensorExpr.Reduce(
            reducer, part, new TensorExpr.Access(target.id() + 1, operand, all, target.span()));
    TensorAssignment merged =
        new TensorAssignment(
            new TensorExpr.Access(target.id(), target.tensor(), modes, target.span()),
            false,
            value,
            Map.of());
    OperandOutline outline =
        new OperandOutline(results, TensorShape.of(extents), algebra.resultEntries() * 2);
    StatementAlgebra statement =
        new StatementAlgebra(merged, Map.of(DistributedPlan.Merge.PARTS, outline), sizes);
    Ranges ranges = order == 0 ? Ranges.equal(1, 1) : Ranges.equal(shape.size(0), request.parts());
    return new DistributedPlan.Merge(
        ranges,
        compiler.compile(statement, order == 0 ? Set.of() : Set.of(modes.get(0).name())),
        StatementCompiler.names(modes));
  }

  private static PlanNode tree(
      SlottedRequest request,
      StatementAlgebra algebra,
      Candidate best,
      Operator reducer,
      boolean merged) {
    int parts = best.grid().parts();
    List<PlanNode> inputs = new ArrayList<>();
    best.routes()
        .forEach(
            (name, route) -> {
              TensorStatistics known = request.statistics(name);
              PlanNode scan =
                  new PlanNode.Scan(request.tensor(name), known.shape(), (double) known.entries());
              Costs costs = best.exchanges().getOrDefault(name, Costs.NONE);
              inputs.add(new PlanNode.Exchange(scan, route, parts, costs));
            });
    PlanNode kernel =
        new PlanNode.Kernel(inputs, algebra.assignment().toString(), best.grid(), best.kernel());
    if (!merged) {
      Route first = new Route.ByRanges(List.of(List.of(0)));
      return best.arranging()
          .map(costs -> (PlanNode) new PlanNode.Exchange(kernel, first, parts, costs))
          .orElse(kernel);
    }
    List<PlanNode> results = new ArrayList<>(List.of(kernel));
    request
        .asked()
        .previous()
        .ifPresent(
            old ->
                results.add(
                    new PlanNode.Scan(
                        algebra.assignment().target().tensor().name(),
                        old.shape(),
                        (double) old.entries())));
    return new PlanNode.Merge(results, reducer.symbol(), parts, best.merge());
  }
}
