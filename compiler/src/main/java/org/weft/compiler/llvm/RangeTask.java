package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/**
 * The asynchronous task that runs a range of a parallel loop: one LLVM coroutine per module,
 * whatever the loop.
 *
 * <pre>
 * weft_range(runtime, group, body, context, from, to, grain):  // the ramp: null if there is no memory
 *   frame = runtime.frame(size)
 *   suspend; runtime.spawn(group, frame)                       // from here on, on any thread
 *   while (from &lt; to) {
 *     if (to - from &gt; grain &amp;&amp; runtime.hungry()) {             // give half away
 *       middle = from + (to - from) / 2
 *       if (weft_range(runtime, group, body, context, middle, to, grain)) to = middle
 *     }
 *     end = min(from + grain, to)
 *     body(context, from, end)
 *     from = end
 *   }
 *   runtime.finish(group, frame, size)                         // frees the frame
 * </pre>
 */
final class RangeTask {
  private static final String NAME = "weft_range";

  private final ModuleContext module;
  private final LLVMValueRef function;
  private final IrBuilder code;
  private final RuntimeTable runtime;
  private final LLVMValueRef group;
  private final LLVMValueRef body;
  private final LLVMValueRef context;
  private final LLVMValueRef grain;

  private RangeTask(ModuleContext module, LLVMValueRef function, IrBuilder code) {
    this.module = module;
    this.function = function;
    this.code = code;
    this.runtime = new RuntimeTable(module, code, LLVMGetParam(function, 0));
    this.group = LLVMGetParam(function, 1);
    this.body = LLVMGetParam(function, 2);
    this.context = LLVMGetParam(function, 3);
    this.grain = LLVMGetParam(function, 6);
  }

  /** {@code ptr (runtime, group, body, context, from, to, grain)}. */
  static LLVMTypeRef type(ModuleContext module) {
    LLVMTypeRef p = module.pointer;
    LLVMTypeRef n = module.i64;
    return ModuleContext.functionType(p, p, p, p, p, n, n, n);
  }

  /** The type of {@code body}: {@code void (context, from, to)}. */
  static LLVMTypeRef bodyType(ModuleContext module) {
    return ModuleContext.functionType(module.nothing, module.pointer, module.i64, module.i64);
  }

  /** The ramp function, which another object of the library has. */
  static LLVMValueRef of(ModuleContext module) {
    LLVMValueRef known = LLVMGetNamedFunction(module.module, NAME);
    return known != null && !known.isNull() ? known : declare(module);
  }

  private static LLVMValueRef declare(ModuleContext module) {
    LLVMTypeRef p = module.pointer;
    LLVMTypeRef n = module.i64;
    LLVMValueRef function = module.function(NAME, p, true, p, p, p, p, n, n, n);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    return function;
  }

  /** Emits the coroutine into a module of its own. */
  static void define(ModuleContext module) {
    LLVMValueRef function = declare(module);
    module.enumAttribute(function, LLVMAttributeFunctionIndex, "presplitcoroutine");
    try (IrBuilder code = new IrBuilder(module, function)) {
      new RangeTask(module, function, code).emit();
    }
  }

  private void emit() {
    LLVMBasicBlockRef entry = code.block("entry");
    LLVMBasicBlockRef begin = code.block("begin");
    LLVMBasicBlockRef none = code.block("none");
    LLVMBasicBlockRef resumed = code.block("resumed");
    LLVMBasicBlockRef suspend = code.block("suspend");
    LLVMValueRef nullPointer = LLVMConstNull(module.pointer);

    code.at(entry);
    LLVMValueRef zero = LLVMConstInt(module.i32, 0, 0);
    LLVMValueRef id = code.coro("id", zero, nullPointer, nullPointer, nullPointer);
    LLVMValueRef size = code.intrinsic("llvm.coro.size", module.i64);
    LLVMValueRef memory = runtime.frame(size);
    code.branchRarely(code.isNull(memory), none, begin);

    code.at(none);
    LLVMBuildRet(code.raw, nullPointer);

    code.at(begin);
    LLVMValueRef frame = code.coro("begin", id, memory);
    LLVMValueRef saved = code.coro("save", frame);
    runtime.spawn(group, frame);
    LLVMValueRef no = LLVMConstInt(module.i1, 0, 0);
    LLVMValueRef state = code.coro("suspend", saved, no);
    // 0: resumed; 1: destroyed, which nobody does; else: suspended, back to who spawned.
    LLVMValueRef choice = LLVMBuildSwitch(code.raw, state, suspend, 1);
    LLVMAddCase(choice, LLVMConstInt(module.i8, 0, 0), resumed);

    code.at(resumed);
    pieces();
    LLVMValueRef freed = code.coro("free", id, frame);
    runtime.finish(group, freed, code.intrinsic("llvm.coro.size", module.i64));
    code.jump(suspend);

    code.at(suspend);
    code.coro("end", frame, no, LLVMConstNull(LLVMTokenTypeInContext(module.context)));
    LLVMBuildRet(code.raw, frame);
  }

  /** Runs the range in pieces, giving half of the rest away when asked for. */
  private void pieces() {
    LLVMBasicBlockRef before = code.current();
    LLVMBasicBlockRef head = code.block("head");
    LLVMBasicBlockRef long_ = code.block("long");
    LLVMBasicBlockRef split = code.block("split");
    LLVMBasicBlockRef run = code.block("run");
    LLVMBasicBlockRef done = code.block("done");
    code.jump(head);

    code.at(head);
    LLVMValueRef from = LLVMBuildPhi(code.raw, module.i64, "from");
    LLVMValueRef to = LLVMBuildPhi(code.raw, module.i64, "to");
    LLVMValueRef rest = LLVMBuildNSWSub(code.raw, to, from, "rest");
    LLVMBasicBlockRef some = code.block("some");
    code.branch(code.compare(LLVMIntSGT, rest, module.constant(0)), some, done);

    code.at(some);
    code.branch(code.compare(LLVMIntSGT, rest, grain), long_, run);

    code.at(long_);
    LLVMValueRef wanted = code.compare(LLVMIntNE, runtime.hungry(), module.constant(0));
    code.branch(wanted, split, run);

    code.at(split);
    LLVMValueRef half = LLVMBuildLShr(code.raw, rest, module.constant(1), "");
    LLVMValueRef middle = LLVMBuildNSWAdd(code.raw, from, half, "middle");
    LLVMValueRef other =
        code.call(
            type(module),
            function,
            LLVMGetParam(function, 0),
            group,
            body,
            context,
            middle,
            to,
            grain);
    LLVMValueRef kept = LLVMBuildSelect(code.raw, code.isNull(other), to, middle, "kept");
    code.jump(run);

    code.at(run);
    LLVMValueRef own = LLVMBuildPhi(code.raw, module.i64, "own");
    incoming(own, new LLVMValueRef[] {to, to, kept}, some, long_, split);
    LLVMValueRef next = LLVMBuildNSWAdd(code.raw, from, grain, "");
    LLVMValueRef end = code.intrinsic("llvm.smin", module.i64, next, own);
    code.call(bodyType(module), body, context, from, end);
    code.jump(head);

    incoming(from, new LLVMValueRef[] {LLVMGetParam(function, 4), end}, before, run);
    incoming(to, new LLVMValueRef[] {LLVMGetParam(function, 5), own}, before, run);
    code.at(done);
  }

  private static void incoming(
      LLVMValueRef phi, LLVMValueRef[] values, LLVMBasicBlockRef... blocks) {
    LLVMAddIncoming(phi, new PointerPointer<>(values), new PointerPointer<>(blocks), blocks.length);
  }
}
