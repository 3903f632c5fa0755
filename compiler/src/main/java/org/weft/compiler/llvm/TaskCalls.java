package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.function.Consumer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/**
 * How a kernel has a task function {@code fn(context, from, to)} run: by a call of its own, or by
 * tasks of a group.
 *
 * @param frame of the caller
 * @param function the task function
 * @param context the caller's values that it uses
 */
record TaskCalls(Frame frame, LLVMValueRef function, LLVMValueRef context) {

  /**
   * Runs [from, to): by {@code spread}, which gets an entered group, where {@code several} holds
   * and the runtime lets the kernel enter, else by one call.
   */
  void run(
      LLVMValueRef several, LLVMValueRef from, LLVMValueRef to, Consumer<LLVMValueRef> spread) {
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    RuntimeTable runtime = new RuntimeCalls(frame).table();
    LLVMValueRef group = LLVMBuildAlloca(frame.entry.raw, LLVMArrayType2(module.i64, 3), "group");
    LLVMBasicBlockRef alone = code.block("alone");
    LLVMBasicBlockRef enter = code.block("enter");
    LLVMBasicBlockRef entered = code.block("spread");
    LLVMBasicBlockRef joined = code.block("join");
    code.branch(several, enter, alone);
    code.at(alone);
    call(from, to);
    code.jump(joined);
    code.at(enter);
    LLVMValueRef may = runtime.enter(group);
    code.branch(code.compare(LLVMIntNE, may, module.constant(0)), entered, alone);
    code.at(entered);
    spread.accept(group);
    runtime.close(group);
    code.jump(joined);
    code.at(joined);
  }

  /** Runs [from, to) as tasks of the group, of at most {@code grain} each; alone without memory. */
  void spawn(LLVMValueRef group, LLVMValueRef from, LLVMValueRef to, LLVMValueRef grain) {
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    LLVMValueRef task =
        code.call(
            RangeTask.type(module),
            RangeTask.of(module),
            frame.runtime(),
            group,
            function,
            context,
            from,
            to,
            grain);
    LLVMBasicBlockRef refused = code.block("refused");
    LLVMBasicBlockRef spawned = code.block("spawned");
    code.branchRarely(code.isNull(task), refused, spawned);
    code.at(refused);
    call(from, to);
    code.jump(spawned);
    code.at(spawned);
  }

  private void call(LLVMValueRef from, LLVMValueRef to) {
    frame.code.call(RangeTask.bodyType(frame.module), function, context, from, to);
  }

  /** Completes a task function: what it owns is released on every way out. */
  static void end(Frame task) {
    task.code.at(task.exit);
    task.owned().forEach(new RuntimeCalls(task)::release);
    LLVMBuildRetVoid(task.code.raw);
    task.finish();
  }
}
