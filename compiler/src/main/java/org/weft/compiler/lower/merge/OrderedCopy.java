package org.weft.compiler.lower.merge;

import org.weft.compiler.level.Code;
import org.weft.compiler.level.Level;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopTraits;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;
import org.weft.compiler.lower.operand.Scope;
import org.weft.memory.ElementType;

/**
 * A segment of an unordered level, sorted, for loops that need increasing coordinates (Chou et al.,
 * section 4.3, reordering). Entry {@code q} has coordinate {@code crd[q]} and is at position {@code
 * order[q]} of the level; positions without a coordinate are left out.
 */
record OrderedCopy(Buffer crd, Buffer order, Expr count) {
  /** First length of the arrays; past what {@link Stmt.AllocateWorkspace} puts on the stack. */
  private static final long FIRST = 1024;

  /** Emits the copy of the positions {@code range}. */
  static OrderedCopy of(
      Level level, LevelEmitter.Range range, LevelEmitter.Path path, Scope scope, Code code) {
    Buffer crd = array(level.name() + "_sorted", scope, code);
    Buffer order = array(level.name() + "_order", scope, code);
    LoopVariable count = code.declare("n" + level.name(), Expr.of(0));
    Expr begin = code.name("p" + level.name() + "_begin", range.begin());
    Expr end = code.name("p" + level.name() + "_end", range.end());
    code.add(new Stmt.Grow(crd, Expr.sub(end, begin)));
    code.add(new Stmt.Grow(order, Expr.sub(end, begin)));
    LoopVariable p = LoopVariable.integer(code.fresh("p" + level.name()));
    Code loop = code.nested();
    Code copy = code.nested();
    copy.add(new Stmt.Store(crd, Expr.of(count), level.coordinate(Expr.of(p), path)));
    copy.add(new Stmt.Store(order, Expr.of(count), Expr.of(p)));
    copy.assign(count, Expr.add(Expr.of(count), Expr.of(1)));
    Expr labelled = level.labelled(Expr.of(p));
    if (labelled == null) {
      loop.addAll(copy);
    } else {
      loop.when(labelled, copy);
    }
    code.add(new Stmt.For(p, begin, end, loop.block(), LoopTraits.SERIAL));
    code.add(new Stmt.SortPairs(crd, order, Expr.of(count)));
    return new OrderedCopy(crd, order, Expr.of(count));
  }

  private static Buffer array(String name, Scope scope, Code code) {
    Buffer buffer = new Buffer(code.fresh(name), ElementType.I64, Buffer.Kind.WORKSPACE);
    scope.workspaces().allocate(buffer, Expr.of(FIRST));
    return buffer;
  }

  Expr coordinate(Expr entry) {
    return new Expr.Load(crd, entry);
  }

  Expr position(Expr entry) {
    return new Expr.Load(order, entry);
  }
}
