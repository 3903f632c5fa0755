package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.BufferBinding;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.Stmt;
import org.weft.runtime.Slot;

/**
 * Emits one kernel, {@code void symbol(const int64_t *args)}, and the tasks of its parallel loops.
 *
 * <p>Ownership: workspaces are released on every way out. Growable arrays are handed to the caller
 * through their slots on success, and released here on failure.
 */
final class KernelEmitter {
  private final LoopFunction kernel;
  private final ModuleContext module;
  private final ModuleContext tasks;
  private final List<Stmt.View> views = new ArrayList<>();
  private final List<Buffer> buffers;
  private int loops;

  private KernelEmitter(LibraryModules modules, LoopFunction kernel) {
    this.kernel = kernel;
    this.tasks = modules.tasks();
    this.module = modules.of(kernel);
    this.buffers = buffers(views);
  }

  static void emit(LibraryModules modules, LoopFunction kernel) {
    new KernelEmitter(modules, kernel).emit();
  }

  private AliasScopes scopes(ModuleContext of) {
    return new AliasScopes(of, kernel.symbol(), buffers, views);
  }

  private void emit() {
    LLVMValueRef function = module.function(kernel.symbol(), module.nothing, true, module.pointer);
    module.enumAttribute(function, 1, "noalias");
    AliasScopes scopes = scopes(module);
    BoundsGuards guards = BoundsGuards.of(kernel);
    try (Frame frame = new Frame(module, scopes, guards, function)) {
      RuntimeCalls runtime = new RuntimeCalls(frame);
      for (BufferBinding binding : kernel.buffers()) {
        Buffer buffer = binding.buffer();
        frame.add(
            buffer.kind() == Buffer.Kind.GROWABLE
                ? BufferCell.allocated(frame, buffer, 0)
                : BufferCell.fixed(
                    module,
                    buffer,
                    frame.loadSlot(binding.slot(), module.pointer),
                    guards.checked() ? frame.argument(guards.lengthSlot(buffer)) : null));
      }
      new StatementEmitter(this, frame).emit(kernel.body());
      frame.code.jump(frame.exit);
      exit(frame, runtime);
      frame.finish();
    }
  }

  private void exit(Frame frame, RuntimeCalls runtime) {
    IrBuilder code = frame.code;
    code.at(frame.exit);
    List<BufferCell> growable = new ArrayList<>();
    for (BufferCell cell : frame.owned()) {
      if (cell.buffer.kind() == Buffer.Kind.GROWABLE) {
        growable.add(cell);
      } else {
        runtime.release(cell);
      }
    }
    if (!growable.isEmpty()) {
      LLVMBasicBlockRef failed = code.block("failed");
      LLVMBasicBlockRef succeeded = code.block("succeeded");
      LLVMBasicBlockRef done = code.block("done");
      code.branchRarely(runtime.failed(), failed, succeeded);
      code.at(failed);
      growable.forEach(runtime::release);
      code.jump(done);
      code.at(succeeded);
      for (BufferBinding binding : kernel.buffers()) {
        if (binding.buffer().kind() == Buffer.Kind.GROWABLE) {
          runtime.setSlot(binding.slot(), frame.base(binding.buffer()));
        }
      }
      code.jump(done);
      code.at(done);
    }
    LLVMBuildRetVoid(code.raw);
  }

  /** Number of a slot that the checker has found in the signature. */
  int slotNumber(Slot slot) {
    return kernel.signature().slots().indexOf(slot);
  }

  /**
   * Emits the body of one parallel loop as a function of its own, never inlined and visible to the
   * library alone.
   *
   * @return how {@code outer} calls it
   */
  TaskCalls task(Frame outer, Consumer<Frame> body) {
    String name = kernel.symbol() + "_loop" + loops++;
    LLVMValueRef function = taskFunction(tasks, name);
    AliasScopes scopes = tasks == module ? outer.scopes : scopes(tasks);
    try (Frame task = outer.task(tasks, scopes, function)) {
      body.accept(task);
      LLVMValueRef callee = tasks == module ? function : taskFunction(module, name);
      return new TaskCalls(outer, callee, outer.contextOf(task));
    }
  }

  private static LLVMValueRef taskFunction(ModuleContext in, String name) {
    LLVMValueRef function = in.function(name, in.nothing, true, in.pointer, in.i64, in.i64);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    in.enumAttribute(function, 1, "noalias");
    in.enumAttribute(function, LLVMAttributeFunctionIndex, "noinline");
    return function;
  }

  /** Every buffer of the kernel with memory of its own: those in slots and all workspaces. */
  private List<Buffer> buffers(List<Stmt.View> views) {
    List<Buffer> buffers = new ArrayList<>();
    kernel.buffers().forEach(b -> buffers.add(b.buffer()));
    collect(kernel.body(), buffers, views);
    return buffers;
  }

  private static void collect(Stmt stmt, List<Buffer> into, List<Stmt.View> views) {
    stmt.children().forEach(each -> collect(each, into, views));
    if (stmt instanceof Stmt.AllocateWorkspace s) {
      into.add(s.buffer());
    } else if (stmt instanceof Stmt.View s) {
      views.add(s);
    }
  }
}
