package org.weft.compiler.lower;

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
 * owners[s]       1 + the coordinate of slice s in the result; 0 for none
 * </pre>
 */
final class SharedIterations {
  /** A border may be off by this part of a share. */
  private static final long UNEVENNESS = 4;

  private final TaskLoops.Counted counted;
  private final Chain chain;
  private final MemorySink sink;
  private final Buffer vals;
  private final Expr sliceSize;
  private final Expr slices;
  private final Expr share;
  private final Buffer parts;
  private final Buffer owners;

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
    this.slices = code.name("slices", Expr.mul(Expr.of(2), tasks));
    this.share = share;
    parts = new Buffer(code.fresh("parts"), vals.element(), Buffer.Kind.WORKSPACE);
    owners = new Buffer(code.fresh("owners"), ElementType.I64, Buffer.Kind.WORKSPACE);
    Expr fits = Expr.and(Expr.lessThan(Expr.of(1), tasks), notMore(sliceSize, share));
    Expr cells = Expr.mul(slices, sliceSize);
    code.add(new Stmt.AllocateWorkspace(parts, new Expr.Select(fits, cells, Expr.of(0))));
    code.add(new Stmt.AllocateWorkspace(owners, slices));
  }

  /** Null if iterations may not be shared. */
  static @Nullable SharedIterations of(
      TensorExpr expr,
      TaskLoops.Counted counted,
      Tensors tensors,
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
    if (!sums || !dense || !chain.isUnique() || !isLinear(expr, chain.access())) {
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

  /** The loops over a task's parts of the iterations that it shares. */
  void parts(
      TaskLoops.Border first,
      TaskLoops.Border last,
      Expr task,
      Scope scope,
      Code code,
      TaskLoops.Loop loop) {
    LoopVariable side = LoopVariable.integer(code.fresh("side"));
    Expr atFirst = Expr.equal(Expr.of(side), Expr.of(0));
    Code both = code.nested();
    Expr zero = Expr.of(0);
    Expr apart = Expr.lessThan(first.at(), last.at());
    Expr cutFirst = Expr.lessThan(zero, first.cut());
    Expr cutLast =
        Expr.and(Expr.lessThan(zero, last.cut()), or(apart, Expr.equal(first.cut(), zero)));
    Code part = both.nested();
    Expr v = part.name("shared", new Expr.Select(atFirst, first.at(), last.at()));
    Expr slice = part.name("slice_at", Expr.add(Expr.mul(Expr.of(2), task), Expr.of(side)));
    Expr owner = Expr.add(counted.coordinate(v), Expr.of(1));
    part.add(new Stmt.Store(owners, slice, owner));
    Scope clipped = clip(v, atFirst, apart, first, last, scope, part);
    MemorySink own =
        new MemorySink(sink.access(), parts, sink.fold(), sink.temporary(), sink.present());
    Scope addressed = clipped.withCursor(sink.access().id(), new Cursor(1, slice, null));
    Block one = counted.block(v, Expr.add(v, Expr.of(1)));
    loop.emit(own, addressed.withBlock(counted.variable(), one), part);
    both.when(new Expr.Select(atFirst, cutFirst, cutLast), part);
    code.add(new Stmt.For(side, zero, Expr.of(2), both.block(), LoopTraits.SERIAL.withUnroll(1)));
  }

  /** Restricts the walked levels of the chain to the entries of the task. */
  private Scope clip(
      Expr v,
      Expr atFirst,
      Expr apart,
      TaskLoops.Border first,
      TaskLoops.Border last,
      Scope scope,
      Code code) {
    Expr next = Expr.add(v, Expr.of(1));
    Expr start = code.name("entries", chain.before(v));
    Expr skipped = new Expr.Select(atFirst, first.cut(), Expr.of(0));
    Expr from = code.name("entry_from", Expr.add(start, skipped));
    Expr toEnd = Expr.and(atFirst, apart);
    Expr end = new Expr.Select(toEnd, chain.before(next), Expr.add(start, last.cut()));
    Expr to = code.name("entry_to", end);
    Scope clipped = scope;
    int access = chain.access().id();
    int leaf = chain.levels().size() - 1;
    for (int number = 0; number < leaf; number++) {
      Level level = chain.levels().get(number);
      int below = number + 1;
      Expr low = code.name("low", chain.child(number, v));
      Expr high = code.name("high", Expr.sub(chain.child(number, next), Expr.of(1)));
      String name = "p" + level.name();
      TaskLoops.Before before = p -> chain.before(below, p);
      LoopVariable begin = TaskLoops.lastUpTo(name + "_from", low, high, from, before, code);
      Expr lastEntry = Expr.sub(to, Expr.of(1));
      LoopVariable until =
          TaskLoops.lastUpTo(name + "_to", Expr.of(begin), high, lastEntry, before, code);
      Expr after = Expr.add(Expr.of(until), Expr.of(1));
      clipped = clipped.withClip(access, level, new LevelEmitter.Range(Expr.of(begin), after));
    }
    Level level = chain.levels().get(leaf);
    return clipped.withClip(access, level, new LevelEmitter.Range(from, to));
  }

  /** Adds the parts to the result. */
  void combine(Code code) {
    LoopVariable slice = LoopVariable.integer(code.fresh("slice_at"));
    LoopVariable cell = LoopVariable.integer(code.fresh("cell"));
    Code each = code.nested();
    Expr owner = each.name("owner", new Expr.Load(owners, Expr.of(slice)));
    Code add = each.nested();
    Expr to = add.name("to", Expr.mul(Expr.sub(owner, Expr.of(1)), sliceSize));
    Expr from = add.name("from", Expr.mul(Expr.of(slice), sliceSize));
    Expr value = new Expr.Load(parts, Expr.add(from, Expr.of(cell)));
    Stmt sum = new Stmt.Accumulate(vals, Expr.add(to, Expr.of(cell)), value);
    add.add(new Stmt.For(cell, Expr.of(0), sliceSize, Stmt.Block.of(sum), LoopTraits.VECTOR));
    each.when(Expr.lessThan(Expr.of(0), owner), add);
    code.add(new Stmt.For(slice, Expr.of(0), slices, each.block(), LoopTraits.SERIAL));
    code.add(new Stmt.FreeWorkspace(parts));
    code.add(new Stmt.FreeWorkspace(owners));
  }
}
