package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Stmt;

/**
 * Parallel loops: the body becomes an internal {@code fn(context, task)} over a static share of the
 * iterations, so that which iterations run together never depends on timing. The runtime runs four
 * tasks per thread; with one thread, or one iteration, the kernel calls the function itself.
 */
final class ParallelLoops {
  /** Evens out shares of unequal work. */
  private static final int TASKS_PER_THREAD = 4;

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
    LLVMValueRef trips = LLVMBuildNSWSub(code.raw, upper, lower, "trips");
    LLVMValueRef threads = runtime.threads();
    LLVMValueRef many = LLVMBuildNSWMul(code.raw, threads, module.constant(TASKS_PER_THREAD), "");
    LLVMValueRef shares = code.intrinsic("llvm.smin", module.i64, many, trips);
    LLVMValueRef alone = code.compare(LLVMIntSLE, threads, module.constant(1));
    LLVMValueRef tasks = LLVMBuildSelect(code.raw, alone, module.constant(1), shares, "tasks");
    LLVMValueRef function = kernel.taskFunction();
    LLVMValueRef context;
    try (Frame task = frame.task(function)) {
      task(kernel, task, loop, lower, trips, tasks);
      context = frame.contextOf(task);
    }

    LLVMBasicBlockRef inline = code.block("inline");
    LLVMBasicBlockRef spread = code.block("spread");
    LLVMBasicBlockRef joined = code.block("join");
    code.branch(code.compare(LLVMIntEQ, tasks, module.constant(1)), inline, spread);
    code.at(inline);
    code.call(kernel.taskType(), function, context, module.constant(0));
    code.jump(joined);
    code.at(spread);
    runtime.parallelFor(tasks, function, context);
    code.jump(joined);
    code.at(joined);
    code.branchRarely(runtime.failed(), frame.exit, after);
    code.at(after);
  }

  /** The function of one task: iterations [start, end) of the loop. */
  private static void task(
      KernelEmitter kernel,
      Frame task,
      Stmt.For loop,
      LLVMValueRef lower,
      LLVMValueRef trips,
      LLVMValueRef tasks) {
    ModuleContext module = task.module;
    IrBuilder code = task.code;
    LLVMValueRef number = LLVMGetParam(task.function, 1);
    LLVMValueRef first = task.capture("<lower>", module.i64, () -> lower);
    LLVMValueRef all = task.capture("<trips>", module.i64, () -> trips);
    LLVMValueRef count = task.capture("<tasks>", module.i64, () -> tasks);
    RuntimeCalls runtime = new RuntimeCalls(task);
    LLVMBasicBlockRef go = code.block("go");
    code.branchRarely(runtime.failed(), task.exit, go);

    code.at(go);
    LLVMValueRef share = LLVMBuildUDiv(code.raw, all, count, "");
    LLVMValueRef rest = LLVMBuildURem(code.raw, all, count, "");
    LLVMValueRef before = code.intrinsic("llvm.smin", module.i64, number, rest);
    LLVMValueRef start = LLVMBuildNSWMul(code.raw, number, share, "");
    start = LLVMBuildNSWAdd(code.raw, start, before, "");
    start = LLVMBuildNSWAdd(code.raw, start, first, "start");
    LLVMValueRef oneMore = code.compare(LLVMIntSLT, number, rest);
    LLVMValueRef size =
        LLVMBuildNSWAdd(code.raw, share, LLVMBuildZExt(code.raw, oneMore, module.i64, ""), "");
    LLVMValueRef end = LLVMBuildNSWAdd(code.raw, start, size, "end");
    new StatementEmitter(kernel, task).counted(loop, start, end);
    code.jump(task.exit);

    code.at(task.exit);
    task.owned().forEach(runtime::release);
    LLVMBuildRetVoid(code.raw);
    task.finish();
  }
}
