package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.Buffer;

/**
 * Where a buffer's address is: a value that never changes (the caller's arrays, the stack), or a
 * pair of stack slots that hold address and size in bytes (arrays that the kernel allocates). The
 * latter may have a place on the stack as well, for when they are short.
 */
final class BufferCell {
  final Buffer buffer;
  private final ModuleContext module;
  private final @Nullable LLVMValueRef fixed;
  private final @Nullable LLVMValueRef address;
  private final @Nullable LLVMValueRef bytes;
  private final @Nullable LLVMValueRef length;
  private final @Nullable LLVMValueRef origin;
  private final @Nullable LLVMValueRef near;
  private final long nearBytes;

  private BufferCell(
      ModuleContext module,
      Buffer buffer,
      @Nullable LLVMValueRef fixed,
      @Nullable LLVMValueRef length,
      @Nullable LLVMValueRef origin) {
    this.module = module;
    this.buffer = buffer;
    this.fixed = fixed;
    this.address = null;
    this.bytes = null;
    this.length = length;
    this.origin = origin;
    this.near = null;
    this.nearBytes = 0;
  }

  private BufferCell(Frame frame, Buffer buffer, int few) {
    module = frame.module;
    this.buffer = buffer;
    fixed = null;
    length = null;
    origin = null;
    address = LLVMBuildAlloca(frame.entry.raw, module.pointer, buffer.name());
    bytes = LLVMBuildAlloca(frame.entry.raw, module.i64, buffer.name() + "_bytes");
    nearBytes = (long) few * buffer.element().bytes();
    if (few > 0) {
      LLVMTypeRef type = LLVMArrayType2(module.type(buffer.element()), few);
      near = LLVMBuildAlloca(frame.entry.raw, type, buffer.name() + "_near");
      LLVMSetAlignment(near, 64);
    } else {
      near = null;
    }
    set(frame.entry, LLVMConstNull(module.pointer), module.constant(0));
  }

  /**
   * A buffer at an address that does not change.
   *
   * @param length its number of elements; null where no guard asks for it
   */
  static BufferCell fixed(
      ModuleContext module, Buffer buffer, LLVMValueRef address, @Nullable LLVMValueRef length) {
    return new BufferCell(module, buffer, address, length, null);
  }

  /**
   * A view.
   *
   * @param address of the array that it shows
   * @param origin what is added to every position
   */
  static BufferCell view(
      ModuleContext module,
      Buffer buffer,
      LLVMValueRef address,
      LLVMValueRef origin,
      @Nullable LLVMValueRef length) {
    return new BufferCell(module, buffer, address, length, origin);
  }

  /** Where element {@code position} is in the array at the address. */
  LLVMValueRef inArray(IrBuilder code, LLVMValueRef position) {
    return origin == null ? position : LLVMBuildNSWAdd(code.raw, position, origin, "");
  }

  /**
   * A buffer that the frame's code allocates: null and 0 bytes at entry.
   *
   * @param few elements for which there is room on the stack
   */
  static BufferCell allocated(Frame frame, Buffer buffer, int few) {
    return new BufferCell(frame, buffer, few);
  }

  /** The room on the stack; null if there is none. */
  @Nullable LLVMValueRef near() {
    return near;
  }

  long nearBytes() {
    return nearBytes;
  }

  boolean isOnStack() {
    return fixed != null && origin == null && LLVMIsAAllocaInst(fixed) != null;
  }

  /** Elements of a buffer on the stack; more than any loop has where that is not known. */
  long stackLength() {
    return length == null || LLVMIsAConstantInt(length) == null
        ? Long.MAX_VALUE
        : LLVMConstIntGetZExtValue(length);
  }

  boolean ownsMemory() {
    return address != null;
  }

  LLVMValueRef base(IrBuilder code) {
    LLVMValueRef slot = address;
    if (slot != null) {
      return code.load(module.pointer, slot, buffer.name());
    }
    if (fixed == null) {
      throw new IllegalStateException("buffer " + buffer.name() + " has no address");
    }
    return fixed;
  }

  /** Number of elements. */
  LLVMValueRef length(IrBuilder code) {
    if (address != null) {
      LLVMValueRef width = module.constant(buffer.element().bytes());
      return LLVMBuildUDiv(code.raw, bytes(code), width, "");
    } else if (length == null) {
      throw new IllegalStateException("the length of buffer " + buffer.name() + " is not known");
    }
    return length;
  }

  LLVMValueRef bytes(IrBuilder code) {
    return code.load(module.i64, slot(bytes), "");
  }

  void set(IrBuilder code, LLVMValueRef newAddress, LLVMValueRef newBytes) {
    code.store(newAddress, slot(address));
    code.store(newBytes, slot(bytes));
  }

  private LLVMValueRef slot(@Nullable LLVMValueRef slot) {
    if (slot == null) {
      throw new IllegalStateException("buffer " + buffer.name() + " is not allocated by kernels");
    }
    return slot;
  }
}
