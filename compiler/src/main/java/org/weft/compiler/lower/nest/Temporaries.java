package org.weft.compiler.lower.nest;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.PropagateZero;
import org.weft.compiler.algebra.RewriteRule;
import org.weft.compiler.algebra.SemiringAlgebra;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitters;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.merge.Iteration;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.rewrite.Reductions;
import org.weft.compiler.lower.schedule.Directives;
import org.weft.compiler.lower.sink.MemorySink;
import org.weft.compiler.lower.sink.ScalarSink;
import org.weft.compiler.lower.sink.Sink;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Computes a part of an expression into a temporary and puts the temporary in its place.
 *
 * <p>The temporary is a register when no variable is open; a dense workspace when the reduction has
 * values all along its open variables, on the stack when it is small and constant; otherwise one of
 * {@link SparseTemporaries}.
 */
final class Temporaries {
  private static final long SMALL_BYTES = Stmt.AllocateWorkspace.STACK_WORKSPACE_BYTES;

  private final KernelTensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final LoopNest nest;
  private final MaskedTemporaries masked;
  private final SparseTemporaries sparse;

  Temporaries(
      KernelTensors tensors,
      Values values,
      Iteration iteration,
      Directives directives,
      LoopNest nest) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = iteration;
    this.nest = nest;
    this.masked = new MaskedTemporaries(tensors, values, iteration, nest);
    this.sparse = new SparseTemporaries(tensors, values, directives, nest);
  }

  static SourceSpan spanOf(TensorExpr expr) {
    List<TensorExpr.Access> accesses = expr.accesses();
    return accesses.isEmpty()
        ? new SourceSpan(SourceText.expression(expr.toString()), 0, 0)
        : accesses.get(0).span();
  }

  /** Whether a temporary over {@code open} for {@code expr} would be dense, constant and small. */
  boolean isSmall(TensorExpr expr, List<IndexVar> open, Scope scope) {
    long cells = 1;
    for (IndexVar variable : open) {
      Long size = tensors.constantSize(variable);
      if (size == null || size > SMALL_BYTES) {
        return false;
      }
      cells *= size;
      if (cells > SMALL_BYTES / KernelTensors.elementOf(values.type()).bytes()) {
        return false;
      }
    }
    return isDense(expr, open, scope);
  }

  private boolean isDense(TensorExpr expr, List<IndexVar> open, Scope scope) {
    for (TensorExpr.Access access : expr.accesses()) {
      TensorLayout layout = scope.value(access) == null ? tensors.layout(access.tensor()) : null;
      for (int level = 0; layout != null && level < layout.order(); level++) {
        if (!layout.level(level).random() && open.contains(access.variableAt(level))) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Whether {@code expr} is present at all coordinates of {@code open} or at none, so that one flag
   * says so: no operand has sparse levels below one of these variables.
   */
  private boolean isUniform(TensorExpr expr, List<IndexVar> open, Scope scope) {
    for (TensorExpr.Access access : expr.accesses()) {
      if (scope.value(access) != null) {
        continue;
      }
      TensorLayout layout = tensors.layout(access.tensor());
      boolean below = false;
      for (int level = scope.cursor(access).next(); level < layout.order(); level++) {
        below |= open.contains(access.variableAt(level));
        if (below && !layout.level(level).random()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Emits {@code whole} with {@code part} of it computed first. */
  void replace(
      TensorExpr part, TensorExpr whole, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    List<IndexVar> after = part.equals(whole) ? inOrderOf(sink, order) : order;
    List<IndexVar> open =
        after.stream().filter(v -> part.freeVariables().contains(v) && !scope.isBound(v)).toList();
    TensorExpr.Access mask = masked.mask(part, whole, open, scope);
    if (mask != null) {
      Code few = code.nested();
      masked.emit(
          part,
          open.get(0),
          mask,
          order,
          scope,
          few,
          temporary -> rest(part, temporary, whole, after, scope, sink, few));
      if (masked.isSmall(open.get(0))) {
        code.addAll(few);
        return;
      }
      Code many = code.nested();
      unmasked(part, whole, open, order, after, scope, sink, many);
      code.add(new Stmt.If(masked.fits(open.get(0)), few.block(), many.block()));
      return;
    }
    unmasked(part, whole, open, order, after, scope, sink, code);
  }

  private void unmasked(
      TensorExpr part,
      TensorExpr whole,
      List<IndexVar> open,
      List<IndexVar> order,
      List<IndexVar> after,
      Scope scope,
      Sink sink,
      Code code) {
    Fold fold = Fold.of(part);
    boolean presence =
        sink.tracksPresence() || !fold.zeroIsIdentity() || Presence.matters(whole, part);
    TensorExpr.Access temporary;
    Scope known;
    if (open.isEmpty()) {
      temporary = HoistScalars.scalar(tensors, part);
      known = scalar(part, temporary, order, scope, presence, code);
    } else if (fold.hasIdentity()
        && isDense(part, open, scope)
        && (!presence || isUniform(part, open, scope))) {
      temporary = dense(part, open, scope, code);
      known = fillDense(part, temporary, order, scope, presence, code);
    } else {
      boolean sorted = open.size() != 1 || !part.equals(whole) || !sink.takesAnyOrder(open.get(0));
      temporary = sparse.compute(part, open, order, sorted, scope, code);
      known = scope;
    }
    rest(part, temporary, whole, after, known, sink, code);
  }

  private void rest(
      TensorExpr part,
      TensorExpr.Access temporary,
      TensorExpr whole,
      List<IndexVar> order,
      Scope scope,
      Sink sink,
      Code code) {
    TensorExpr rest =
        RewriteRule.rewrite(Reductions.replace(whole, part, temporary), new PropagateZero());
    nest.emit(rest, order, scope, sink, code);
  }

  /**
   * Emits {@code whole} into {@code sink}, whose loops cannot run in the order of those of {@code
   * whole}: it is computed into a temporary first.
   */
  void reorder(TensorExpr whole, List<IndexVar> order, Scope scope, Sink sink, Code code) {
    replace(whole, whole, order, scope, sink, code);
  }

  /** The variables of {@code sink} in its own order, then the others. */
  private static List<IndexVar> inOrderOf(Sink sink, List<IndexVar> order) {
    Set<IndexVar> changed = new LinkedHashSet<>(sink.order());
    changed.addAll(order);
    return List.copyOf(changed);
  }

  private Scope scalar(
      TensorExpr part,
      TensorExpr.Access temporary,
      List<IndexVar> order,
      Scope scope,
      boolean presence,
      Code code) {
    Fold fold = Fold.of(part);
    LoopVariable sum = code.declare("t", fold.identity(values.type()));
    Optional<Expr> known =
        presence && fold.hasIdentity() ? presenceOfFull(part, scope) : Optional.empty();
    LoopVariable any = presence ? code.declare("t_any", known.orElse(Presence.FALSE)) : null;
    LoopVariable found = known.isPresent() ? null : any;
    nest.emit(part, order, scope, new ScalarSink(sum, fold, found), code);
    if (any != null && !fold.zeroIsIdentity()) {
      Code absent = code.nested();
      absent.assign(sum, values.zero());
      code.when(new Expr.Not(Expr.of(any)), absent);
    }
    return scope.withValue(temporary.id(), Expr.of(sum), any == null ? null : Expr.of(any));
  }

  /**
   * Whether a reduction has a value, if all its operands store every cell: it does unless a loop is
   * empty. Loops that set no flag run in vectors.
   */
  private Optional<Expr> presenceOfFull(TensorExpr part, Scope scope) {
    List<IndexVar> reduced = new ArrayList<>();
    TensorExpr body = part;
    for (; body instanceof TensorExpr.Reduce reduce; body = reduce.body()) {
      reduced.add(reduce.variable());
    }
    boolean full =
        body.reducedVariables().isEmpty()
            && body.accesses().stream()
                .allMatch(a -> SemiringAlgebra.isFull(a) && scope.presence(a) == null);
    return full
        ? reduced.stream()
            .map(variable -> Expr.lessThan(Expr.of(0), tensors.size(variable)))
            .reduce(Expr::and)
        : Optional.empty();
  }

  /** A zeroed dense workspace over {@code open}. */
  TensorExpr.Access dense(TensorExpr part, List<IndexVar> open, Scope scope, Code code) {
    TensorFormat format = TensorFormat.dense(open.size(), valueType(values.type()));
    TensorVar tensor = new TensorVar(code.fresh("w"), format, TensorVar.Kind.TEMPORARY);
    Buffer vals =
        new Buffer(
            code.fresh(tensor.name() + "_vals"),
            KernelTensors.elementOf(values.type()),
            Buffer.Kind.WORKSPACE);
    List<Level> levels = new ArrayList<>();
    Expr length = Expr.of(1);
    boolean small = isSmall(part, open, scope);
    for (int number = 0; number < open.size(); number++) {
      Expr size = tensors.size(open.get(number));
      boolean row = small && number > 0 && number == open.size() - 1;
      Level level = level(tensor, number, row ? pitch(size, length, vals) : size);
      levels.add(level);
      length = level.emitter().size(level, length);
    }
    tensors.add(new TensorLayout(tensor, levels, vals));
    if (small) {
      code.add(new Stmt.AllocateWorkspace(vals, length));
    } else {
      scope.workspaces().allocate(vals, length);
      code.add(new Stmt.Clear(vals, Expr.of(0), length));
    }
    return new TensorExpr.Access(tensors.freshAccessId(), tensor, open, spanOf(part));
  }

  private Scope fillDense(
      TensorExpr part,
      TensorExpr.Access temporary,
      List<IndexVar> order,
      Scope scope,
      boolean presence,
      Code code) {
    LoopVariable any =
        presence ? code.declare(temporary.tensor().name() + "_any", Presence.FALSE) : null;
    Buffer vals = tensors.layout(temporary.tensor()).vals();
    TensorExpr.Access target =
        new TensorExpr.Access(
            tensors.freshAccessId(), temporary.tensor(), temporary.variables(), temporary.span());
    Fold fold = Fold.of(part);
    Expr length = length(temporary.tensor());
    if (!fold.zeroIsIdentity()) {
      fill(vals, length, fold.identity(values.type()), code);
    }
    nest.emit(part, order, scope, new MemorySink(target, vals, fold, true, any), code);
    if (any != null && !fold.zeroIsIdentity()) {
      Code absent = code.nested();
      absent.add(new Stmt.Clear(vals, Expr.of(0), length));
      code.when(new Expr.Not(Expr.of(any)), absent);
    }
    return scope.withPresence(temporary.id(), any == null ? null : Expr.of(any));
  }

  private Expr length(TensorVar temporary) {
    Expr length = Expr.of(1);
    for (Level level : tensors.layout(temporary).levels()) {
      length = level.emitter().size(level, length);
    }
    return length;
  }

  /**
   * The elements from one row of a small workspace to the next: whole registers, if the last one of
   * a row would otherwise be filled by several narrow pieces and the stack has the room.
   */
  private static Expr pitch(Expr size, Expr rows, Buffer vals) {
    if (size instanceof Expr.IntLiteral row && rows instanceof Expr.IntLiteral count) {
      long whole = Stmt.AllocateWorkspace.padded(row.value(), vals.element());
      boolean pieces =
          Long.bitCount(row.value() % Stmt.AllocateWorkspace.lanes(vals.element())) > 1;
      if (pieces && count.value() * whole * vals.element().bytes() <= SMALL_BYTES) {
        return Expr.of(whole);
      }
    }
    return size;
  }

  private static void fill(Buffer cells, Expr length, Expr value, Code code) {
    LoopVariable at = LoopVariable.integer(code.fresh("f"));
    Stmt store = new Stmt.Store(cells, Expr.of(at), value);
    code.add(new Stmt.For(at, Expr.of(0), length, Stmt.Block.of(store), LoopTraits.VECTOR));
  }

  /** A level of a dense temporary. */
  private static Level level(TensorVar tensor, int number, Expr size) {
    LevelSpec spec = tensor.format().level(number);
    return new Level(
        tensor.name() + (number + 1),
        spec,
        true,
        LevelEmitters.of(spec.format()),
        null,
        null,
        size,
        -1,
        number);
  }

  static ValueType valueType(ScalarType type) {
    return switch (type) {
      case F64 -> ValueType.DOUBLE;
      case F32 -> ValueType.FLOAT;
      case I32 -> ValueType.INT;
      case I64, BOOL -> ValueType.LONG;
    };
  }
}
