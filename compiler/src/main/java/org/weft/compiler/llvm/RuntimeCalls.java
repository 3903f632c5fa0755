package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.Buffer;

/**
 * Memory and failure: calls through {@code struct weft_runtime} (see {@code weft_runtime.h}) and
 * the STATUS slots. Whatever fails branches to the frame's exit, which releases what the kernel
 * allocated; the caller frees nothing after a failure.
 */
final class RuntimeCalls {
  private static final int STATUS_SLOT = 1;
  static final int OUT_OF_MEMORY = 1;
  static final int WIDTH_OVERFLOW = 2;
  static final int BOUNDS = 3;
  static final int MISFIT = 4;

  /** The runtime refuses this size, which is asked for in the place of larger ones. */
  private static final long REFUSED_BYTES = 1L << 47;

  /** A growable array's first allocation. */
  private static final long FIRST_BYTES = 4096;

  private final Frame frame;
  private final ModuleContext module;
  private final IrBuilder code;

  RuntimeCalls(Frame frame) {
    this.frame = frame;
    this.module = frame.module;
    this.code = frame.code;
  }

  /** The functions of the runtime. */
  RuntimeTable table() {
    return new RuntimeTable(module, code, frame.runtime());
  }

  void sortPairs(LLVMValueRef keys, LLVMValueRef values, LLVMValueRef count) {
    LLVMValueRef sorted = table().sortPairs(keys, values, count);
    failIf(code.compare(LLVMIntEQ, sorted, module.constant(0)), OUT_OF_MEMORY, 0);
  }

  /** Allocates a zeroed workspace, releasing the one of an earlier round. */
  void allocate(BufferCell cell, LLVMValueRef length) {
    release(cell);
    LLVMValueRef bytes = bytes(cell.buffer, length);
    LLVMValueRef near = cell.near();
    if (near == null) {
      obtain(cell, bytes);
    } else {
      LLVMBasicBlockRef few = code.block("few");
      LLVMBasicBlockRef many = code.block("many");
      LLVMBasicBlockRef after = code.block("allocated");
      LLVMValueRef room = module.constant(cell.nearBytes());
      code.branch(code.compare(LLVMIntULE, bytes, room), few, many);
      code.at(few);
      cell.set(code, near, bytes);
      code.jump(after);
      code.at(many);
      obtain(cell, bytes);
      code.jump(after);
      code.at(after);
    }
    fillZero(cell.buffer, cell.base(code), bytes);
  }

  private void obtain(BufferCell cell, LLVMValueRef bytes) {
    LLVMValueRef least = code.intrinsic("llvm.smax", module.i64, bytes, module.constant(8));
    LLVMValueRef address = table().alloc(least);
    failIf(code.isNull(address), OUT_OF_MEMORY, 0);
    cell.set(code, address, least);
  }

  /** Releases what {@code cell} holds, if anything. */
  void release(BufferCell cell) {
    LLVMValueRef near = cell.near();
    if (near == null) {
      hand(cell, cell.base(code));
      return;
    }
    LLVMValueRef address = cell.base(code);
    LLVMBasicBlockRef held = code.block("held");
    LLVMBasicBlockRef after = code.block("released");
    code.branch(code.compare(LLVMIntEQ, address, near), after, held);
    code.at(held);
    hand(cell, address);
    code.jump(after);
    code.at(after);
  }

  /** Gives a block back to the runtime, which ignores null. */
  private void hand(BufferCell cell, LLVMValueRef address) {
    table().release(address, cell.bytes(code));
    cell.set(code, LLVMConstNull(module.pointer), module.constant(0));
  }

  /** Makes room for {@code needed} elements: at least double, so that appends cost O(1) each. */
  void grow(BufferCell cell, LLVMValueRef needed) {
    LLVMBasicBlockRef full = code.block("grow");
    LLVMBasicBlockRef after = code.block("room");
    LLVMValueRef held = cell.bytes(code);
    long width = cell.buffer.element().bytes();
    LLVMValueRef capacity = LLVMBuildUDiv(code.raw, held, module.constant(width), "");
    code.branchRarely(code.compare(LLVMIntSGT, needed, capacity), full, after);
    code.at(full);
    LLVMValueRef least = bytes(cell.buffer, needed);
    LLVMValueRef doubled = LLVMBuildShl(code.raw, held, module.constant(1), "");
    LLVMValueRef wanted = code.intrinsic("llvm.smax", module.i64, least, doubled);
    wanted = code.intrinsic("llvm.smax", module.i64, wanted, module.constant(FIRST_BYTES));
    LLVMValueRef address = table().grow(cell.base(code), held, wanted);
    failIf(code.isNull(address), OUT_OF_MEMORY, 0);
    cell.set(code, address, wanted);
    code.jump(after);
    code.at(after);
  }

  /** Zeroes {@code [from, to)} of a buffer; nothing when the range is empty. */
  void clear(Buffer buffer, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef start = code.element(module.type(buffer.element()), frame.base(buffer), from);
    LLVMValueRef count = LLVMBuildNSWSub(code.raw, to, from, "");
    count = code.intrinsic("llvm.smax", module.i64, count, module.constant(0));
    LLVMValueRef width = module.constant(buffer.element().bytes());
    fillZero(buffer, start, LLVMBuildNSWMul(code.raw, count, width, ""));
  }

  /** Zeroes {@code bytes} from an address inside {@code buffer}. */
  void fillZero(Buffer buffer, LLVMValueRef address, LLVMValueRef bytes) {
    int alignment = buffer.element().bytes();
    LLVMValueRef fill =
        LLVMBuildMemSet(code.raw, address, LLVMConstNull(module.i8), bytes, alignment);
    frame.scopes.mark(fill, buffer, false);
  }

  /** Sets STATUS and leaves the function when {@code condition} holds; the first failure wins. */
  void failIf(LLVMValueRef condition, int status, long detail) {
    failIf(condition, status, module.constant(detail));
  }

  /** As above, with a detail that is known at run time only. */
  void failIf(LLVMValueRef condition, int status, LLVMValueRef detail) {
    frame.failure().when(code, condition, module.constant(status), detail);
  }

  /** Writes a number or an address to a slot of the argument block. */
  void setSlot(int slot, LLVMValueRef value) {
    frame.scopes.markArgument(code.store(value, code.slot(frame.argumentBlock(), slot)));
  }

  /** Whether a failure was recorded, in this function or a task. */
  LLVMValueRef failed() {
    LLVMValueRef slot = code.slot(frame.argumentBlock(), STATUS_SLOT);
    LLVMValueRef status = frame.scopes.markArgument(code.load(module.i64, slot, "status"));
    return code.compare(LLVMIntNE, status, module.constant(0));
  }

  /** {@code length} in bytes, or more than the runtime has for anyone. */
  private LLVMValueRef bytes(Buffer buffer, LLVMValueRef length) {
    long width = buffer.element().bytes();
    LLVMValueRef most = module.constant(REFUSED_BYTES / width);
    LLVMValueRef some = code.intrinsic("llvm.umin", module.i64, length, most);
    return LLVMBuildNSWMul(code.raw, some, module.constant(width), "");
  }
}
