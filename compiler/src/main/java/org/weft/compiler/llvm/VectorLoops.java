package org.weft.compiler.llvm;

import java.util.HashSet;
import java.util.Set;
import org.weft.compiler.loop.Expr;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.ScalarType;
import org.weft.compiler.loop.Stmt;

/**
 * Short vector loops with constant bounds become straight-line vector code: {@code r} in [0, 16) on
 * AVX2 is four chunks of {@code <4 x double>}. A workspace that only such loops touch is then
 * accessed at constant positions, and LLVM's SROA keeps it in vector registers across the loop
 * around; LLVM's own order (vectorise after SROA) would leave it on the stack. Other vector loops
 * stay loops, for LLVM to vectorise.
 */
final class VectorLoops {
  /** Most chunks that are written out: code grows with them. */
  private static final int MOST_CHUNKS = 32;

  private final Lanes probe;
  private final Set<LoopVariable> inside = new HashSet<>();
  private final Set<LoopVariable> consecutive = new HashSet<>();
  private final Set<LoopVariable> assigned = new HashSet<>();
  private int widest = 4;

  private VectorLoops(Stmt.For loop) {
    this.probe = Lanes.of(2, loop.variable());
    collectAssigned(loop.body());
  }

  /** Whether the loop is short and every statement works on consecutive elements or invariants. */
  static boolean fits(Stmt.For loop, Target target) {
    if (!loop.traits().vector()
        || loop.traits().unroll() == 1
        || !(loop.lower() instanceof Expr.IntLiteral lower)
        || !(loop.upper() instanceof Expr.IntLiteral upper)) {
      return false;
    }
    VectorLoops analysis = new VectorLoops(loop);
    long trips = upper.value() - lower.value();
    return trips <= (long) MOST_CHUNKS * target.vectorBits() / 64 && analysis.fits(loop.body());
  }

  /** Emits the chunks, widest first. */
  static void emit(StatementEmitter emitter, Stmt.For loop) {
    VectorLoops analysis = new VectorLoops(loop);
    analysis.fits(loop.body());
    Frame frame = emitter.frame();
    int lanes = frame.module.target.vectorBits() / 8 / analysis.widest;
    long at = ((Expr.IntLiteral) loop.lower()).value();
    long end = ((Expr.IntLiteral) loop.upper()).value();
    while (at < end) {
      while (lanes > end - at) {
        lanes /= 2;
      }
      Lanes chunk = Lanes.of(lanes, loop.variable());
      analysis.inside.forEach(chunk::add);
      analysis.consecutive.forEach(chunk::addConsecutive);
      frame.bind(loop.variable(), frame.module.constant(at));
      emitter.inLanes(chunk).emit(loop.body());
      at += lanes;
    }
  }

  private boolean fits(Stmt stmt) {
    if (stmt instanceof Stmt.Block s) {
      return s.statements().stream().allMatch(this::fits);
    } else if (stmt instanceof Stmt.Declare s) {
      return declare(s);
    } else if (stmt instanceof Stmt.Assign s) {
      return inside.contains(s.variable()) && fits(s.value());
    } else if (stmt instanceof Stmt.Store s) {
      widen(s.buffer().scalar());
      return probe.consecutive(s.position()) && fits(s.value());
    } else if (stmt instanceof Stmt.Accumulate s) {
      widen(s.buffer().scalar());
      return probe.consecutive(s.position()) && fits(s.value());
    }
    return stmt instanceof Stmt.Comment;
  }

  private boolean declare(Stmt.Declare s) {
    LoopVariable v = s.variable();
    if (probe.consecutive(s.value()) && !assigned.contains(v)) {
      consecutive.add(v);
      probe.addConsecutive(v);
      return true;
    }
    widen(v.type());
    boolean fits = fits(s.value());
    inside.add(v);
    probe.add(v);
    return fits;
  }

  private void collectAssigned(Stmt stmt) {
    if (stmt instanceof Stmt.Block s) {
      s.statements().forEach(this::collectAssigned);
    } else if (stmt instanceof Stmt.Assign s) {
      assigned.add(s.variable());
    }
  }

  private boolean fits(Expr expr) {
    if (expr instanceof Expr.Load e) {
      return probe.consecutive(e.position()) || !probe.varies(e.position());
    } else if (expr instanceof Expr.Binary e) {
      return fits(e.left()) && fits(e.right());
    } else if (expr instanceof Expr.Not e) {
      return fits(e.operand());
    } else if (expr instanceof Expr.Select e) {
      return fits(e.condition()) && fits(e.whenTrue()) && fits(e.whenFalse());
    } else if (expr instanceof Expr.Convert e) {
      return fits(e.operand());
    } else if (expr instanceof Expr.MathCall e) {
      return e.arguments().stream().allMatch(this::fits);
    } else if (expr instanceof Expr.Negate e) {
      return fits(e.operand());
    }
    return true;
  }

  private void widen(ScalarType type) {
    if (type == ScalarType.F64 || type == ScalarType.I64) {
      widest = 8;
    }
  }
}
