package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/**
 * Calls of the functions in {@code struct weft_runtime}; {@code weft_runtime.h} says what each
 * does.
 */
final class RuntimeTable {
  private static final int ALLOC = 0;
  private static final int GROW = 1;
  private static final int RELEASE = 2;
  private static final int THREADS = 4;
  private static final int TASKS = 6;
  private static final int ENTER = 7;
  private static final int CLOSE = 8;
  private static final int FRAME = 11;
  private static final int SPAWN = 12;
  private static final int FINISH = 13;
  private static final int HUNGRY = 14;
  private static final int SORT_PAIRS_I64 = 16;

  private static final int GATHER = 18;
  private static final int TAKE = 19;
  private static final int PLACE = 20;
  private static final int GATHERED = 21;
  private static final int SORT_MARKED = 22;
  private static final int RANK = 23;

  private final ModuleContext module;
  private final IrBuilder code;
  private final LLVMValueRef table;

  RuntimeTable(ModuleContext module, IrBuilder code, LLVMValueRef table) {
    this.module = module;
    this.code = code;
    this.table = table;
  }

  LLVMValueRef alloc(LLVMValueRef bytes) {
    return call(ALLOC, module.pointer, bytes);
  }

  LLVMValueRef grow(LLVMValueRef block, LLVMValueRef oldBytes, LLVMValueRef newBytes) {
    return call(GROW, module.pointer, block, oldBytes, newBytes);
  }

  void release(LLVMValueRef block, LLVMValueRef bytes) {
    call(RELEASE, module.nothing, block, bytes);
  }

  /** Number of threads that the call may use. */
  LLVMValueRef threads() {
    return word(THREADS, module.i64);
  }

  void sortMarked(
      LLVMValueRef positions, LLVMValueRef count, LLVMValueRef marks, LLVMValueRef length) {
    call(SORT_MARKED, module.nothing, positions, count, marks, length);
  }

  /** 1 if no two keys are equal, else 0. */
  LLVMValueRef rank(LLVMValueRef keys, LLVMValueRef count, LLVMValueRef ranks) {
    return call(RANK, module.i64, keys, count, ranks);
  }

  /** 1, or 0 when there was no memory. */
  LLVMValueRef sortPairs(LLVMValueRef keys, LLVMValueRef values, LLVMValueRef count) {
    return call(SORT_PAIRS_I64, module.i64, keys, values, count);
  }

  LLVMValueRef tasks(LLVMValueRef work) {
    return call(TASKS, module.i64, table, work);
  }

  LLVMValueRef enter(LLVMValueRef group) {
    return call(ENTER, module.i64, table, group);
  }

  void close(LLVMValueRef group) {
    call(CLOSE, module.nothing, group);
  }

  LLVMValueRef frame(LLVMValueRef bytes) {
    return call(FRAME, module.pointer, bytes);
  }

  void spawn(LLVMValueRef group, LLVMValueRef task) {
    call(SPAWN, module.nothing, group, task);
  }

  void finish(LLVMValueRef group, LLVMValueRef task, LLVMValueRef bytes) {
    call(FINISH, module.nothing, group, task, bytes);
  }

  LLVMValueRef hungry() {
    return call(HUNGRY, module.i64);
  }

  LLVMValueRef gather(LLVMValueRef wholes, long parts, LLVMValueRef items, LLVMValueRef threads) {
    return call(GATHER, module.pointer, table, wholes, module.constant(parts), items, threads);
  }

  LLVMValueRef take(LLVMValueRef gather, LLVMValueRef range) {
    return call(TAKE, module.i64, gather, range);
  }

  LLVMValueRef place(LLVMValueRef gather, LLVMValueRef range, LLVMValueRef parts) {
    return call(PLACE, module.i64, gather, range, parts);
  }

  void gathered(LLVMValueRef gather, LLVMValueRef wholes) {
    call(GATHERED, module.nothing, gather, wholes);
  }

  private LLVMValueRef call(int slot, LLVMTypeRef result, LLVMValueRef... arguments) {
    LLVMTypeRef[] types = new LLVMTypeRef[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMTypeRef type = ModuleContext.functionType(result, types);
    return code.call(type, word(slot, module.pointer), arguments);
  }

  private LLVMValueRef word(int slot, LLVMTypeRef type) {
    LLVMValueRef load = code.load(type, code.slot(table, slot), "");
    module.attach(load, "invariant.load", module.node());
    return load;
  }
}
