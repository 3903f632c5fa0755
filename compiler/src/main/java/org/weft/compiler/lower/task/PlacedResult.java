package org.weft.compiler.lower.task;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.merge.LoopBlocks;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.sink.AppendPlan;
import org.weft.memory.ElementType;

/**
 * An appended result whose structure is that of the one operand that is walked: each of its
 * positions is known beforehand, as all other operands are full. So its arrays get their lengths at
 * once, and tasks write to their places in them. The levels above the last appended ones are
 * copied.
 *
 * <pre>
 * Y(i,j) = T(i,j,k) * v(k)
 * crd of T's j     0   2   1    | 2   7        two tasks
 * crd of Y's j     0   2   1    | 2   7
 * vals of Y        x   x   x    | x   x        position p of Y is position p of T
 * </pre>
 *
 * <p>A position of the operand below which nothing is stored has none in the result. No format says
 * that there is none, so that tasks count what they store. If that is less than there are
 * positions, the result is gathered instead ({@link AppendingPieces}).
 */
final class PlacedResult {
  private final AppendingPieces pieces;
  private final AppendPlan plan;

  private PlacedResult(AppendingPieces pieces, AppendPlan plan) {
    this.pieces = pieces;
    this.plan = plan;
  }

  /**
   * How {@code pieces} are written to their places; null if these are not known.
   *
   * @param isFull whether an access stores all coordinates of a variable
   */
  static @Nullable PlacedResult of(
      TensorExpr expr,
      AppendingPieces pieces,
      AppendPlan plan,
      BiPredicate<TensorExpr.Access, IndexVar> isFull) {
    TaskLoops.Counted counted = pieces.counted();
    if (counted.chains().size() != 1 || pieces.levels().size() != plan.lastAppended()) {
      return null;
    }
    TensorExpr.Access operand = counted.chains().get(0).access();
    boolean others =
        expr.accesses().stream()
            .filter(access -> access.id() != operand.id())
            .allMatch(access -> access.variables().stream().allMatch(v -> isFull.test(access, v)));
    List<AppendPlan.Group> groups = plan.groups();
    boolean single =
        groups.stream().allMatch(g -> g.first() == g.last() || g.equals(plan.lastGroup()));
    return others
            && single
            && AppendingPieces.isWithin(expr, operand)
            && isRootPlaced(counted, operand, plan, groups.get(0))
        ? new PlacedResult(pieces, plan)
        : null;
  }

  /** Whether positions of the loop's level stand for those of the first level. */
  private static boolean isRootPlaced(
      TaskLoops.Counted counted,
      TensorExpr.Access operand,
      AppendPlan plan,
      AppendPlan.Group first) {
    Level walked = counted.walked();
    return plan.access().variableAt(0).equals(operand.variableAt(0))
        && (walked == null || AppendingPieces.isWalked(walked))
        && (first.first() == 1 || first.last() > 0 || walked != null)
        && first.first() <= 1;
  }

  void emit(Expr work, Scope scope, Code code, TaskLoops.Loop loop) {
    List<LevelRange> ranges = ranges(code);
    makeRoom(ranges, code);
    Expr tasks = code.name("tasks", new Expr.Tasks(work));
    Buffer stored = new Buffer(code.fresh("stored"), ElementType.I64, Buffer.Kind.WORKSPACE);
    code.add(new Stmt.AllocateWorkspace(stored, tasks, TaskLoops.FEW_TASKS));
    LoopVariable task = LoopVariable.integer(code.fresh("task"));
    LevelEmitter.Range all = new LevelEmitter.Range(Expr.of(0), tasks);
    LoopBlocks.simple(
        task,
        all,
        LoopTraits.PARALLEL,
        scope,
        code,
        (inner, body) -> {
          Expr count = part(Expr.of(task), tasks, ranges, inner, body, loop);
          body.add(new Stmt.Store(stored, Expr.of(task), count));
        });
    LoopVariable sum = code.declare("stored_all", Expr.of(0));
    LoopVariable each = LoopVariable.integer(code.fresh("task"));
    Code add = code.nested();
    add.assign(sum, Expr.add(Expr.of(sum), new Expr.Load(stored, Expr.of(each))));
    code.add(new Stmt.For(each, Expr.of(0), tasks, add.block(), LoopTraits.FEW));
    code.add(new Stmt.FreeWorkspace(stored));

    Expr positions = Expr.of(0);
    Code complete = code.nested();
    for (AppendPlan.Group group : plan.groups()) {
      Expr count = ranges.get(group.last()).count();
      positions = Expr.add(positions, count);
      complete.assign(group.position(), count);
    }
    Code again = code.nested();
    plan.init(again);
    pieces.gather(plan, work, scope, again, loop);
    Expr isComplete = Expr.equal(Expr.of(sum), positions);
    code.add(new Stmt.If(isComplete, complete.block(), again.block()));
  }

  /** What a task does; returns how many positions it stores. */
  private Expr part(
      Expr task, Expr tasks, List<LevelRange> ranges, Scope scope, Code code, TaskLoops.Loop loop) {
    LoopVariable count = code.declare("stored_above", Expr.of(0));
    for (int number = 0; number < plan.lastGroup().first(); number++) {
      copy(number, ranges, task, tasks, count, code);
    }
    int last = plan.lastAppended();
    TensorExpr.Access operand = pieces.counted().chains().get(0).access();
    List<Expr> appended = new ArrayList<>();
    pieces.emit(
        code.name("items_from", share(pieces.total(), task, tasks)),
        code.name("items_to", share(pieces.total(), Expr.add(task, Expr.of(1)), tasks)),
        (first, end, body) -> {
          AppendPlan placed = plan.placed(operand, ranges.get(last).begin(), first.get(last), body);
          if (placed.placement() != null) {
            appended.add(Expr.of(placed.placement().stored()));
          }
          return placed;
        },
        scope,
        code,
        loop);
    return Expr.add(Expr.of(count), appended.get(0));
  }

  /** Where the share of a task begins. */
  private static Expr share(Expr total, Expr task, Expr tasks) {
    return Expr.binary(Expr.Op.DIV, Expr.mul(total, task), tasks);
  }

  /** Positions of the operand, level by level to the last one that is appended. */
  private record LevelRange(Expr begin, Expr end) {
    Expr count() {
      return Expr.sub(end, begin);
    }
  }

  private List<LevelRange> ranges(Code code) {
    List<LevelRange> ranges = new ArrayList<>();
    TaskLoops.Counted counted = pieces.counted();
    ranges.add(new LevelRange(counted.range().begin(), counted.range().end()));
    for (Level level : pieces.levels()) {
      LevelRange above = ranges.get(ranges.size() - 1);
      Expr begin = code.name("p" + level.name() + "_all", Chain.children(level, above.begin()));
      Expr end = code.name("p" + level.name() + "_all_end", Chain.children(level, above.end()));
      ranges.add(new LevelRange(begin, end));
    }
    return ranges;
  }

  /** Gives the arrays the lengths they need. */
  private void makeRoom(List<LevelRange> ranges, Code code) {
    TensorLayout layout = plan.layout();
    for (AppendPlan.Group group : plan.groups()) {
      Expr positions = ranges.get(group.last()).count();
      for (int number = group.first(); number <= group.last(); number++) {
        code.add(new Stmt.Grow(layout.level(number).requireCrd(), positions));
      }
      Buffer pos = layout.level(group.first()).pos();
      if (pos != null && group.first() > 0 && !group.counted()) {
        Expr parents = ranges.get(group.first() - 1).count();
        code.add(new Stmt.Grow(pos, Expr.add(parents, Expr.of(1))));
      }
    }
    Expr block = plan.blockSize(plan.lastAppended() + 1, layout.order());
    Expr values = Expr.mul(ranges.get(plan.lastAppended()).count(), block);
    code.add(new Stmt.Grow(layout.vals(), values));
  }

  /** Copies a task's share of a level above the last group, and the edges below it. */
  private void copy(
      int number, List<LevelRange> ranges, Expr task, Expr tasks, LoopVariable count, Code code) {
    LevelRange range = ranges.get(number);
    String stem = "p" + (number + 1);
    LoopVariable p = LoopVariable.integer(code.fresh(stem));
    Expr at = Expr.of(p);
    Code body = code.nested();
    Expr coordinate =
        number == 0
            ? pieces.counted().coordinate(at)
            : pieces
                .levels()
                .get(number - 1)
                .emitter()
                .coordinate(pieces.levels().get(number - 1), at);
    Expr name = body.name(stem + "_crd", coordinate);
    Expr parent = Expr.sub(at, range.begin());
    AppendPlan.Group group = plan.groupOf(number);
    if (group == null) {
      Level random = plan.layout().level(number);
      parent = random.emitter().locate(random, Expr.of(0), name).position();
    } else {
      Level level = plan.layout().level(number);
      level.emitter().appendCoordinate(level, parent, name, body);
    }
    AppendPlan.Group below =
        plan.groups().stream().filter(g -> g.first() == number + 1).findFirst().orElseThrow();
    Expr begin = at;
    Expr end = Expr.add(at, Expr.of(1));
    for (Level level : pieces.levels().subList(number, below.last())) {
      begin = Chain.children(level, begin);
      end = Chain.children(level, end);
    }
    begin = body.name(stem + "_begin", Expr.sub(begin, ranges.get(below.last()).begin()));
    end = body.name(stem + "_end", Expr.sub(end, ranges.get(below.last()).begin()));
    Level head = plan.layout().level(below.first());
    head.emitter().appendEdges(head, parent, begin, end, below.counted(), body);
    if (group != null) {
      Expr one = new Expr.Convert(Expr.lessThan(begin, end), ScalarType.I64);
      body.assign(count, Expr.add(Expr.of(count), one));
    }
    Expr from = Expr.add(range.begin(), share(range.count(), task, tasks));
    Expr next = share(range.count(), Expr.add(task, Expr.of(1)), tasks);
    Expr to = Expr.add(range.begin(), next);
    code.add(new Stmt.For(p, from, to, body.block(), LoopTraits.SERIAL));
  }
}
