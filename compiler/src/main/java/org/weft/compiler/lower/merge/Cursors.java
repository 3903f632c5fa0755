package org.weft.compiler.lower.merge;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
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
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Advances cursors through random-access levels, and holds values of resolved accesses. */
public final class Cursors {
  private final KernelTensors tensors;
  private final Values values;

  public Cursors(KernelTensors tensors, Values values) {
    this.tensors = tensors;
    this.values = values;
  }

  /** Locates every level of {@code accesses} whose variable and ancestors are bound. */
  public Scope advance(Collection<TensorExpr.Access> accesses, Scope scope, Code code) {
    Scope advanced = scope;
    for (TensorExpr.Access access : accesses) {
      advanced = advance(access, advanced, code);
    }
    return advanced;
  }

  public Scope advance(TensorExpr.Access access, Scope scope, Code code) {
    if (scope.value(access) != null) {
      return scope;
    }
    TensorLayout layout = tensors.layout(access.tensor());
    Scope advanced = scope;
    Cursor cursor = scope.cursor(access);
    while (cursor.next() < layout.order()) {
      Level level = layout.level(cursor.next());
      if (!level.random() || !advanced.isBound(access.variableAt(cursor.next()))) {
        break;
      }
      requireSingle(cursor, level);
      LevelEmitter.Location location =
          level
              .emitter()
              .locate(level, cursor.begin(), advanced.coordinate(access.variableAt(cursor.next())));
      cursor = child(cursor, level, location.position(), code);
      advanced = advanced.withCursor(access.id(), cursor);
      Expr present = cursor.next() == layout.order() ? layout.hasValue(cursor.begin()) : null;
      if (present != null) {
        advanced = advanced.withPresence(access.id(), present);
      }
    }
    return advanced;
  }

  /**
   * The place of the child at {@code position}: position 0, or none, where the parent is absent.
   */
  private static Cursor child(Cursor parent, Level level, Expr position, Code code) {
    Expr reached = parent.present();
    if (reached == null) {
      return Cursor.at(parent.next() + 1, code.name("p" + level.name(), position));
    }
    Expr here = code.name("p" + level.name() + "_here", reached);
    Expr begin = new Expr.Select(here, position, Expr.of(0));
    Expr at = code.name("p" + level.name(), begin);
    Expr end = Expr.add(at, new Expr.Convert(here, ScalarType.I64));
    return Cursor.optional(parent.next() + 1, at, end);
  }

  /**
   * Asks for what is found below a cursor: its values, of which the first where their number is not
   * known; of stored fibers where the first begins, which reads its bounds.
   */
  void prefetch(TensorExpr.Access access, Cursor row, Code code) {
    TensorLayout layout = tensors.layout(access.tensor());
    Cells cells = cells(access, row);
    if (cells == null) {
      return;
    }
    if (cells.next() == layout.order()) {
      code.add(new Stmt.Prefetch(layout.vals(), cells.first(), cells.count()));
      return;
    }
    Level fibers = layout.level(cells.next());
    Expr next = Expr.add(cells.first(), Expr.of(1));
    Expr begin = code.name("p" + fibers.name(), fibers.walk(cells.first(), next).begin());
    Level level = fibers;
    while (level.crd() != null && (level == fibers || level.pos() == null)) {
      code.add(new Stmt.Prefetch(level.crd(), begin, 1));
      if (level.number() == layout.order() - 1) {
        code.add(new Stmt.Prefetch(layout.vals(), begin, 1));
        return;
      }
      level = layout.level(level.number() + 1);
    }
    if (level != fibers && level.pos() != null) {
      code.add(new Stmt.Prefetch(level.pos(), begin, 1));
    }
  }

  /** Asks for the bounds of the stored fibers below a cursor, which {@link #prefetch} reads. */
  void prefetchBounds(TensorExpr.Access access, Cursor row, Code code) {
    TensorLayout layout = tensors.layout(access.tensor());
    Cells cells = cells(access, row);
    Buffer bounds =
        cells == null || cells.next() == layout.order() ? null : layout.level(cells.next()).pos();
    if (cells != null && bounds != null) {
      code.add(new Stmt.Prefetch(bounds, cells.first(), 1));
    }
  }

  /** Whether the children of a position follow each other, between bounds that are stored. */
  static boolean hasFibers(Level level) {
    return level.pos() != null
        && level.crd() != null
        && level.emitter().before(level, Expr.of(0)) != null;
  }

  /**
   * The cells of full levels below a cursor.
   *
   * @param next the level below these, which is not full; the order where there is none
   * @param first position of the first cell
   * @param count how many follow it that are known of
   */
  private record Cells(int next, Expr first, long count) {}

  private @Nullable Cells cells(TensorExpr.Access access, Cursor row) {
    TensorLayout layout = tensors.layout(access.tensor());
    if (row.end() != null || row.next() == 0) {
      return null;
    }
    Expr first = row.begin();
    long count = 1;
    int number = row.next();
    for (; number < layout.order() && layout.level(number).random(); number++) {
      first = layout.level(number).emitter().size(layout.level(number), first);
      Long size = tensors.constantSize(access.variableAt(number));
      count *= size == null ? 1 : size;
    }
    return new Cells(number, first, count);
  }

  /** Rejects a level to be located below a position that repeats. */
  static void requireSingle(Cursor parent, Level level) {
    if (!parent.repeats()) {
      return;
    }
    throw new WeftException(
        ErrorCode.CONVERSION_REQUIRED,
        "level "
            + level.name()
            + " ("
            + level.spec()
            + ") lies below a level with repeated coordinates, which can only be merged when it is"
            + " iterated by position; convert the tensor to CSF or sort it into unique levels");
  }

  /**
   * Holds the values of accesses that have just been resolved in variables. An access whose last
   * level repeats its coordinate has the sum of the repetitions; one that is absent has 0.
   */
  public Scope hold(Collection<TensorExpr.Access> accesses, boolean all, Scope scope, Code code) {
    Scope held = scope;
    for (TensorExpr.Access access : accesses) {
      if (held.value(access) != null) {
        continue;
      }
      Cursor cursor = held.cursor(access);
      if (cursor.next() < tensors.layout(access.tensor()).order()) {
        continue;
      }
      if (cursor.end() != null) {
        held = held.withValue(access.id(), sum(access, cursor, code), held.presence(access));
      } else if (all) {
        Expr value = code.name(access.tensor().name() + "_val", values.load(access, held));
        held = held.withValue(access.id(), value, held.presence(access));
      }
    }
    return held;
  }

  private Expr sum(TensorExpr.Access access, Cursor cursor, Code code) {
    TensorLayout layout = tensors.layout(access.tensor());
    LoopVariable sum = code.declare(access.tensor().name() + "_val", values.zero());
    Expr present = cursor.present();
    if (present != null && !cursor.repeats()) {
      Code there = code.nested();
      Expr only = new Expr.Load(layout.vals(), cursor.begin());
      there.assign(sum, Values.convert(only, values.type()));
      code.when(present, there);
      return Expr.of(sum);
    }
    LoopVariable position = LoopVariable.integer(code.fresh("p" + access.tensor().name() + "_dup"));
    Expr value = Values.convert(new Expr.Load(layout.vals(), Expr.of(position)), values.type());
    Stmt body = new Stmt.Assign(sum, new Expr.Binary(Expr.Op.ADD, Expr.of(sum), value));
    code.add(
        new Stmt.For(
            position, cursor.begin(), cursor.endOrNext(), Stmt.Block.of(body), LoopTraits.SERIAL));
    return Expr.of(sum);
  }
}
