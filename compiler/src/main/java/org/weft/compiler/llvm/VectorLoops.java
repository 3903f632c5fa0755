package org.weft.compiler.llvm;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.loop.Buffer;
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
 *
 * <p>Iterations that do not fill a register are one chunk whose last lanes leave memory alone, or a
 * narrower one: 13 of {@code <8 x double>} are 8 and 5 of 8, 12 are 8 and 4. Workspaces on the
 * stack have room for whole registers, so that they need no mask and stay in registers.
 */
final class VectorLoops {
  /** Most chunks that are written out: code grows with them. */
  private static final int MOST_CHUNKS = 32;

  /** AVX2 has masked accesses, too: rank 7 took two to three times as long with them. */
  private static final int FEWEST_MASKED_BITS = 512;

  private final Lanes probe;
  private final Set<LoopVariable> inside = new HashSet<>();
  private final Set<LoopVariable> consecutive = new HashSet<>();
  private final Map<LoopVariable, Expr> definitions = new HashMap<>();
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
    boolean masks =
        frame.module.target.vectorBits() >= FEWEST_MASKED_BITS
            && at == 0
            && analysis.maskable(loop.body(), loop.variable(), end, frame);
    while (at < end) {
      boolean masked = masks && lanes > end - at && Long.bitCount(end - at) > 1;
      while (!masked && lanes > end - at) {
        lanes /= 2;
      }
      int active = (int) Math.min(lanes, end - at);
      Lanes chunk = Lanes.masked(lanes, active, loop.variable());
      analysis.inside.forEach(chunk::add);
      analysis.consecutive.forEach(chunk::addConsecutive);
      frame.bind(loop.variable(), frame.module.constant(at));
      emitter.inLanes(chunk).emit(loop.body());
      at += lanes;
    }
  }

  /**
   * Whether lanes past the end may compute: nothing there can trap, and what they write to the
   * stack lies in the room behind a workspace, or behind a row of one, which ends where the loop
   * does.
   */
  private boolean maskable(Stmt stmt, LoopVariable variable, long end, Frame frame) {
    if (stmt instanceof Stmt.Store s) {
      return inRoom(s.buffer(), s.position(), variable, end, frame)
          && maskable(s.value(), variable, end, frame);
    } else if (stmt instanceof Stmt.Accumulate s) {
      return inRoom(s.buffer(), s.position(), variable, end, frame)
          && maskable(s.value(), variable, end, frame);
    } else if (stmt instanceof Stmt.Declare s) {
      return maskable(s.value(), variable, end, frame);
    } else if (stmt instanceof Stmt.Assign s) {
      return maskable(s.value(), variable, end, frame);
    }
    return stmt.children().stream().allMatch(child -> maskable(child, variable, end, frame));
  }

  private boolean maskable(Expr expr, LoopVariable variable, long end, Frame frame) {
    if (expr instanceof Expr.Load e && !inRoom(e.buffer(), e.position(), variable, end, frame)) {
      return false;
    } else if (expr instanceof Expr.Binary e
        && (e.op() == Expr.Op.DIV || e.op() == Expr.Op.REM)
        && !e.type().isFloat()) {
      return false;
    }
    return expr.children().stream().allMatch(child -> maskable(child, variable, end, frame));
  }

  private boolean inRoom(
      Buffer buffer, Expr position, LoopVariable variable, long end, Frame frame) {
    if (!frame.isOnStack(buffer)) {
      return true;
    }
    Expr defined = position;
    if (position instanceof Expr.VariableRef ref) {
      defined = definitions.getOrDefault(ref.variable(), position);
    }
    if (defined instanceof Expr.Binary sum && sum.op() == Expr.Op.ADD) {
      return is(variable, sum.right())
          && sum.left() instanceof Expr.Binary row
          && row.op() == Expr.Op.MUL
          && row.right() instanceof Expr.IntLiteral pitch
          && pitch.value() == Stmt.AllocateWorkspace.padded(end, buffer.element());
    }
    return is(variable, defined) && frame.stackLength(buffer) == end;
  }

  private static boolean is(LoopVariable variable, Expr expr) {
    return expr instanceof Expr.VariableRef ref && ref.variable() == variable;
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
    return false;
  }

  private boolean declare(Stmt.Declare s) {
    LoopVariable v = s.variable();
    if (probe.consecutive(s.value()) && !assigned.contains(v)) {
      consecutive.add(v);
      definitions.put(v, s.value());
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
    return expr instanceof Expr.Load e
        ? probe.consecutive(e.position()) || !probe.varies(e.position())
        : expr.children().stream().allMatch(this::fits);
  }

  private void widen(ScalarType type) {
    if (type == ScalarType.F64 || type == ScalarType.I64) {
      widest = 8;
    }
  }
}
