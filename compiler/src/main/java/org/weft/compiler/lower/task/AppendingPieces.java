package org.weft.compiler.lower.task;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Workspaces;
import org.weft.compiler.lower.sink.AppendPlan;
import org.weft.compiler.lower.sink.AppendSink;
import org.weft.memory.ElementType;
import org.weft.tensor.level.LevelCapability;

/**
 * The pieces of an outermost loop that appends: ranges of the items of {@link TaskLoops}.
 *
 * <p>Where the loops inside append along levels of the one operand that they walk, borders lie
 * between positions of the last such level, so that a heavy iteration is divided like any other.
 * Else they lie between iterations. No border lies within a cell of the result, so that sums are
 * those of one thread.
 *
 * <pre>
 * Y(i,j) = T(i,j,k) * v(k)
 * i         0       1
 * j         0   2   1         2   7
 * entries   x   x x x x x x x x   x x x
 * pieces    [  0    ][ 1     ][  2      ]    two append i = 1, which is gathered as one
 * </pre>
 */
final class AppendingPieces {
  private final TaskLoops.Counted counted;

  /** Items before the first iteration. */
  private final Expr before;

  private final Expr total;

  /** Levels of the operand below that of the loop, to the one that is divided; empty for none. */
  private final List<Level> levels;

  private AppendingPieces(TaskLoops.Counted counted, Expr before, Expr total, List<Level> levels) {
    this.counted = counted;
    this.before = before;
    this.total = total;
    this.levels = levels;
  }

  /**
   * The pieces of the loop that {@code counted} is about.
   *
   * @param before items before the first iteration
   * @param total items of all iterations
   */
  static AppendingPieces of(
      TensorExpr expr, TaskLoops.Counted counted, Expr before, Expr total, AppendPlan plan) {
    return new AppendingPieces(counted, before, total, divisible(expr, counted, plan));
  }

  /** Emits the loop over pieces, each with arrays of its own. */
  void gather(AppendPlan plan, Expr work, Scope scope, Code code, TaskLoops.Loop loop) {
    Workspaces own = new Workspaces(code.nested());
    Code body = code.nested();
    LoopVariable from = LoopVariable.integer(code.fresh("items_from"));
    LoopVariable to = LoopVariable.integer(code.fresh("items_to"));
    AppendPlan piece = plan.piece(own, body);
    emit(
        Expr.of(from),
        Expr.of(to),
        (first, last, inner) -> own(piece, first, last),
        scope.withWorkspaces(own),
        body,
        loop);
    List<Stmt.Part> parts = plan.parts(piece, levels.size());
    code.add(
        new Stmt.Gather(total, work, from, to, own.allocations().block(), body.block(), parts));
  }

  TaskLoops.Counted counted() {
    return counted;
  }

  Expr total() {
    return total;
  }

  /** Levels of the operand below that of the loop, to the one that is divided; empty for none. */
  List<Level> levels() {
    return levels;
  }

  /** Levels of the one walked operand along which the result is appended and can be divided. */
  private static List<Level> divisible(
      TensorExpr expr, TaskLoops.Counted counted, AppendPlan plan) {
    List<Level> levels = new ArrayList<>();
    if (counted.chains().size() != 1) {
      return levels;
    }
    Chain chain = counted.chains().get(0);
    if (!isWithin(expr, chain.access())) {
      return levels;
    }
    for (Level level : chain.levels()) {
      boolean appended =
          level.number() <= plan.lastAppended()
              && plan.access()
                  .variableAt(level.number())
                  .equals(chain.access().variableAt(level.number()));
      if (!appended || !isWalked(level)) {
        break;
      }
      levels.add(level);
    }
    while (!levels.isEmpty() && !plan.isDivisible(levels.size())) {
      levels.remove(levels.size() - 1);
    }
    return levels;
  }

  /** Whether {@code expr} is present only where {@code operand} is. */
  static boolean isWithin(TensorExpr expr, TensorExpr.Access operand) {
    if (expr instanceof TensorExpr.Access access) {
      return access.id() == operand.id();
    } else if (expr instanceof TensorExpr.Product product) {
      return product.factors().stream().anyMatch(factor -> isWithin(factor, operand));
    } else if (expr instanceof TensorExpr.Apply apply && !apply.function().preservesZero()) {
      return false;
    }
    return !expr.children().isEmpty()
        && expr.children().stream().allMatch(child -> isWithin(child, operand));
  }

  /** Whether loops walk all positions of the level, in the order of their coordinates. */
  static boolean isWalked(Level level) {
    return !level.random()
        && !level.can(LevelCapability.LOCATE)
        && level.unique()
        && level.ordered()
        && level.labelled(Expr.of(0)) == null;
  }

  /** Says where a piece is appended. */
  interface Destination {
    /**
     * The plan for a piece.
     *
     * @param first its first iteration, and its first position of each level that is divided
     * @param last behind the last ones
     */
    AppendPlan of(List<Expr> first, List<Expr> last, Code code);
  }

  /** A piece with arrays of its own. */
  private AppendPlan own(AppendPlan piece, List<Expr> first, List<Expr> last) {
    int parents = piece.firstAppended() - 1;
    return parents < 0 || parents >= levels.size()
        ? piece
        : piece.sharing(counted.chains().get(0).access(), first.get(parents), last.get(parents));
  }

  /** Emits the loop over what belongs to the items {@code [from, to)}. */
  void emit(
      Expr from, Expr to, Destination destination, Scope scope, Code code, TaskLoops.Loop loop) {
    String name = counted.variable().name();
    if (counted.chains().isEmpty()) {
      Expr begin = whole(from, code);
      Expr end = whole(to, code);
      AppendSink sink = new AppendSink(destination.of(List.of(begin), List.of(end), code));
      Block block = counted.block(begin, end);
      loop.emit(sink, scope.withBlock(counted.variable(), block), code);
      return;
    }
    int numbers = 1 + levels.size();
    Buffer ends = search(from, to, numbers, code);
    List<Expr> first = new ArrayList<>();
    List<Expr> last = new ArrayList<>();
    for (int number = 0; number < numbers; number++) {
      String stem = number == 0 ? name : "p" + levels.get(number - 1).name();
      first.add(code.name(stem + "_from", new Expr.Load(ends, Expr.of(number))));
      last.add(code.name(stem + "_to", new Expr.Load(ends, Expr.of(numbers + number))));
    }
    code.add(new Stmt.FreeWorkspace(ends));
    include(last, code);
    Scope narrowed = scope;
    for (Level level : levels) {
      int number = level.number();
      LevelEmitter.Range range = new LevelEmitter.Range(first.get(number), last.get(number));
      narrowed = narrowed.withClip(counted.chains().get(0).access().id(), level, range);
    }
    AppendSink sink = new AppendSink(destination.of(first, last, code));
    Block block = counted.block(first.get(0), last.get(0));
    loop.emit(sink, narrowed.withBlock(counted.variable(), block), code);
  }

  /** A position that a piece ends within belongs to it, too. */
  private void include(List<Expr> last, Code code) {
    for (int number = levels.size() - 1; number >= 0; number--) {
      Level below = levels.get(number);
      Expr children = Chain.children(below, last.get(number));
      Expr within = Expr.lessThan(children, last.get(number + 1));
      Expr more = new Expr.Select(within, Expr.of(1), Expr.of(0));
      String stem = number == 0 ? counted.variable().name() : "p" + levels.get(number - 1).name();
      last.set(number, code.name(stem + "_end", Expr.add(last.get(number), more)));
    }
  }

  /** For both ends of a piece: the iteration, and a position of each level. */
  private Buffer search(Expr from, Expr to, int numbers, Code code) {
    Buffer ends = new Buffer(code.fresh("ends"), ElementType.I64, Buffer.Kind.WORKSPACE);
    code.add(new Stmt.AllocateWorkspace(ends, Expr.of(2L * numbers)));
    LoopVariable end = LoopVariable.integer(code.fresh("end"));
    Code search = code.nested();
    Expr item = new Expr.Select(Expr.equal(Expr.of(end), Expr.of(0)), from, to);
    List<Expr> found = levels.isEmpty() ? List.of(whole(item, search)) : within(item, search);
    for (int number = 0; number < numbers; number++) {
      Expr at = Expr.add(Expr.mul(Expr.of(end), Expr.of(numbers)), Expr.of(number));
      search.add(new Stmt.Store(ends, at, found.get(number)));
    }
    code.add(new Stmt.For(end, Expr.of(0), Expr.of(2), search.block(), LoopTraits.FEW));
    return ends;
  }

  /** The iteration that begins with an item, or after it. */
  private Expr whole(Expr item, Code code) {
    return TaskLoops.border(counted, item, before, null, total, code).at();
  }

  /**
   * The iteration to which an item belongs, and a position of each level below: the last one before
   * which there are no more entries than before the item.
   */
  private List<Expr> within(Expr item, Code code) {
    Chain chain = counted.chains().get(0);
    String name = counted.variable().name();
    Expr x = code.name(name + "_item", item);
    Expr bound = code.name(name + "_bound", Expr.add(x, before));
    LoopVariable at = TaskLoops.iterationOf(counted, x, bound, total, code);
    Expr entry = code.name(name + "_entry", Expr.sub(bound, Expr.of(at)));
    List<Expr> found = new ArrayList<>(List.of(Expr.of(at)));
    Expr parent = Expr.of(at);
    Expr next = Expr.min(Expr.add(parent, Expr.of(1)), counted.range().end());
    for (Level level : levels) {
      int number = level.number();
      if (number == chain.levels().size()) {
        found.add(entry);
        break;
      }
      Expr low = Chain.children(level, parent);
      Expr high = code.name("p" + level.name() + "_last", Chain.children(level, next));
      TaskLoops.Before entries = p -> chain.before(number, p);
      String stem = "p" + level.name() + "_at";
      parent = Expr.of(TaskLoops.lastUpTo(stem, low, high, entry, entries, code));
      next = Expr.min(Expr.add(parent, Expr.of(1)), high);
      found.add(parent);
    }
    return found;
  }
}
