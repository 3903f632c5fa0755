package org.weft.compiler.lower;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.PropagateZero;
import org.weft.compiler.algebra.RewriteRule;
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
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * Computes a reduction into a temporary and puts the temporary in its place.
 *
 * <p>The temporary is a register when no variable is open; a dense workspace when the reduction has
 * values all along its open variables, on the stack when it is small and constant; otherwise a
 * workspace with the list of touched coordinates, which becomes a sorted compressed vector.
 */
final class Temporaries {
  private static final long SMALL_BYTES = Stmt.AllocateWorkspace.STACK_WORKSPACE_BYTES;

  private final Tensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final LoopNest nest;

  Temporaries(Tensors tensors, Values values, Iteration iteration, LoopNest nest) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = iteration;
    this.nest = nest;
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
      if (cells > SMALL_BYTES / Tensors.elementOf(values.type()).bytes()) {
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

  /** Emits {@code whole} with {@code part}, a reduction in it, computed first. */
  void replace(
      TensorExpr.Reduce part,
      TensorExpr whole,
      List<IndexVar> order,
      Scope scope,
      Sink sink,
      Code code) {
    List<IndexVar> open =
        order.stream().filter(v -> part.freeVariables().contains(v) && !scope.isBound(v)).toList();
    Fold fold = Fold.of(part);
    boolean presence =
        sink.tracksPresence() || !fold.zeroIsIdentity() || Presence.matters(whole, part);
    TensorExpr.Access temporary;
    Scope known;
    if (open.isEmpty()) {
      temporary = HoistScalars.scalar(tensors, part);
      known = scalar(part, temporary, order, scope, presence, code);
    } else if (fold.hasIdentity() && isDense(part, open, scope) || open.size() > 1 && !presence) {
      temporary = dense(part, open, scope, code);
      known = fillDense(part, temporary, order, scope, presence, code);
    } else if (open.size() == 1) {
      temporary = list(part, open.get(0), order, scope, code);
      known = scope;
    } else {
      throw tooManyOpen(part, open);
    }
    TensorExpr rest =
        RewriteRule.rewrite(Reductions.replace(whole, part, temporary), new PropagateZero());
    nest.emit(rest, order, known, sink, code);
  }

  private static WeftException tooManyOpen(TensorExpr part, List<IndexVar> open) {
    return new WeftException(
        ErrorCode.UNSUPPORTED_OPERATION,
        part
            + " is computed outside the loops over "
            + open
            + ", and its result is sparse in them: only one such index variable is supported;"
            + " choose a loop order that runs the others outside the reduction, or a dense result");
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
    LoopVariable any = presence ? code.declare("t_any", Presence.FALSE) : null;
    nest.emit(part, order, scope, new ScalarSink(sum, fold, any), code);
    if (any != null && !fold.zeroIsIdentity()) {
      Code absent = code.nested();
      absent.assign(sum, values.zero());
      code.when(new Expr.Not(Expr.of(any)), absent);
    }
    return scope.withValue(temporary.id(), Expr.of(sum), any == null ? null : Expr.of(any));
  }

  /** A zeroed dense workspace over {@code open}. */
  TensorExpr.Access dense(TensorExpr part, List<IndexVar> open, Scope scope, Code code) {
    TensorFormat format = TensorFormat.dense(open.size(), valueType(values.type()));
    TensorVar tensor = new TensorVar(code.fresh("w"), format, TensorVar.Kind.TEMPORARY);
    Buffer vals =
        new Buffer(
            code.fresh(tensor.name() + "_vals"),
            Tensors.elementOf(values.type()),
            Buffer.Kind.WORKSPACE);
    List<Level> levels = new ArrayList<>();
    Expr length = Expr.of(1);
    for (int number = 0; number < open.size(); number++) {
      Level level = level(tensor, number, tensors.size(open.get(number)), null, null);
      levels.add(level);
      length = level.emitter().size(level, length);
    }
    tensors.add(new TensorLayout(tensor, levels, vals));
    if (isSmall(part, open, scope)) {
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
    Expr length = length(temporary);
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

  private Expr length(TensorExpr.Access temporary) {
    Expr length = Expr.of(1);
    for (IndexVar variable : temporary.variables()) {
      length = Expr.mul(length, tensors.size(variable));
    }
    return length;
  }

  private static void fill(Buffer cells, Expr length, Expr value, Code code) {
    LoopVariable at = LoopVariable.integer(code.fresh("f"));
    Stmt store = new Stmt.Store(cells, Expr.of(at), value);
    code.add(new Stmt.For(at, Expr.of(0), length, Stmt.Block.of(store), LoopTraits.VECTOR));
  }

  private TensorExpr.Access list(
      TensorExpr part, IndexVar open, List<IndexVar> order, Scope scope, Code code) {
    String name = code.fresh("w");
    Expr size = tensors.size(open);
    ElementType element = Tensors.elementOf(values.type());
    Buffer sums = workspace(name + "_sums", element, size, scope, code);
    Buffer touched = workspace(name + "_touched", ElementType.U8, size, scope, code);
    Buffer crd = workspace(name + "_crd", ElementType.I64, size, scope, code);
    Buffer vals = workspace(name + "_vals", element, size, scope, code);
    LoopVariable count = code.declare(name + "_count", Expr.of(0));
    nest.emit(
        part, order, scope, new ListSink(open, Fold.of(part), sums, touched, crd, count), code);
    code.add(new Stmt.SortWorkspace(crd, Expr.of(count)));
    LoopVariable q = LoopVariable.integer(code.fresh("p" + name));
    Code gather = code.nested();
    Expr coordinate = gather.name(name + "_i", new Expr.Load(crd, Expr.of(q)));
    gather.add(new Stmt.Store(vals, Expr.of(q), new Expr.Load(sums, coordinate)));
    gather.add(new Stmt.Store(touched, coordinate, Expr.of(0)));
    code.add(new Stmt.For(q, Expr.of(0), Expr.of(count), gather.block(), LoopTraits.SERIAL));
    TensorFormat format =
        new TensorFormat(List.of(LevelSpec.of("CU")), new int[] {0}, valueType(values.type()));
    TensorVar tensor = new TensorVar(name, format, TensorVar.Kind.TEMPORARY);
    tensors.add(
        new TensorLayout(tensor, List.of(level(tensor, 0, size, crd, Expr.of(count))), vals));
    return new TensorExpr.Access(tensors.freshAccessId(), tensor, List.of(open), spanOf(part));
  }

  private static Buffer workspace(
      String name, ElementType element, Expr length, Scope scope, Code code) {
    Buffer buffer = new Buffer(code.fresh(name), element, Buffer.Kind.WORKSPACE);
    scope.workspaces().allocate(buffer, length);
    return buffer;
  }

  /**
   * A level of a temporary; one with a {@code count} is a single segment of that many positions.
   */
  private static Level level(
      TensorVar tensor, int number, Expr size, @Nullable Buffer crd, @Nullable Expr count) {
    LevelSpec spec = tensor.format().level(number);
    return new Level(
        tensor.name() + (number + 1),
        spec,
        true,
        count == null ? LevelEmitters.of(spec.format()) : new SegmentEmitter(count),
        null,
        crd,
        size,
        -1,
        number);
  }

  private static ValueType valueType(ScalarType type) {
    return switch (type) {
      case F64 -> ValueType.DOUBLE;
      case F32 -> ValueType.FLOAT;
      case I32 -> ValueType.INT;
      case I64, BOOL -> ValueType.LONG;
    };
  }
}
