package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Stmt;

/**
 * Parallel loops: the body becomes an internal {@code fn(context, from, to)} over iterations [from,
 * to), which {@link RangeTask} calls on several threads. The kernel calls it itself when it has one
 * thread, or the loop one iteration. Iterations are independent, so that it does not matter which
 * of them run together.
 */
final class ParallelLoops {
  /**
   * Pieces of a loop per thread, between which a task looks whether another thread wants work: so
   * threads end a loop at the same time but for a part of this.
   */
  private static final int PIECES_PER_THREAD = 64;

  private ParallelLoops() {}

  static void emit(KernelEmitter kernel, StatementEmitter outer, Stmt.For loop) {
    Frame frame = outer.frame();
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    RuntimeCalls runtime = new RuntimeCalls(frame);
    LLVMValueRef lower = outer.position(loop.lower());
    LLVMValueRef upper = outer.position(loop.upper());
    LLVMBasicBlockRef some = code.block("parallel");
    LLVMBasicBlockRef after = code.block("joined");
    code.branch(code.compare(LLVMIntSLT, lower, upper), some, after);

    code.at(some);
    TaskCalls calls = kernel.task(frame, task -> body(kernel, task, loop));
    LLVMValueRef trips = LLVMBuildNSWSub(code.raw, upper, lower, "trips");
    LLVMValueRef several = code.compare(LLVMIntSGT, trips, module.constant(1));
    calls.run(
        several,
        lower,
        upper,
        group -> {
          LLVMValueRef perThread = module.constant(PIECES_PER_THREAD);
          LLVMValueRef threads = runtime.table().threads();
          LLVMValueRef pieces = LLVMBuildNSWMul(code.raw, threads, perThread, "");
          LLVMValueRef share = LLVMBuildUDiv(code.raw, trips, pieces, "");
          LLVMValueRef one = module.constant(1);
          LLVMValueRef grain = code.intrinsic("llvm.smax", module.i64, share, one);
          calls.spawn(group, lower, upper, grain);
        });
    code.branchRarely(runtime.failed(), frame.exit, after);
    code.at(after);
  }

  /** The function that runs iterations [from, to) of the loop, unless a task has failed. */
  private static void body(KernelEmitter kernel, Frame task, Stmt.For loop) {
    IrBuilder code = task.code;
    LLVMValueRef from = LLVMGetParam(task.function, 1);
    LLVMValueRef to = LLVMGetParam(task.function, 2);
    RuntimeCalls runtime = new RuntimeCalls(task);
    LLVMBasicBlockRef go = code.block("go");
    code.branchRarely(runtime.failed(), task.exit, go);

    code.at(go);
    new StatementEmitter(kernel, task).counted(loop, from, to);
    code.jump(task.exit);

    TaskCalls.end(task);
  }
}
