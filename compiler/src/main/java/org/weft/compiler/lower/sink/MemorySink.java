package org.weft.compiler.lower.sink;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Fold;
import org.weft.compiler.lower.operand.Presence;
import org.weft.compiler.lower.operand.Scope;
import org.weft.compiler.lower.operand.Values;

/**
 * Writes values to memory with random access: a dense result, or a dense workspace.
 *
 * @param fold how values are combined with what is there; null when they replace it
 * @param temporary whether the memory is a workspace
 * @param present set when a value is put; null when that does not matter, or is known
 */
public record MemorySink(
    TensorExpr.Access access,
    Buffer vals,
    @Nullable Fold fold,
    boolean temporary,
    @Nullable LoopVariable present)
    implements Sink {
  @Override
  public List<IndexVar> variables() {
    return access.variables();
  }

  @Override
  public TensorExpr.Access memory() {
    return access;
  }

  @Override
  public Sink reducing(Fold inner) {
    return new MemorySink(access, vals, inner, temporary, present);
  }

  @Override
  public boolean scatters(Fold inner, List<IndexVar> unbound, boolean small) {
    boolean agrees = fold == null || fold.operator() == inner.operator();
    return agrees && (temporary || inner.zeroIsIdentity() && !unbound.isEmpty() && !small);
  }

  @Override
  public boolean tracksPresence() {
    return present != null;
  }

  @Override
  public @Nullable Sink settle(Code code) {
    if (present != null) {
      code.assign(present, Presence.TRUE);
    }
    return new MemorySink(access, vals, fold, temporary, null);
  }

  @Override
  public boolean independent(IndexVar variable) {
    return access.variables().contains(variable);
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr position = scope.cursor(access).begin();
    Expr converted = Values.convert(value, vals.scalar());
    if (fold == null) {
      code.add(new Stmt.Store(vals, position, converted));
    } else {
      fold.into(vals, position, converted, code);
    }
    if (present != null) {
      code.assign(present, Presence.TRUE);
    }
  }
}
