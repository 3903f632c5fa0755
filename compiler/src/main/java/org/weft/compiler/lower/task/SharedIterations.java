package org.weft.compiler.lower.task;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.Operator;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.DenseEmitter;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Block;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.rewrite.FusedAccess;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.memory.ElementType;

/**
 * Heavy iterations of {@link TaskLoops}: those with more than a quarter of a task's share at the
 * border of two tasks. Each task runs the loops over its part of the entries, with a slice of the
 * result of its own; these slices are added to the result in the order of tasks when all have
 * ended, so that no task writes what another one does, and nothing depends on timing.
 *
 * <p>Legal where the value is a sum over the entries: it is linear in the operand whose entries are
 * divided. Done where a slice is small against the share.
 *
 * <pre>
 * parts[2 t]      task t's part of the iteration in which it begins
 * parts[2 t + 1]  its part of the one in which it ends
 * </pre>
 *
 * There are two nests: one for parts, clipped to their entries and writing through a view, and one
 * for the whole iterations between them, which is that of a kernel without tasks.
 */
final class SharedIterations {
  /** A border may be off by this part of a share. */
  private static final long UNEVENNESS = 4;

  private final TaskLoops.Counted counted;
  private final Chain chain;
  private final MemorySink sink;
  private final Buffer vals;
  private final Expr sliceSize;
  private final Expr share;

  /** Two for each of several tasks; one task alone shares nothing. */
  private final Expr slices;

  private final Buffer parts;

  /** For every slice of {@link #parts}: what {@link #prepare} finds. */
  private final Buffer clips;

  private SharedIterations(
      TaskLoops.Counted counted,
      MemorySink sink,
      Buffer vals,
      Expr sliceSize,
      Expr tasks,
      Expr share,
      Code code) {
    this.counted = counted;
    this.chain = counted.chains().get(0);
    this.sink = sink;
    this.vals = vals;
    this.sliceSize = sliceSize;
    this.share = share;
    parts = new Buffer(code.fresh("parts"), vals.element(), Buffer.Kind.WORKSPACE);
    Expr several = Expr.lessThan(Expr.of(1), tasks);
    Expr twice = new Expr.Select(several, Expr.mul(Expr.of(2), tasks), Expr.of(0));
    slices = code.name("slices", twice);
    Expr cells = Expr.mul(slices, sliceSize);
    Expr length = new Expr.Select(notMore(sliceSize, share), cells, Expr.of(0));
    code.add(new Stmt.AllocateWorkspace(parts, length, 2 * TaskLoops.FEW_TASKS));
    clips = new Buffer(code.fresh("clips"), ElementType.I64, Buffer.Kind.WORKSPACE);
  }

  /** Null if iterations may not be shared. */
  static @Nullable SharedIterations of(
      TensorExpr expr,
      TaskLoops.Counted counted,
      KernelTensors tensors,
      @Nullable FusedAccess fused,
      MemorySink sink,
      Expr tasks,
      Expr share,
      Code code) {
    TensorLayout result = tensors.layout(sink.access().tensor());
    if (counted.chains().size() != 1 || !sink.access().variableAt(0).equals(counted.variable())) {
      return null;
    }
    Chain chain = counted.chains().get(0);
    boolean sums = sink.fold() == null || sink.fold().operator() == Operator.PLUS;
    boolean dense = result.levels().stream().allMatch(l -> l.emitter() instanceof DenseEmitter);
    if (!sums || !dense || !chain.isDivisible(fused) || !isLinear(expr, chain.access())) {
      return null;
    }
    Expr size = Expr.of(1);
    for (Level level : result.levels().subList(1, result.order())) {
      size = level.emitter().size(level, size);
    }
    Expr named = code.name("slice", size);
    return new SharedIterations(counted, sink, result.vals(), named, tasks, share, code);
  }

  /** Whether {@code expr} is a sum, over the entries of {@code operand}, of terms with one each. */
  private static boolean isLinear(TensorExpr expr, TensorExpr.Access operand) {
    if (expr instanceof TensorExpr.Access access) {
      return access.id() == operand.id();
    } else if (expr instanceof TensorExpr.Reduce reduce) {
      return reduce.operator() == Operator.PLUS && isLinear(reduce.body(), operand);
    } else if (expr instanceof TensorExpr.Negate negate) {
      return isLinear(negate.operand(), operand);
    } else if (expr instanceof TensorExpr.Product product) {
      return product.operator() == Operator.TIMES
          && product.factors().stream().filter(f -> mentions(f, operand)).count() == 1
          && product.factors().stream().anyMatch(f -> isLinear(f, operand));
    }
    return false;
  }

  private static boolean mentions(TensorExpr expr, TensorExpr.Access operand) {
    return expr.accesses().stream().anyMatch(a -> a.id() == operand.id());
  }

  private static Expr notMore(Expr left, Expr right) {
    return Expr.binary(Expr.Op.LE, left, right);
  }

  /** Whether an iteration that a border cuts is not worth sharing. */
  Expr isLight(Expr at, Expr cut, Code code) {
    Expr next = counted.items(Expr.add(at, Expr.of(1)));
    Expr weight = code.name("weight", Expr.sub(next, counted.items(at)));
    Expr small = notMore(Expr.mul(weight, Expr.of(UNEVENNESS)), share);
    Expr complete = notMore(weight, Expr.add(cut, Expr.of(1)));
    Expr largeSlice = Expr.lessThan(share, sliceSize);
    return or(or(small, complete), largeSlice);
  }

  private static Expr or(Expr left, Expr right) {
    return Expr.binary(Expr.Op.OR, left, right);
  }

  /** Whether a task has a part of the iteration at its first border. */
  private static Expr hasFirst(TaskLoops.Border first) {
    return Expr.lessThan(Expr.of(0), first.cut());
  }

  /** Whether it has one of the iteration at its last border that is not the same. */
  private static Expr hasLast(TaskLoops.Border first, TaskLoops.Border last) {
    Expr apart = Expr.lessThan(first.at(), last.at());
    Expr whole = Expr.equal(first.cut(), Expr.of(0));
    return Expr.and(Expr.lessThan(Expr.of(0), last.cut()), or(apart, whole));
  }

  /** The loops over a task's parts of the iterations that it shares, and over its whole ones. */
  void loops(
      TaskLoops.Border first,
      TaskLoops.Border last,
      Expr task,
      Scope scope,
      Code code,
      TaskLoops.Loop loop) {
    LoopVariable side = LoopVariable.integer(code.fresh("side"));
    Expr atFirst = Expr.equal(Expr.of(side), Expr.of(0));
    Code each = code.nested();
    Code body = each.nested();
    Expr from = body.name("from", new Expr.Select(atFirst, first.at(), last.at()));
    Expr slice = Expr.add(Expr.mul(Expr.of(2), task), Expr.of(side));
    List<Expr> found = new ArrayList<>();
    Expr clip = body.name("clip", Expr.mul(slice, Expr.of(numbers())));
    for (int number = 0; number < numbers(); number++) {
      found.add(new Expr.Load(clips, Expr.add(clip, Expr.of(number))));
    }
    Buffer cells = new Buffer(body.fresh(vals.name() + "_part"), vals.element(), Buffer.Kind.VIEW);
    body.add(new Stmt.View(cells, parts, body.name("origin", found.get(0))));
    MemorySink own =
        new MemorySink(sink.access(), cells, sink.fold(), sink.temporary(), sink.present());
    Block part = counted.block(from, Expr.add(from, Expr.of(1)));
    loop.emit(own, clip(found, scope, body).withBlock(counted.variable(), part), body);
    each.when(new Expr.Select(atFirst, hasFirst(first), hasLast(first, last)), body);
    LoopTraits once = LoopTraits.SERIAL.withUnroll(1);
    code.add(new Stmt.For(side, Expr.of(0), Expr.of(2), each.block(), once));

    Expr after = Expr.add(first.at(), Expr.of(1));
    Expr start = code.name("from", new Expr.Select(hasFirst(first), after, first.at()));
    Block whole = counted.block(start, last.at());
    loop.emit(sink, scope.withBlock(counted.variable(), whole), code);
  }

  /** What {@link #prepare} finds for a slice. */
  private int numbers() {
    return 1 + 2 * chain.levels().size();
  }

  /** Restricts the walked levels of the chain to what {@link #prepare} has found. */
  private Scope clip(List<Expr> found, Scope scope, Code code) {
    Scope clipped = scope;
    int at = 1;
    for (int number = chain.levels().size() - 1; number >= 0; number--) {
      Level level = chain.levels().get(number);
      Expr from = code.name("p" + level.name() + "_from", found.get(at++));
      Expr to = code.name("p" + level.name() + "_to", found.get(at++));
      LevelEmitter.Range range = new LevelEmitter.Range(from, to);
      clipped = clipped.withClip(chain.access().id(), level, range);
    }
    return clipped;
  }

  /** Emits what happens to one slice of {@link #parts} that is in use. */
  private interface Slice {
    void emit(Expr v, Expr atFirst, TaskLoops.Border first, TaskLoops.Border last, Code code);
  }

  /** A loop over the slices that are in use, in the order of tasks. */
  private void slices(LoopVariable slice, Buffer borders, Code code, Slice body) {
    Code each = code.nested();
    Expr task = each.name("owner", Expr.binary(Expr.Op.DIV, Expr.of(slice), Expr.of(2)));
    Expr atFirst = Expr.equal(Expr.mul(task, Expr.of(2)), Expr.of(slice));
    String name = counted.variable().name();
    TaskLoops.Border first = TaskLoops.Border.load(borders, name, task, each);
    Expr nextTask = Expr.add(task, Expr.of(1));
    TaskLoops.Border last = TaskLoops.Border.load(borders, name, nextTask, each);
    Code used = each.nested();
    Expr v = used.name("shared", new Expr.Select(atFirst, first.at(), last.at()));
    body.emit(v, atFirst, first, last, used);
    each.when(new Expr.Select(atFirst, hasFirst(first), hasLast(first, last)), used);
    code.add(new Stmt.For(slice, Expr.of(0), slices, each.block(), LoopTraits.FEW));
  }

  /**
   * Finds for every slice how far it is from the result's, and which entries of the chain's levels
   * belong to it, from the last level to the first.
   */
  void prepare(Buffer borders, Code code) {
    int numbers = numbers();
    Expr length = Expr.mul(slices, Expr.of(numbers));
    code.add(new Stmt.AllocateWorkspace(clips, length, 2 * TaskLoops.FEW_TASKS * numbers));
    LoopVariable slice = LoopVariable.integer(code.fresh("slice_at"));
    slices(
        slice,
        borders,
        code,
        (v, atFirst, first, last, used) -> {
          Expr clip = used.name("clip", Expr.mul(Expr.of(slice), Expr.of(numbers)));
          List<Expr> found = new ArrayList<>();
          Expr shift = Expr.sub(Expr.of(slice), counted.coordinate(v));
          found.add(Expr.mul(shift, sliceSize));
          found.addAll(entries(v, atFirst, first, last, used));
          for (int number = 0; number < numbers; number++) {
            Expr at = Expr.add(clip, Expr.of(number));
            used.add(new Stmt.Store(clips, at, found.get(number)));
          }
          if (sink.fold() == null) {
            Expr to = used.name("to", Expr.mul(counted.coordinate(v), sliceSize));
            used.add(new Stmt.Clear(vals, to, Expr.add(to, sliceSize)));
          }
        });
  }

  /** First and end of the positions of iteration {@code v} that a slice has, per level. */
  private List<Expr> entries(
      Expr v, Expr atFirst, TaskLoops.Border first, TaskLoops.Border last, Code code) {
    int leaf = chain.levels().size() - 1;
    Expr next = Expr.add(v, Expr.of(1));
    Expr start = code.name("entries", chain.before(v));
    Expr skipped = new Expr.Select(atFirst, first.cut(), Expr.of(0));
    Expr from = code.name("entry_from", Expr.add(start, skipped));
    Expr toEnd = Expr.and(atFirst, Expr.lessThan(first.at(), last.at()));
    Expr end = new Expr.Select(toEnd, chain.before(next), Expr.add(start, last.cut()));
    Expr to = code.name("entry_to", end);
    List<Expr> found = new ArrayList<>(List.of(from, to));
    for (int number = leaf - 1; number >= 0; number--) {
      int below = number + 1;
      Expr low = code.name("low", chain.child(number, v));
      Expr high = code.name("high", Expr.sub(chain.child(number, next), Expr.of(1)));
      TaskLoops.Before before = p -> chain.before(below, p);
      String search = "p" + chain.levels().get(number).name() + "_at";
      LoopVariable at = TaskLoops.lastUpTo(search, low, high, from, before, code);
      found.add(Expr.of(at));
      Expr lastEntry = Expr.sub(to, Expr.of(1));
      LoopVariable until = TaskLoops.lastUpTo(search, Expr.of(at), high, lastEntry, before, code);
      found.add(Expr.add(Expr.of(until), Expr.of(1)));
    }
    return found;
  }

  /** Adds the parts to the result, in the order of tasks. */
  void combine(Buffer borders, Code code) {
    LoopVariable slice = LoopVariable.integer(code.fresh("slice_at"));
    slices(
        slice,
        borders,
        code,
        (v, atFirst, first, last, used) -> {
          Expr to = used.name("to", Expr.mul(counted.coordinate(v), sliceSize));
          Expr from = used.name("from", Expr.mul(Expr.of(slice), sliceSize));
          LoopVariable cell = LoopVariable.integer(code.fresh("cell"));
          Expr value = new Expr.Load(parts, Expr.add(from, Expr.of(cell)));
          Stmt sum = new Stmt.Accumulate(vals, Expr.add(to, Expr.of(cell)), value);
          Stmt cells = Stmt.Block.of(sum);
          used.add(new Stmt.For(cell, Expr.of(0), sliceSize, cells, LoopTraits.VECTOR));
        });
    code.add(new Stmt.FreeWorkspace(clips));
    code.add(new Stmt.FreeWorkspace(parts));
  }
}
