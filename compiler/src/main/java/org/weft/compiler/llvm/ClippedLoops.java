package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.LLVMIntSGT;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.Stmt;

/**
 * Loops over the offsets of a block, which end early only where the mode does: {@code for j in [0,
 * min(3, rest))}. Whole blocks are written out, and the loop is left to the last one:
 *
 * <pre>
 * if (3 &lt;= rest) { body(0); body(1); body(2); } else { for j in [0, rest): body(j) }
 * </pre>
 */
final class ClippedLoops {
  /** Copies of the innermost body in a nest: code grows with them. */
  private static final int MOST_COPIES = 64;

  private ClippedLoops() {}

  /** Whether {@code loop} is one of few iterations that may end early. */
  static boolean fits(Stmt.For loop) {
    return !loop.traits().parallel() && copies(loop) <= MOST_COPIES;
  }

  /** How often the innermost body is written out; {@link Long#MAX_VALUE} for other loops. */
  private static long copies(Stmt.For loop) {
    if (loop.lower() instanceof Expr.IntLiteral lower
        && lower.value() == 0
        && loop.traits().unroll() != 1
        && loop.upper() instanceof Expr.Binary upper
        && upper.op() == Expr.Op.MIN
        && upper.left() instanceof Expr.IntLiteral size
        && size.value() <= MOST_COPIES) {
      return (size.value() + 1) * inside(loop.body());
    }
    return Long.MAX_VALUE;
  }

  private static long inside(Stmt stmt) {
    if (stmt instanceof Stmt.For loop) {
      long copies = copies(loop);
      return copies > MOST_COPIES ? inside(loop.body()) : copies;
    }
    return stmt.children().stream().mapToLong(ClippedLoops::inside).max().orElse(1);
  }

  static void emit(StatementEmitter emitter, Stmt.For loop) {
    IrBuilder code = emitter.frame().code;
    Expr.Binary upper = (Expr.Binary) loop.upper();
    long size = ((Expr.IntLiteral) upper.left()).value();
    LLVMValueRef rest = emitter.position(upper.right());
    LLVMBasicBlockRef whole = code.block(loop.variable().name() + "_whole");
    LLVMBasicBlockRef clipped = code.block(loop.variable().name() + "_clipped");
    LLVMBasicBlockRef after = code.block(loop.variable().name() + "_done");
    LLVMValueRef full = emitter.frame().module.constant(size);
    code.branchRarely(code.compare(LLVMIntSGT, full, rest), clipped, whole);
    code.at(whole);
    for (long at = 0; at < size; at++) {
      emitter.frame().bind(loop.variable(), emitter.frame().module.constant(at));
      emitter.emit(loop.body());
    }
    code.jump(after);
    code.at(clipped);
    emitter.counted(loop, emitter.frame().module.constant(0), rest);
    code.jump(after);
    code.at(after);
  }
}
