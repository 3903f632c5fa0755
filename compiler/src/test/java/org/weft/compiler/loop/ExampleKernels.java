package org.weft.compiler.loop;

import static org.weft.compiler.loop.FunctionBuilder.at;
import static org.weft.compiler.loop.FunctionBuilder.loop;
import static org.weft.compiler.loop.FunctionBuilder.next;

import java.util.ArrayList;
import java.util.List;
import org.weft.runtime.Slot;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/** Loop functions written by hand, as lowering would write them. */
public final class ExampleKernels {
  private ExampleKernels() {}

  public static LoopVariable var(String name) {
    return LoopVariable.integer(name);
  }

  /** {@code y(i) = A(i,j) * x(j)}, A in CSR, rows in parallel. */
  public static LoopFunction spmv(boolean parallel) {
    FunctionBuilder f = new FunctionBuilder("spmv");
    TensorFormat dense = TensorFormat.dense(1, ValueType.DOUBLE);
    int y = f.tensor("y", dense, Role.OUTPUT_DENSE);
    int a =
        f.tensor(
            "A",
            TensorFormat.parse("CSR", 2, ValueType.DOUBLE).withWidths(Width.W32, Width.W32),
            Role.INPUT);
    int x = f.tensor("x", dense, Role.INPUT);
    Expr rows = f.number(Slot.modeSize(y, 0));
    Buffer pos = f.pos(a, 1);
    Buffer crd = f.crd(a, 1);
    Buffer vals = f.vals(a);
    Buffer xs = f.vals(x);
    Buffer ys = f.vals(y);
    LoopVariable i = var("i");
    LoopVariable p = var("p");
    LoopVariable sum = new LoopVariable("sum", ScalarType.F64);
    Expr product = new Expr.Binary(Expr.Op.MUL, at(vals, Expr.of(p)), at(xs, at(crd, Expr.of(p))));
    return f.build(
        loop(
            i,
            Expr.of(0),
            rows,
            parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL,
            new Stmt.Declare(sum, new Expr.FloatLiteral(0, ScalarType.F64)),
            loop(
                p,
                at(pos, Expr.of(i)),
                at(pos, next(Expr.of(i))),
                LoopTraits.SERIAL,
                new Stmt.Assign(sum, new Expr.Binary(Expr.Op.ADD, Expr.of(sum), product))),
            new Stmt.Store(ys, Expr.of(i), Expr.of(sum))));
  }

  /**
   * {@code M(i,r) = T(i,...) * F1(..,r) * ...} for a CSF tensor: one workspace of {@code rank} sums
   * per level below the root.
   */
  public static LoopFunction mttkrp(int order, int rank, boolean parallel) {
    return mttkrp(order, rank, parallel, ValueType.DOUBLE);
  }

  public static LoopFunction mttkrp(int order, int rank, boolean parallel, ValueType type) {
    FunctionBuilder f = new FunctionBuilder("mttkrp" + order);
    TensorFormat matrix = TensorFormat.dense(2, type);
    int m = f.tensor("M", matrix, Role.OUTPUT_DENSE);
    int t =
        f.tensor("T", TensorFormat.csf(order, type).withWidths(Width.W32, Width.W32), Role.INPUT);
    Levels levels = new Levels(f, t, order, rank, type);
    for (int level = 1; level < order; level++) {
      levels.factors.add(f.vals(f.tensor("F" + level, matrix, Role.INPUT)));
    }
    levels.result = f.vals(m);
    LoopVariable p0 = var("p0");
    return f.build(
        loop(
            p0,
            at(levels.pos.get(0), Expr.of(0)),
            at(levels.pos.get(0), Expr.of(1)),
            parallel ? LoopTraits.PARALLEL : LoopTraits.SERIAL,
            levels.slice(p0)));
  }

  /** The loops of MTTKRP below the root. */
  private static final class Levels {
    final int order;
    final int rank;
    final ValueType type;
    final List<Buffer> pos = new ArrayList<>();
    final List<Buffer> crd = new ArrayList<>();
    final List<Buffer> factors = new ArrayList<>();
    final Buffer vals;
    Buffer result;

    Levels(FunctionBuilder f, int tensor, int order, int rank, ValueType type) {
      this.order = order;
      this.rank = rank;
      this.type = type;
      for (int level = 0; level < order; level++) {
        pos.add(f.pos(tensor, level));
        crd.add(f.crd(tensor, level));
      }
      vals = f.vals(tensor);
      result = vals;
    }

    Stmt[] slice(LoopVariable p0) {
      Buffer sums = workspace(1);
      LoopVariable i = var("i0");
      LoopVariable r = var("r0");
      return new Stmt[] {
        new Stmt.Declare(i, at(crd.get(0), Expr.of(p0))),
        new Stmt.AllocateWorkspace(sums, Expr.of(rank)),
        fiber(1, p0, sums),
        loop(
            r,
            Expr.of(0),
            Expr.of(rank),
            LoopTraits.VECTOR,
            new Stmt.Accumulate(result, row(i, r), at(sums, Expr.of(r))))
      };
    }

    Stmt fiber(int level, LoopVariable parent, Buffer into) {
      LoopVariable p = var("p" + level);
      LoopVariable i = var("i" + level);
      LoopVariable r = var("r" + level);
      Expr factor = at(factors.get(level - 1), row(i, r));
      List<Stmt> body = new ArrayList<>();
      body.add(new Stmt.Declare(i, at(crd.get(level), Expr.of(p))));
      Expr below;
      if (level == order - 1) {
        LoopVariable value = new LoopVariable("value", ScalarType.of(type));
        body.add(new Stmt.Declare(value, at(vals, Expr.of(p))));
        below = Expr.of(value);
      } else {
        Buffer sums = workspace(level + 1);
        body.add(new Stmt.AllocateWorkspace(sums, Expr.of(rank)));
        body.add(fiber(level + 1, p, sums));
        below = at(sums, Expr.of(r));
      }
      Expr product = new Expr.Binary(Expr.Op.MUL, below, factor);
      body.add(
          loop(
              r,
              Expr.of(0),
              Expr.of(rank),
              LoopTraits.VECTOR,
              new Stmt.Accumulate(into, Expr.of(r), product)));
      return loop(
          p,
          at(pos.get(level), Expr.of(parent)),
          at(pos.get(level), next(Expr.of(parent))),
          LoopTraits.SERIAL,
          body.toArray(new Stmt[0]));
    }

    Expr row(LoopVariable i, LoopVariable r) {
      return Expr.add(Expr.mul(Expr.of(i), Expr.of(rank)), Expr.of(r));
    }

    Buffer workspace(int level) {
      return new Buffer("w" + level, type.elementType(), Buffer.Kind.WORKSPACE);
    }
  }

  /** {@code C(j) = A(j) where A(j) > limit}: appends to a compressed vector of narrow widths. */
  public static LoopFunction filter(Width width) {
    FunctionBuilder f = new FunctionBuilder("filter");
    int c =
        f.tensor(
            "C",
            TensorFormat.csf(1, ValueType.DOUBLE).withWidths(Width.W32, width),
            Role.OUTPUT_SPARSE);
    int a = f.tensor("A", TensorFormat.dense(1, ValueType.DOUBLE), Role.INPUT);
    Expr size = f.number(Slot.modeSize(a, 0));
    f.slot(Slot.positions(c, 0));
    Buffer pos = f.pos(c, 0);
    Buffer crd = f.crd(c, 0);
    Buffer out = f.vals(c);
    Buffer in = f.vals(a);
    LoopVariable j = var("j");
    LoopVariable n = var("n");
    Expr zero = new Expr.FloatLiteral(0, ScalarType.F64);
    Stmt append =
        Stmt.Block.of(
            new Stmt.CheckWidth(Expr.of(j), width, c, 0),
            new Stmt.Grow(crd, next(Expr.of(n))),
            new Stmt.Grow(out, next(Expr.of(n))),
            new Stmt.Store(crd, Expr.of(n), Expr.of(j)),
            new Stmt.Store(out, Expr.of(n), at(in, Expr.of(j))),
            new Stmt.Assign(n, next(Expr.of(n))));
    return f.build(
        new Stmt.Declare(n, Expr.of(0)),
        loop(
            j,
            Expr.of(0),
            size,
            LoopTraits.SERIAL,
            new Stmt.If(Expr.lessThan(zero, at(in, Expr.of(j))), append)),
        new Stmt.Grow(pos, Expr.of(2)),
        new Stmt.Store(pos, Expr.of(0), Expr.of(0)),
        new Stmt.Store(pos, Expr.of(1), Expr.of(n)),
        new Stmt.SetCount(c, 0, Expr.of(n)));
  }
}
