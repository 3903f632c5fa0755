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
    LLVMValueRef body = kernel.bodyFunction();
    LLVMValueRef context;
    try (Frame task = frame.task(body)) {
      body(kernel, task, loop);
      context = frame.contextOf(task);
    }
    LLVMValueRef trips = LLVMBuildNSWSub(code.raw, upper, lower, "trips");
    LLVMValueRef several = code.compare(LLVMIntSGT, trips, module.constant(1));
    LLVMValueRef group = LLVMBuildAlloca(frame.entry.raw, LLVMArrayType2(module.i64, 3), "group");

    LLVMBasicBlockRef inline = code.block("inline");
    LLVMBasicBlockRef enter = code.block("enter");
    LLVMBasicBlockRef spread = code.block("spread");
    LLVMBasicBlockRef joined = code.block("join");
    code.branch(several, enter, inline);
    code.at(inline);
    code.call(RangeTask.bodyType(module), body, context, lower, upper);
    code.jump(joined);
    code.at(enter);
    LLVMValueRef entered = runtime.table().enter(group);
    code.branch(code.compare(LLVMIntNE, entered, module.constant(0)), spread, inline);
    code.at(spread);
    spread(frame, group, body, context, lower, upper, trips);
    code.jump(joined);
    code.at(joined);
    code.branchRarely(runtime.failed(), frame.exit, after);
    code.at(after);
  }

  /** The loop as tasks of a group that has been entered. */
  private static void spread(
      Frame frame,
      LLVMValueRef group,
      LLVMValueRef body,
      LLVMValueRef context,
      LLVMValueRef lower,
      LLVMValueRef upper,
      LLVMValueRef trips) {
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    RuntimeTable runtime = new RuntimeCalls(frame).table();
    LLVMValueRef perThread = module.constant(PIECES_PER_THREAD);
    LLVMValueRef pieces = LLVMBuildNSWMul(code.raw, runtime.threads(), perThread, "");
    LLVMValueRef share = LLVMBuildUDiv(code.raw, trips, pieces, "");
    LLVMValueRef grain = code.intrinsic("llvm.smax", module.i64, share, module.constant(1));
    LLVMValueRef task =
        code.call(
            RangeTask.type(module),
            RangeTask.of(module),
            frame.runtime(),
            group,
            body,
            context,
            lower,
            upper,
            grain);
    LLVMBasicBlockRef alone = code.block("alone");
    LLVMBasicBlockRef close = code.block("close");
    code.branchRarely(code.isNull(task), alone, close);
    code.at(alone);
    code.call(RangeTask.bodyType(module), body, context, lower, upper);
    code.jump(close);
    code.at(close);
    runtime.close(group);
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

    code.at(task.exit);
    task.owned().forEach(runtime::release);
    LLVMBuildRetVoid(code.raw);
    task.finish();
  }
}
