package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.LoopVariable;
import org.weft.compiler.loop.Stmt;

/**
 * Loops along fibers, most of which have few entries: when each of them ends is hard to predict,
 * and a wrong guess costs more than several entries. Whether there is more than one is asked, as
 * many tensors have fibers of one entry alone; then the next iterations are done in any case, and
 * what those past the end assign is dropped:
 *
 * <pre>
 * if (lower &lt; upper) {
 *   body(lower)
 *   if (lower + 1 &lt; upper) {
 *     for c in [1, {@value #COPIES}): {
 *       active = lower + c &lt; upper
 *       body(active ? lower + c : lower), with active ? what it assigns : what was there
 *     }
 *     for (p = lower + {@value #COPIES}; p &lt; upper; p++) body(p)   // sums in several lanes
 *   }
 * }
 * </pre>
 */
final class FiberLoops {
  /** Of 1 to 6, 2 to 4 were equally good for an SpMV with 3.4 entries a row. */
  private static final int COPIES = 3;

  private final StatementEmitter emitter;
  private final Frame frame;
  private final IrBuilder code;
  private final Stmt.For loop;
  private final Set<LoopVariable> carried = new LinkedHashSet<>();

  private FiberLoops(StatementEmitter emitter, Stmt.For loop) {
    this.emitter = emitter;
    this.frame = emitter.frame();
    this.code = frame.code;
    this.loop = loop;
    collect(loop.body(), carried, new LinkedHashSet<>());
  }

  /** Whether {@code loop} is along a fiber, and its body does nothing but compute. */
  static boolean fits(Stmt.For loop) {
    return loop.traits().fiber()
        && collect(loop.body(), new LinkedHashSet<>(), new LinkedHashSet<>());
  }

  static void emit(StatementEmitter emitter, Stmt.For loop) {
    new FiberLoops(emitter, loop).emit();
  }

  /** Collects assigned variables that outlive the body; false if it does more than compute. */
  private static boolean collect(
      Stmt stmt, Set<LoopVariable> assigned, Set<LoopVariable> declared) {
    if (stmt instanceof Stmt.Block s) {
      return s.statements().stream().allMatch(each -> collect(each, assigned, declared));
    } else if (stmt instanceof Stmt.Declare s) {
      return declared.add(s.variable());
    } else if (stmt instanceof Stmt.Assign s) {
      if (!declared.contains(s.variable())) {
        assigned.add(s.variable());
      }
      return true;
    }
    return stmt instanceof Stmt.Prefetch;
  }

  private void emit() {
    LLVMValueRef lower = emitter.position(loop.lower());
    LLVMValueRef upper = emitter.position(loop.upper());
    LLVMBasicBlockRef some = code.block(loop.variable().name() + "_some");
    LLVMBasicBlockRef after = code.block(loop.variable().name() + "_none");
    code.branch(code.compare(LLVMIntSLT, lower, upper), some, after);
    code.at(some);
    frame.bind(loop.variable(), lower);
    emitter.emit(loop.body());
    LLVMBasicBlockRef more = code.block(loop.variable().name() + "_more");
    code.branch(code.compare(LLVMIntSLT, plus(lower, 1), upper), more, after);
    code.at(more);
    for (int copy = 1; copy < COPIES; copy++) {
      LLVMValueRef at = plus(lower, copy);
      body(code.compare(LLVMIntSLT, at, upper), at, lower);
    }
    emitter.counted(loop, plus(lower, COPIES), upper);
    code.jump(after);
    code.at(after);
  }

  private LLVMValueRef plus(LLVMValueRef position, int more) {
    return LLVMBuildNSWAdd(code.raw, position, frame.module.constant(more), "");
  }

  private void body(LLVMValueRef active, LLVMValueRef at, LLVMValueRef instead) {
    frame.bind(loop.variable(), LLVMBuildSelect(code.raw, active, at, instead, ""));
    Map<LoopVariable, LLVMValueRef> before = new LinkedHashMap<>();
    carried.forEach(variable -> before.put(variable, frame.read(variable)));
    emitter.emit(loop.body());
    before.forEach(
        (variable, old) ->
            frame.assign(
                variable, LLVMBuildSelect(code.raw, active, frame.read(variable), old, "")));
  }
}
