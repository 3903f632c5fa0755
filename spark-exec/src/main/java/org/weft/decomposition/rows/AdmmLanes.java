package org.weft.decomposition.rows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.runtime.BoundKernel;
import org.weft.runtime.Kernel;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Rows on their way through {@link Admm}, side by side: a matrix has a row of memory for each of
 * its R columns, with a lane for each row of the factor, so that kernels run along memory. A row
 * that stops leaves its lane to one that waits. Lanes do not mix: a row's numbers are the same in
 * any lane, beside any others. Memory: {@code (9 R + 12) LANES + 2 R^2} numbers. Not thread-safe.
 */
final class AdmmLanes implements AutoCloseable {
  static final int LANES = 64;
  private static final int MOST_ROUNDS = 50;
  private static final double TOLERANCE = 1e-4;
  private static final double SAME = 1e-30;

  private final Admm update;
  private final Function<String, Kernel> kernels;
  private final NativeArray factor;
  private final NativeArray dual;
  private final NativeArray data;
  private final MemoryScope scope;
  private final int rank;

  /** A, U and M of the lanes; A and U after a round. */
  private final TensorStorage a;

  private final TensorStorage u;
  private final TensorStorage m;
  private final TensorStorage next;
  private final TensorStorage nextDual;
  private final TensorStorage right;
  private final TensorStorage b;
  private final TensorStorage primal;
  private final TensorStorage moved;
  private final TensorStorage squares;
  private final TensorStorage multipliers;
  private final List<Runnable> round = new ArrayList<>();
  private final List<Runnable> check = new ArrayList<>();
  private final List<BoundKernel> bound = new ArrayList<>();

  private final long[] rows = new long[LANES];
  private final int[] rounds = new int[LANES];
  private final long[] waiting = new long[LANES];
  private int active;
  private int waits;

  AdmmLanes(
      Admm update,
      Function<String, Kernel> kernels,
      TensorStorage factor,
      TensorStorage dual,
      TensorStorage data,
      MemoryScope scope) {
    this.update = update;
    this.kernels = kernels;
    this.factor = factor.vals();
    this.dual = dual.vals();
    this.data = data.vals();
    this.scope = scope;
    this.rank = update.weights().length;
    a = lanes();
    u = lanes();
    m = lanes();
    next = lanes();
    nextDual = lanes();
    right = lanes();
    b = lanes();
    primal = sums();
    moved = sums();
    squares = sums();
    multipliers = sums();
    Admm.Symbols symbols = update.symbols();
    TensorStorage charge = lanes();
    TensorStorage zeros = lanes();
    for (int at = 0; at < rank * LANES; at++) {
      charge.vals().setDouble(at, update.charge());
    }
    add(round, symbols.right(), "x", flat(right), Map.of("m", flat(m), "a", flat(a), "u", flat(u)));
    add(round, symbols.solve(), "B", b, Map.of("P", small(update.shifted()), "X", right));
    nearest(round, u, charge);
    add(
        round,
        symbols.dual(),
        "v",
        flat(nextDual),
        Map.of("u", flat(u), "a", flat(next), "b", flat(b)));
    add(round, symbols.apart(), "p", primal, Map.of("X", next, "Y", b));
    add(round, symbols.apart(), "p", moved, Map.of("X", next, "Y", a));
    add(round, symbols.squares(), "p", squares, Map.of("X", next));
    add(round, symbols.squares(), "p", multipliers, Map.of("X", nextDual));
    add(check, symbols.solve(), "B", b, Map.of("P", small(update.free()), "X", right));
    nearest(check, zeros, zeros);
    add(check, symbols.apart(), "p", primal, Map.of("X", next, "Y", b));
    add(check, symbols.squares(), "p", squares, Map.of("X", b));
  }

  private TensorStorage lanes() {
    return TensorStorage.dense(scope, TensorShape.of(rank, LANES), ValueType.DOUBLE);
  }

  private TensorStorage sums() {
    return TensorStorage.dense(scope, TensorShape.of(LANES), ValueType.DOUBLE);
  }

  private TensorStorage small(double[] values) {
    return new SmallMatrix(rank, rank, values).storage(scope);
  }

  private TensorStorage flat(TensorStorage lanes) {
    TensorShape shape = TensorShape.of(lanes.vals().length());
    return TensorStorage.denseView(scope, shape, ValueType.DOUBLE, lanes.vals().address());
  }

  private void add(
      List<Runnable> to,
      String symbol,
      String result,
      TensorStorage made,
      Map<String, TensorStorage> operands) {
    Map<String, TensorStorage> all = new HashMap<>(operands);
    all.put(result, made);
    BoundKernel kernel = kernels.apply(symbol).bind(all, 1);
    bound.add(kernel);
    if (!kernel.overwrites()) {
      to.add(made::clear);
    }
    to.add(kernel::run);
  }

  /** Makes {@code next} the nearest rows to {@code b - subtracted} that are allowed. */
  private void nearest(List<Runnable> to, TensorStorage subtracted, TensorStorage charge) {
    FactorConstraint.Kind kind = update.constraint().kind();
    if (kind == FactorConstraint.Kind.SIMPLEX) {
      nearestOfSimplex(to, subtracted);
      return;
    }
    Admm.Symbols symbols = update.symbols();
    String symbol = kind == FactorConstraint.Kind.L1 ? symbols.shrink() : symbols.above();
    Map<String, TensorStorage> operands =
        Map.of("b", flat(b), "u", flat(subtracted), "c", flat(charge));
    add(to, symbol, "a", flat(next), operands);
  }

  /**
   * What is above a threshold t stays, less the threshold (Held, Wolfe and Crowder 1974). It is
   * where the sum s of what stays is 1, and is found by Newton's method: t begins where all n
   * numbers of a row stay, and rises to {@code t + (s - 1) / n}.
   */
  private void nearestOfSimplex(List<Runnable> to, TensorStorage subtracted) {
    Admm.Simplex symbols = update.symbols().simplex();
    TensorStorage t = sums();
    TensorStorage risen = sums();
    TensorStorage s = sums();
    TensorStorage n = sums();
    add(to, symbols.start(), "t", t, Map.of("B", b, "U", subtracted));
    Map<String, TensorStorage> row = Map.of("B", b, "U", subtracted, "t", t);
    List<Runnable> rise = new ArrayList<>();
    add(rise, symbols.sum(), "s", s, row);
    add(rise, symbols.count(), "n", n, row);
    add(rise, symbols.rise(), "v", risen, Map.of("t", t, "s", s, "n", n));
    to.add(() -> raise(rise, t, risen));
    add(to, symbols.less(), "X", next, row);
  }

  /** Raises thresholds until none changes: each step but the last lets go a number of the row. */
  private void raise(List<Runnable> rise, TensorStorage t, TensorStorage risen) {
    boolean rises = true;
    for (int step = 0; rises && step < 2 * rank + 8; step++) {
      rise.forEach(Runnable::run);
      rises = false;
      for (int lane = 0; lane < LANES; lane++) {
        rises |= get(risen, 0, lane) > get(t, 0, lane);
      }
      NativeMemory.copy(risen.vals().address(), t.vals().address(), t.vals().byteSize());
    }
  }

  /** Updates rows {@code [from, to)}. */
  void run(long from, long to) {
    long row = from;
    while (true) {
      while (active < LANES && (waits > 0 || row < to)) {
        if (waits == 0) {
          int count = (int) Math.min(LANES, to - row);
          await(row, count);
          row += count;
        }
        while (active < LANES && waits > 0) {
          enter(waiting[--waits]);
        }
      }
      if (active == 0) {
        return;
      }
      goRound();
    }
  }

  /** Lets rows wait; those whose least-squares solution is allowed get it, and no dual. */
  private void await(long from, int count) {
    boolean[] solved = new boolean[count];
    if (update.constraint().isSet()) {
      for (int lane = 0; lane < count; lane++) {
        read(data, from + lane, update.shares(), right, lane);
      }
      check.forEach(Runnable::run);
      for (int lane = 0; lane < count; lane++) {
        solved[lane] = get(primal, 0, lane) <= SAME * get(squares, 0, lane);
      }
    }
    for (int lane = count - 1; lane >= 0; lane--) {
      if (solved[lane]) {
        write(next, lane, factor, from + lane);
        for (int r = 0; r < rank; r++) {
          dual.setDouble((from + lane) * rank + r, 0);
        }
      } else {
        waiting[waits++] = from + lane;
      }
    }
  }

  private void enter(long row) {
    int lane = active++;
    rows[lane] = row;
    rounds[lane] = 0;
    read(factor, row, update.weights(), a, lane);
    read(dual, row, update.weights(), u, lane);
    read(data, row, update.shares(), m, lane);
  }

  private void goRound() {
    round.forEach(Runnable::run);
    long bytes = a.vals().byteSize();
    NativeMemory.copy(next.vals().address(), a.vals().address(), bytes);
    NativeMemory.copy(nextDual.vals().address(), u.vals().address(), bytes);
    for (int lane = active - 1; lane >= 0; lane--) {
      rounds[lane]++;
      if (rounds[lane] == MOST_ROUNDS || stops(lane)) {
        leave(lane);
      }
    }
  }

  private boolean stops(int lane) {
    return get(primal, 0, lane) <= TOLERANCE * get(squares, 0, lane)
        && get(moved, 0, lane) <= TOLERANCE * get(multipliers, 0, lane);
  }

  /** Writes the row of a lane, and moves that of the last lane there. */
  private void leave(int lane) {
    write(a, lane, factor, rows[lane]);
    write(u, lane, dual, rows[lane]);
    int last = --active;
    rows[lane] = rows[last];
    rounds[lane] = rounds[last];
    for (int r = 0; r < rank && lane < last; r++) {
      put(a, r, lane, get(a, r, last));
      put(u, r, lane, get(u, r, last));
      put(m, r, lane, get(m, r, last));
    }
  }

  private void read(NativeArray from, long row, double[] weights, TensorStorage into, int lane) {
    if (from.type() == ElementType.F64) {
      long address = from.address() + row * rank * Double.BYTES;
      for (int r = 0; r < rank; r++) {
        put(into, r, lane, NativeMemory.getDouble(address + r * 8L) * weights[r]);
      }
      return;
    }
    for (int r = 0; r < rank; r++) {
      put(into, r, lane, from.getDouble(row * rank + r) * weights[r]);
    }
  }

  private void write(TensorStorage from, int lane, NativeArray into, long row) {
    for (int r = 0; r < rank; r++) {
      into.setDouble(row * rank + r, get(from, r, lane) / update.divisors()[r]);
    }
  }

  private static double get(TensorStorage lanes, int r, int lane) {
    return NativeMemory.getDouble(lanes.vals().address() + at(r, lane));
  }

  private static void put(TensorStorage lanes, int r, int lane, double value) {
    NativeMemory.putDouble(lanes.vals().address() + at(r, lane), value);
  }

  private static long at(int r, int lane) {
    return ((long) r * LANES + lane) * Double.BYTES;
  }

  @Override
  public void close() {
    bound.forEach(BoundKernel::close);
  }
}
