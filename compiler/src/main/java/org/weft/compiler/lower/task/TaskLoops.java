package org.weft.compiler.lower.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.lattice.LatticeOperand;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.merge.Iteration;
import org.weft.compiler.lower.merge.LoopBlocks;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.rewrite.FusedAccess;
import org.weft.compiler.lower.schedule.LoopFacts;
import org.weft.compiler.lower.sink.AppendPlan;
import org.weft.compiler.lower.sink.AppendSink;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.Sink;
import org.weft.memory.ElementType;

/**
 * The outermost loop as tasks of equal work, however skewed the operands are.
 *
 * <p>The work of a loop is a row of items: every iteration has its stored entries ({@link Chain}),
 * then one item of its own. Task {@code t} of {@code n} takes items {@code [t total / n, (t+1)
 * total / n)}; binary search finds the iterations they belong to. An iteration at a border goes to
 * the task in which it begins, unless it is heavy: then the tasks share it ({@link
 * SharedIterations}).
 *
 * <pre>
 * iteration      0        1                  2   3      4
 * items          x x |    x x x x x x x x |  |   x |    x x x |
 * tasks          [ 0              ][ 1             ][ 2       ]
 * </pre>
 *
 * The number of tasks depends on the work and the threads of the call, so that the same call gives
 * the same bits.
 */
public final class TaskLoops {
  /** Sizes multiply: each counts for no more than this. */
  private static final long MOST_INNER_WORK = 1024;

  /** Tasks for whose borders there is room on the stack. */
  static final int FEW_TASKS = 16;

  /** Emits the loop, or the block of it that the scope says, with values going to the sink. */
  public interface Loop {
    void emit(Sink sink, Scope scope, Code code);
  }

  /**
   * What a loop counts.
   *
   * @param range positions of {@code walked}, or coordinates
   * @param walked the level whose positions are counted; null for coordinates
   * @param path what is above {@code walked}
   * @param chains the entries below each iteration, by operand
   */
  record Counted(
      IndexVar variable,
      LevelEmitter.Range range,
      @Nullable Level walked,
      LevelEmitter.@Nullable Path path,
      List<Chain> chains) {

    Block block(Expr from, Expr to) {
      return walked == null ? new Block.Coordinates(from, to) : new Block.Positions(from, to);
    }

    /** Items before iteration {@code v}, and a constant. */
    Expr items(Expr v) {
      Expr sum = v;
      for (Chain chain : chains) {
        sum = Expr.add(sum, chain.before(v));
      }
      return sum;
    }

    Expr coordinate(Expr v) {
      return walked == null || path == null ? v : walked.coordinate(v, path);
    }
  }

  /**
   * Where a task begins or ends.
   *
   * @param at an iteration
   * @param cut entries of that iteration before the border; 0 for none
   */
  record Border(Expr at, Expr cut) {
    /** Border {@code number} of an array with two numbers for each. */
    static Border load(Buffer borders, String name, Expr number, Code code) {
      Expr first = Expr.mul(Expr.of(2), number);
      Expr at = code.name(name + "_at", new Expr.Load(borders, first));
      Expr second = Expr.add(first, Expr.of(1));
      return new Border(at, code.name(name + "_cut", new Expr.Load(borders, second)));
    }

    void store(Buffer borders, Expr number, Code code) {
      Expr first = Expr.mul(Expr.of(2), number);
      code.add(new Stmt.Store(borders, first, at));
      code.add(new Stmt.Store(borders, Expr.add(first, Expr.of(1)), cut));
    }
  }

  private final KernelTensors tensors;
  private final Iteration iteration;
  private final @Nullable FusedAccess fused;

  /**
   * @param fused the access whose listed entries one loop inside walks
   */
  public TaskLoops(KernelTensors tensors, Iteration iteration, @Nullable FusedAccess fused) {
    this.tensors = tensors;
    this.iteration = iteration;
    this.fused = fused;
  }

  /**
   * Emits the loop over {@code variable}, which has no loop around it.
   *
   * @param expr what it evaluates
   * @param walked the operands whose positions the loop may walk; others are located. A loop that
   *     merges several is divided by coordinates
   * @param rest the variables with loops inside
   */
  public void emit(
      TensorExpr expr,
      IndexVar variable,
      LoopFacts.Walks walks,
      Set<LatticeOperand> walked,
      List<IndexVar> rest,
      Scope scope,
      Sink sink,
      Code code,
      Loop loop) {
    Counted counted = counted(expr, variable, walks, walked, scope, code);
    String name = variable.name();
    Expr before = code.name(name + "_before", counted.items(counted.range().begin()));
    Expr all = Expr.sub(counted.items(counted.range().end()), before);
    Expr total = code.name(name + "_items", all);
    Expr entries = walks.counted() ? total : entries(expr, variable, counted, total, scope);
    Expr work = Expr.mul(entries, innerWork(expr, variable, rest, code));
    if (sink instanceof AppendSink append) {
      AppendPlan plan = append.plan();
      AppendingPieces pieces = AppendingPieces.of(expr, counted, before, total, plan);
      PlacedResult placed = PlacedResult.of(expr, pieces, plan, this::isFull);
      if (placed != null) {
        placed.emit(work, scope, code, loop);
      } else {
        pieces.gather(plan, work, scope, code, loop);
      }
    } else if (sink instanceof MemorySink memory) {
      tasks(expr, counted, before, total, work, scope, memory, code, loop);
    } else {
      throw new IllegalStateException("no tasks for a loop into " + sink);
    }
  }

  /** Stored entries of operands that are merged, whose coordinates are the items. */
  private Expr entries(
      TensorExpr expr, IndexVar variable, Counted counted, Expr total, Scope scope) {
    Expr all = Expr.sub(total, Expr.sub(counted.range().end(), counted.range().begin()));
    for (TensorExpr.Access access : expr.accesses()) {
      Level level = iteration.levelAt(access, variable, scope);
      if (level != null && !level.random() && level.number() == 0) {
        Cursor root = scope.cursor(access);
        LevelEmitter.Range range = level.walk(root.begin(), root.endOrNext());
        Chain chain = Chain.below(access, tensors.layout(access.tensor()), 0);
        all = Expr.add(all, Expr.sub(chain.before(range.end()), chain.before(range.begin())));
      }
    }
    return all;
  }

  private void tasks(
      TensorExpr expr,
      Counted counted,
      Expr before,
      Expr total,
      Expr work,
      Scope scope,
      MemorySink sink,
      Code code,
      Loop loop) {
    IndexVar variable = counted.variable();
    String name = variable.name();
    Expr tasks = code.name("tasks", new Expr.Tasks(work));
    Expr share = code.name("share", Expr.binary(Expr.Op.DIV, total, tasks));
    SharedIterations shared =
        SharedIterations.of(expr, counted, tensors, fused, sink, tasks, share, code);
    Buffer borders = borders(counted, before, total, tasks, shared, code);
    if (shared != null) {
      shared.prepare(borders, code);
    }

    LoopVariable task = LoopVariable.integer(code.fresh("task"));
    LevelEmitter.Range numbers = new LevelEmitter.Range(Expr.of(0), tasks);
    LoopBlocks.simple(
        task,
        numbers,
        LoopTraits.PARALLEL,
        scope,
        code,
        (inner, body) -> {
          Border first = Border.load(borders, name, Expr.of(task), body);
          Border last = Border.load(borders, name, Expr.add(Expr.of(task), Expr.of(1)), body);
          if (shared != null) {
            shared.loops(first, last, Expr.of(task), inner, body, loop);
          } else {
            Block block = counted.block(first.at(), last.at());
            loop.emit(sink, inner.withBlock(variable, block), body);
          }
        });
    if (shared != null) {
      shared.combine(borders, code);
    }
    code.add(new Stmt.FreeWorkspace(borders));
  }

  /** Finds where tasks begin and end; a serial loop, as there are few tasks. */
  private static Buffer borders(
      Counted counted,
      Expr before,
      Expr total,
      Expr tasks,
      @Nullable SharedIterations shared,
      Code code) {
    Buffer borders = new Buffer(code.fresh("borders"), ElementType.I64, Buffer.Kind.WORKSPACE);
    Expr ends = Expr.add(tasks, Expr.of(1));
    Expr length = Expr.mul(Expr.of(2), ends);
    code.add(new Stmt.AllocateWorkspace(borders, length, 2 * (FEW_TASKS + 1)));
    LoopVariable number = LoopVariable.integer(code.fresh("border"));
    Code each = code.nested();
    Expr item = Expr.binary(Expr.Op.DIV, Expr.mul(total, Expr.of(number)), tasks);
    border(counted, item, before, shared, total, each).store(borders, Expr.of(number), each);
    code.add(new Stmt.For(number, Expr.of(0), ends, each.block(), LoopTraits.FEW));
    return borders;
  }

  private Counted counted(
      TensorExpr expr,
      IndexVar variable,
      LoopFacts.Walks walks,
      Set<LatticeOperand> iterated,
      Scope scope,
      Code code) {
    boolean coordinates = walks != LoopFacts.Walks.POSITIONS;
    LevelEmitter.Range range = new LevelEmitter.Range(Expr.of(0), Expr.of(0));
    if (coordinates) {
      range = new LevelEmitter.Range(Expr.of(0), tensors.size(variable));
    }
    Level walked = null;
    Ancestors path = null;
    List<Chain> chains = new ArrayList<>();
    for (TensorExpr.Access access : expr.accesses()) {
      Level level = iteration.levelAt(access, variable, scope);
      boolean located =
          !coordinates && iterated.stream().noneMatch(operand -> operand.id() == access.id());
      if (level == null || level.random() != coordinates || located) {
        continue;
      }
      Cursor parent = scope.cursor(access);
      if (!coordinates) {
        range = level.walk(parent.begin(), parent.endOrNext());
        walked = level;
        path = new Ancestors(access, scope);
      }
      TensorLayout layout = tensors.layout(access.tensor());
      Chain chain = Chain.below(access, layout, level.number());
      boolean contiguous = level.emitter().before(level, Expr.of(0)) != null;
      if (level.number() == 0 && contiguous && !chain.isEmpty()) {
        chains.add(chain);
      }
    }
    Expr begin = code.name(variable.name() + "_begin", range.begin());
    Expr end = code.name(variable.name() + "_end", range.end());
    return new Counted(variable, new LevelEmitter.Range(begin, end), walked, path, chains);
  }

  /**
   * Multiply-adds for each item: loops inside over variables that every operand has in full, and
   * the mean length of stored fibers that items choose.
   */
  private Expr innerWork(TensorExpr expr, IndexVar outer, List<IndexVar> rest, Code code) {
    Expr work = Expr.of(1);
    int sizes = 0;
    for (IndexVar variable : rest) {
      if (sizes < 3 && expr.accesses().stream().allMatch(access -> isFull(access, variable))) {
        work = Expr.mul(work, Expr.min(tensors.size(variable), Expr.of(MOST_INNER_WORK)));
        sizes++;
      }
    }
    for (TensorExpr.Access access : expr.accesses()) {
      if (sizes < 3 && choosesFibers(access, outer, rest)) {
        work = Expr.mul(work, Expr.min(fiberLength(access, code), Expr.of(MOST_INNER_WORK)));
        sizes++;
      }
    }
    return work;
  }

  /** Whether the access has a dense level of a variable inside, with stored fibers below. */
  private boolean choosesFibers(TensorExpr.Access access, IndexVar outer, List<IndexVar> rest) {
    if (access.variables().size() < 2 || access.variables().contains(outer)) {
      return false; // also a hoisted scalar, which has no layout
    }
    TensorLayout layout = tensors.layout(access.tensor());
    return rest.contains(access.variableAt(0))
        && layout.level(0).full()
        && !Chain.below(access, layout, 0).isEmpty();
  }

  /** One more than the mean number of entries below a coordinate of the first level. */
  private Expr fiberLength(TensorExpr.Access access, Code code) {
    TensorLayout layout = tensors.layout(access.tensor());
    Expr fibers = layout.level(0).emitter().size(layout.level(0), Expr.of(1));
    Expr entries = Chain.below(access, layout, 0).before(fibers);
    Expr mean = Expr.binary(Expr.Op.DIV, entries, Expr.max(fibers, Expr.of(1)));
    return code.name(access.tensor() + "_fiber", Expr.add(mean, Expr.of(1)));
  }

  private boolean isFull(TensorExpr.Access access, IndexVar variable) {
    if (!access.variables().contains(variable)) {
      return true; // also a hoisted scalar, which has no layout
    }
    TensorLayout layout = tensors.layout(access.tensor());
    for (int number = 0; number < layout.order(); number++) {
      if (access.variableAt(number).equals(variable) && !layout.level(number).full()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Where a task begins with {@code item}: in the iteration that it belongs to if that is shared,
   * else before the next one.
   */
  static Border border(
      Counted counted,
      Expr item,
      Expr before,
      @Nullable SharedIterations shared,
      Expr total,
      Code code) {
    String name = counted.variable().name();
    Expr x = code.name(name + "_item", item);
    if (counted.chains().isEmpty()) {
      return new Border(Expr.add(counted.range().begin(), x), Expr.of(0));
    }
    Expr bound = code.name(name + "_bound", Expr.add(x, before));
    LoopVariable at = iterationOf(counted, x, bound, total, code);
    LoopVariable cut = code.declare(name + "_cut", Expr.sub(bound, counted.items(Expr.of(at))));
    Code inside = code.nested();
    Code whole = inside.nested();
    whole.assign(at, Expr.add(Expr.of(at), Expr.of(1)));
    whole.assign(cut, Expr.of(0));
    if (shared == null) {
      inside.addAll(whole);
    } else {
      inside.when(shared.isLight(Expr.of(at), Expr.of(cut), inside), whole);
    }
    code.when(Expr.lessThan(Expr.of(0), Expr.of(cut)), inside);
    return new Border(Expr.of(at), Expr.of(cut));
  }

  /**
   * The iteration to which item {@code x} of {@code total} belongs, before whose items there are
   * {@code bound} and a constant.
   */
  static LoopVariable iterationOf(Counted counted, Expr x, Expr bound, Expr total, Code code) {
    Expr begin = counted.range().begin();
    Expr end = counted.range().end();
    Expr low = new Expr.Select(Expr.lessThan(x, total), begin, end);
    Expr high = new Expr.Select(Expr.lessThan(Expr.of(0), x), end, begin);
    return lastUpTo(counted.variable().name() + "_at", low, high, bound, counted::items, code);
  }

  /** A number as a function of a position. */
  interface Before {
    Expr at(Expr position);
  }

  /** The last of positions [low, high] before which there are no more than {@code bound}. */
  static LoopVariable lastUpTo(
      String name, Expr low, Expr high, Expr bound, Before before, Code code) {
    LoopVariable at = code.declare(name, low);
    LoopVariable last = code.declare(name + "_last", high);
    Code search = code.nested();
    Expr sum = Expr.add(Expr.add(Expr.of(at), Expr.of(last)), Expr.of(1));
    Expr middle = search.name(name + "_mid", Expr.binary(Expr.Op.DIV, sum, Expr.of(2)));
    Code up = search.nested();
    up.assign(at, middle);
    Code down = search.nested();
    down.assign(last, Expr.sub(middle, Expr.of(1)));
    Expr fits = Expr.binary(Expr.Op.LE, before.at(middle), bound);
    search.add(new Stmt.If(fits, up.block(), down.block()));
    code.add(new Stmt.While(Expr.lessThan(Expr.of(at), Expr.of(last)), search.block()));
    return at;
  }
}
