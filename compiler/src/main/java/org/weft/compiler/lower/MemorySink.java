package org.weft.compiler.lower;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorExpr;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/**
 * Writes values to memory with random access: a dense result, or a dense workspace.
 *
 * @param accumulate whether values are added to what is there
 * @param temporary whether the memory is a workspace
 * @param present set when a value is put; null when that does not matter, or is known
 */
record MemorySink(
    TensorExpr.Access access,
    Buffer vals,
    boolean accumulate,
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
  public Sink accumulating() {
    return new MemorySink(access, vals, true, temporary, present);
  }

  @Override
  public boolean scatters(List<IndexVar> unbound, boolean small) {
    return temporary || !unbound.isEmpty() && !small;
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
    return new MemorySink(access, vals, accumulate, temporary, null);
  }

  @Override
  public boolean independent(IndexVar variable) {
    return access.variables().contains(variable);
  }

  @Override
  public void put(Expr value, Scope scope, Code code) {
    Expr position = scope.cursor(access).begin();
    Expr converted = Values.convert(value, vals.scalar());
    code.add(
        accumulate
            ? new Stmt.Accumulate(vals, position, converted)
            : new Stmt.Store(vals, position, converted));
    if (present != null) {
      code.assign(present, Presence.TRUE);
    }
  }
}
