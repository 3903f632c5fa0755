package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Stmt;

/**
 * Gathers: the loop over pieces becomes an internal {@code fn(context, thread, thread + 1)}, which
 * takes pieces from the runtime's {@code weft_gather} until there are none. The kernel calls it
 * itself when one thread is enough, else it spawns one task for each thread.
 *
 * <pre>
 * while (!failed &amp;&amp; take(gather, range)) {
 *   body(range.from, range.to)
 *   place(gather, range, parts)         // exchanges full blocks for others
 * }
 * </pre>
 */
final class GatherLoops {
  /** Words of {@code weft_part}. */
  private static final int BLOCK = 0;

  private static final int BYTES = 1;
  private static final int WIDTH = 2;
  private static final int LEAD = 3;
  private static final int SHIFT = 4;
  private static final int COUNT = 5;
  private static final int JOINT = 6;
  private static final int PART_WORDS = 7;

  private GatherLoops() {}

  static void emit(KernelEmitter kernel, StatementEmitter outer, Stmt.Gather gather) {
    Frame frame = outer.frame();
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    RuntimeCalls runtime = new RuntimeCalls(frame);
    LLVMValueRef items = outer.position(gather.items());
    LLVMValueRef tasks = runtime.table().tasks(outer.position(gather.work()));
    LLVMValueRef threads =
        code.intrinsic("llvm.smin", module.i64, runtime.table().threads(), tasks);
    LLVMValueRef wholes = words(frame, PART_WORDS * gather.parts().size(), "wholes");
    for (int number = 0; number < gather.parts().size(); number++) {
      Stmt.Part part = gather.parts().get(number);
      describe(frame, wholes, number, part, frame.cell(part.whole()), module.constant(0));
    }
    LLVMValueRef handle = runtime.table().gather(wholes, gather.parts().size(), items, threads);
    runtime.failIf(code.isNull(handle), RuntimeCalls.OUT_OF_MEMORY, 0);

    TaskCalls calls = kernel.task(frame, task -> body(kernel, task, gather, handle));
    LLVMValueRef several = code.compare(LLVMIntSGT, threads, module.constant(1));
    LLVMValueRef zero = module.constant(0);
    calls.run(several, zero, module.constant(1), group -> spawnEach(calls, group, threads));

    runtime.table().gathered(handle, wholes);
    for (int number = 0; number < gather.parts().size(); number++) {
      Stmt.Part part = gather.parts().get(number);
      returned(frame, wholes, number, frame.cell(part.whole()));
      if (part.total() != null) {
        LLVMValueRef count = code.slot(wholes, number * PART_WORDS + COUNT);
        frame.assign(part.total(), code.load(module.i64, count, part.total().name()));
      }
    }
    LLVMBasicBlockRef after = code.block("gathered");
    code.branchRarely(runtime.failed(), frame.exit, after);
    code.at(after);
  }

  private static LLVMValueRef words(Frame frame, int count, String name) {
    return LLVMBuildAlloca(frame.entry.raw, LLVMArrayType2(frame.module.i64, count), name);
  }

  private static void describe(
      Frame frame,
      LLVMValueRef parts,
      int number,
      Stmt.Part part,
      BufferCell cell,
      LLVMValueRef count) {
    IrBuilder code = frame.code;
    ModuleContext module = frame.module;
    int first = number * PART_WORDS;
    code.store(cell.base(code), code.slot(parts, first + BLOCK));
    code.store(cell.bytes(code), code.slot(parts, first + BYTES));
    LLVMValueRef width = module.constant(part.whole().element().bytes());
    code.store(width, code.slot(parts, first + WIDTH));
    code.store(module.constant(part.lead()), code.slot(parts, first + LEAD));
    code.store(module.constant(part.shift()), code.slot(parts, first + SHIFT));
    code.store(count, code.slot(parts, first + COUNT));
    code.store(module.constant(part.joint()), code.slot(parts, first + JOINT));
  }

  /** Puts the block of a part back into its cell. */
  private static void returned(Frame frame, LLVMValueRef parts, int number, BufferCell cell) {
    IrBuilder code = frame.code;
    int first = number * PART_WORDS;
    LLVMValueRef block = code.load(frame.module.pointer, code.slot(parts, first + BLOCK), "");
    LLVMValueRef bytes = code.load(frame.module.i64, code.slot(parts, first + BYTES), "");
    cell.set(code, block, bytes);
  }

  /** One task for each thread. */
  private static void spawnEach(TaskCalls calls, LLVMValueRef group, LLVMValueRef threads) {
    ModuleContext module = calls.frame().module;
    IrBuilder code = calls.frame().code;
    LLVMBasicBlockRef before = code.current();
    LLVMBasicBlockRef spawn = code.block("spawn");
    LLVMBasicBlockRef all = code.block("all");
    code.jump(spawn);
    code.at(spawn);
    LLVMValueRef thread = LLVMBuildPhi(code.raw, module.i64, "thread");
    LLVMValueRef one = module.constant(1);
    LLVMValueRef after = LLVMBuildNSWAdd(code.raw, thread, one, "");
    calls.spawn(group, thread, after, one);
    LLVMValueRef[] values = {module.constant(0), after};
    LLVMBasicBlockRef[] blocks = {before, code.current()};
    LLVMAddIncoming(thread, new PointerPointer<>(values), new PointerPointer<>(blocks), 2);
    code.branch(code.compare(LLVMIntSLT, after, threads), spawn, all);
    code.at(all);
  }

  /** The function that takes pieces until there are none, or a task has failed. */
  private static void body(
      KernelEmitter kernel, Frame task, Stmt.Gather gather, LLVMValueRef handle) {
    ModuleContext module = task.module;
    IrBuilder code = task.code;
    RuntimeCalls runtime = new RuntimeCalls(task);
    StatementEmitter statements = new StatementEmitter(kernel, task);
    LLVMValueRef own = task.capture("<gather>", module.pointer, () -> handle);
    LLVMValueRef range = words(task, 3, "range");
    LLVMValueRef parts = words(task, PART_WORDS * gather.parts().size(), "parts");
    LLVMBasicBlockRef first = code.block("first");
    LLVMBasicBlockRef piece = code.block("piece");
    take(task, own, range, first);
    code.at(first);
    statements.emit(gather.front());
    code.jump(piece);

    code.at(piece);
    task.bind(gather.from(), code.load(module.i64, code.slot(range, 1), gather.from().name()));
    task.bind(gather.to(), code.load(module.i64, code.slot(range, 2), gather.to().name()));
    statements.emit(gather.body());
    for (int number = 0; number < gather.parts().size(); number++) {
      Stmt.Part part = gather.parts().get(number);
      LLVMValueRef count = statements.position(part.count());
      describe(task, parts, number, part, task.cell(part.piece()), count);
    }
    LLVMValueRef placed = runtime.table().place(own, range, parts);
    for (int number = 0; number < gather.parts().size(); number++) {
      returned(task, parts, number, task.cell(gather.parts().get(number).piece()));
    }
    LLVMValueRef refused = code.compare(LLVMIntEQ, placed, module.constant(0));
    runtime.failIf(refused, RuntimeCalls.OUT_OF_MEMORY, 0);
    take(task, own, range, piece);

    TaskCalls.end(task);
  }

  /** Goes to {@code taken} with the next piece, or to the exit. */
  private static void take(
      Frame task, LLVMValueRef gather, LLVMValueRef range, LLVMBasicBlockRef taken) {
    IrBuilder code = task.code;
    RuntimeCalls runtime = new RuntimeCalls(task);
    LLVMBasicBlockRef go = code.block("go");
    code.branchRarely(runtime.failed(), task.exit, go);
    code.at(go);
    LLVMValueRef any = runtime.table().take(gather, range);
    LLVMValueRef some = code.compare(LLVMIntNE, any, task.module.constant(0));
    code.branch(some, taken, task.exit);
  }
}
