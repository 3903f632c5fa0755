package org.weft.compiler.lower.nest;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.level.LevelEmitters;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.merge.Iteration;
import org.weft.compiler.lower.operand.Ancestors;
import org.weft.compiler.lower.operand.Cursor;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.KernelTensors;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.TensorLayout;
import org.weft.compiler.lower.operand.Values;
import org.weft.compiler.lower.sink.FoldingSink;
import org.weft.memory.ElementType;
import org.weft.tensor.LevelSpec;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.level.LevelCapability;

/**
 * Computes a reduction that is a factor of a product along one open variable, where another factor,
 * a mask, is sparse: only cells that the mask stores are collected.
 *
 * <pre>
 * states      0  1  0  2  1  0     0: not in the mask, 1: in the mask, 2: a value has come
 * sums        0  0  0 .5  0  0
 * </pre>
 *
 * <p>The entries of the mask are marked; scattered contributions to other cells are dropped; the
 * product then loops over the mask, which needs no sorting; at last the marks and sums are taken
 * back. A round costs time in proportion to the entries of the mask and the contributions.
 */
public final class MaskedTemporaries {
  /** Most cells of the workspace; beyond, contributions are collected without a filter. */
  private static final long MOST_CELLS = 1L << 28;

  /** What comes after the temporary took the place of the reduction. */
  interface Rest {
    void emit(TensorExpr.Access temporary);
  }

  /** What happens to the cell of an entry of the mask. */
  private interface Mark {
    void emit(Expr cell, Code code);
  }

  private final KernelTensors tensors;
  private final Values values;
  private final Iteration iteration;
  private final LoopNest nest;

  MaskedTemporaries(KernelTensors tensors, Values values, Iteration iteration, LoopNest nest) {
    this.tensors = tensors;
    this.values = values;
    this.iteration = iteration;
    this.nest = nest;
  }

  /**
   * The factor of {@code whole} that can mask {@code part}: its next level is its last, is walked
   * by position and labelled by the only open variable. Null when there is none.
   */
  TensorExpr.@Nullable Access mask(
      TensorExpr part, TensorExpr whole, List<IndexVar> open, Scope scope) {
    if (open.size() != 1
        || !(whole instanceof TensorExpr.Product product)
        || !product.factors().contains(part)) {
      return null;
    }
    for (TensorExpr factor : product.factors()) {
      if (factor instanceof TensorExpr.Access access) {
        Level level = iteration.levelAt(access, open.get(0), scope);
        if (level != null
            && level.number() == tensors.layout(access.tensor()).order() - 1
            && !level.random()
            && level.can(LevelCapability.POSITION_ITERATION)) {
          return access;
        }
      }
    }
    return null;
  }

  /** Whether it is known when compiling that a workspace over {@code open} fits. */
  boolean isSmall(IndexVar open) {
    Long size = tensors.constantSize(open);
    return size != null && size <= MOST_CELLS;
  }

  /** Whether a workspace over {@code open} fits. */
  Expr fits(IndexVar open) {
    return new Expr.Binary(Expr.Op.LE, tensors.size(open), Expr.of(MOST_CELLS));
  }

  /** Computes {@code part} over {@code open} where {@code mask} has entries, then {@code rest}. */
  void emit(
      TensorExpr part,
      IndexVar open,
      TensorExpr.Access mask,
      List<IndexVar> order,
      Scope scope,
      Code code,
      Rest rest) {
    String name = code.fresh("w");
    Expr all = tensors.size(open);
    Expr size = isSmall(open) ? all : new Expr.Select(fits(open), all, Expr.of(0));
    Buffer sums =
        new Buffer(
            code.fresh(name + "_sums"),
            KernelTensors.elementOf(values.type()),
            Buffer.Kind.WORKSPACE);
    Buffer states = new Buffer(code.fresh(name + "_states"), ElementType.U8, Buffer.Kind.WORKSPACE);
    scope.workspaces().allocate(sums, size);
    scope.workspaces().allocate(states, size);
    TensorExpr.Access temporary = temporary(name, part, open, all, sums, states);
    mark(
        mask,
        open,
        scope,
        (cell, body) -> body.add(new Stmt.Store(states, cell, TensorLayout.IN_MASK)),
        code);
    nest.emit(part, order, scope, new MaskedSink(open, Fold.of(part), sums, states), code);
    rest.emit(temporary);
    mark(
        mask,
        open,
        scope,
        (cell, body) -> {
          body.add(new Stmt.Store(states, cell, Expr.of(0)));
          body.add(new Stmt.Store(sums, cell, values.zero()));
        },
        code);
  }

  private TensorExpr.Access temporary(
      String name, TensorExpr part, IndexVar open, Expr size, Buffer sums, Buffer states) {
    TensorFormat format = TensorFormat.dense(1, Temporaries.valueType(values.type()));
    TensorVar tensor = new TensorVar(name, format, TensorVar.Kind.TEMPORARY);
    LevelSpec spec = format.level(0);
    LevelEmitter emitter = LevelEmitters.of(spec.format());
    Level level = new Level(name + "1", spec, true, emitter, null, null, size, -1, 0);
    tensors.add(new TensorLayout(tensor, List.of(level), sums, states));
    return new TensorExpr.Access(
        tensors.freshAccessId(), tensor, List.of(open), Temporaries.spanOf(part));
  }

  private void mark(TensorExpr.Access mask, IndexVar open, Scope scope, Mark mark, Code code) {
    Level level = iteration.levelAt(mask, open, scope);
    if (level == null) {
      throw new IllegalStateException("the mask " + mask + " is not at its level of " + open);
    }
    Cursor parent = scope.cursor(mask);
    LevelEmitter.Range range = level.walk(parent.begin(), parent.endOrNext());
    LoopVariable position = LoopVariable.integer(code.fresh("p" + level.name() + "_mark"));
    Code body = code.nested();
    Expr coordinate = level.coordinate(Expr.of(position), new Ancestors(mask, scope));
    Expr labelled = level.labelled(Expr.of(position));
    Code cell = labelled == null ? body : body.nested();
    mark.emit(coordinate, cell);
    if (labelled != null) {
      body.when(labelled, cell);
    }
    code.add(new Stmt.For(position, range.begin(), range.end(), body.block(), LoopTraits.SERIAL));
  }

  /** Combines values in the cells that are marked. */
  private record MaskedSink(IndexVar variable, Fold fold, Buffer sums, Buffer states)
      implements FoldingSink {
    @Override
    public List<IndexVar> variables() {
      return List.of(variable);
    }

    @Override
    public void put(Expr value, Scope scope, Code code) {
      Expr coordinate = scope.coordinate(variable);
      Expr state = code.name(states.name() + "_at", new Expr.Load(states, coordinate));
      Code kept = code.nested();
      Expr term = kept.name(sums.name() + "_term", Values.convert(value, sums.scalar()));
      Code first = kept.nested();
      first.add(new Stmt.Store(states, coordinate, TensorLayout.HAS_VALUE));
      first.add(new Stmt.Store(sums, coordinate, term));
      Code again = kept.nested();
      fold.into(sums, coordinate, term, again);
      kept.add(new Stmt.If(Expr.equal(state, TensorLayout.IN_MASK), first.block(), again.block()));
      code.when(new Expr.Binary(Expr.Op.NE, state, Expr.of(0)), kept);
    }
  }
}
