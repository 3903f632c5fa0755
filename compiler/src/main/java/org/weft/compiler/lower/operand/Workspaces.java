package org.weft.compiler.lower.operand;

import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.level.Code;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/**
 * Workspaces that live as long as a block: allocated once before its loops, cleared between uses by
 * whoever uses them, and freed at its end.
 */
public final class Workspaces {
  private final Code allocations;
  private final List<Buffer> buffers = new ArrayList<>();

  public Workspaces(Code allocations) {
    this.allocations = allocations;
  }

  public void allocate(Buffer buffer, Expr length) {
    allocations.add(new Stmt.AllocateWorkspace(buffer, length));
    buffers.add(buffer);
  }

  /** A workspace that grows, for a part of {@code whole}. */
  public Buffer growable(Buffer whole) {
    String name = allocations.fresh(whole.name() + "_piece");
    Buffer piece = new Buffer(name, whole.element(), Buffer.Kind.WORKSPACE);
    int offStack = Stmt.AllocateWorkspace.STACK_WORKSPACE_BYTES / whole.element().bytes() + 1;
    allocate(piece, Expr.of(offStack));
    return piece;
  }

  public Code allocations() {
    return allocations;
  }

  public void freeAll(Code code) {
    buffers.forEach(buffer -> code.add(new Stmt.FreeWorkspace(buffer)));
  }
}
