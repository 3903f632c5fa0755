package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.loop.BoundsChecks;
import org.weft.compiler.loop.Buffer;
import org.weft.compiler.loop.BufferBinding;
import org.weft.compiler.loop.LoopFunction;
import org.weft.runtime.BoundsViolation;
import org.weft.runtime.KernelSignature;
import org.weft.runtime.Slot;

/**
 * Guards of a checked kernel ({@code loop.BoundsChecks}): before every access, a branch that ends
 * the kernel with status BOUNDS when the position is not below the array's length; after a
 * coordinate is read, one for a coordinate that is not below its level's size. A kernel without
 * checks has none of this.
 */
final class BoundsGuards {
  /** Where the length of an array is, and what it is called in a report. */
  private record Site(int tensor, BoundsViolation.Array array, int level, int length, int size) {}

  private final boolean checked;
  private final Map<String, Site> sites = new HashMap<>();

  private BoundsGuards(boolean checked) {
    this.checked = checked;
  }

  static BoundsGuards of(LoopFunction kernel) {
    BoundsGuards guards = new BoundsGuards(BoundsChecks.isChecked(kernel));
    KernelSignature signature = kernel.signature();
    for (BufferBinding binding : kernel.buffers()) {
      Slot slot = signature.slots().get(binding.slot());
      Slot length = new Slot(BoundsChecks.lengthOf(slot.kind()), slot.tensor(), slot.level());
      Slot size = new Slot(Slot.Kind.LEVEL_SIZE, slot.tensor(), slot.level());
      int levels = signature.tensors().get(slot.tensor()).format().levelCount();
      guards.sites.put(
          binding.buffer().name(),
          new Site(
              slot.tensor(),
              array(slot.kind()),
              slot.kind() == Slot.Kind.VALS ? Math.max(0, levels - 1) : slot.level(),
              signature.slots().indexOf(length),
              slot.kind() == Slot.Kind.CRD ? signature.slots().indexOf(size) : -1));
    }
    return guards;
  }

  private static BoundsViolation.Array array(Slot.Kind kind) {
    return switch (kind) {
      case POS -> BoundsViolation.Array.POS;
      case CRD -> BoundsViolation.Array.CRD;
      default -> BoundsViolation.Array.VALS;
    };
  }

  /** Whether the kernel is checked. */
  boolean checked() {
    return checked;
  }

  /** The slot with the length of a buffer that the caller passes; -1 for others. */
  int lengthSlot(Buffer buffer) {
    Site site = sites.get(buffer.name());
    return site == null ? -1 : site.length();
  }

  /** Guards an access to the element at {@code position}. */
  void access(Frame frame, Buffer buffer, LLVMValueRef position) {
    if (checked) {
      LLVMValueRef outside = frame.code.compare(LLVMIntUGE, position, frame.length(buffer));
      fail(frame, outside, sites.get(buffer.name()), position);
    }
  }

  /** Guards an access to all elements in {@code [from, to)}. */
  void range(Frame frame, Buffer buffer, LLVMValueRef from, LLVMValueRef to) {
    if (checked) {
      Site site = sites.get(buffer.name());
      fail(frame, frame.code.compare(LLVMIntUGT, from, frame.length(buffer)), site, from);
      LLVMValueRef last = frame.code.intrinsic("llvm.smax", frame.module.i64, from, to);
      fail(frame, frame.code.compare(LLVMIntUGT, last, frame.length(buffer)), site, last);
    }
  }

  /** Guards a coordinate that was read at {@code position}. */
  void coordinate(Frame frame, Buffer buffer, LLVMValueRef position, LLVMValueRef value) {
    Site site = sites.get(buffer.name());
    if (checked && site != null && site.size() >= 0) {
      LLVMValueRef past = frame.code.compare(LLVMIntUGE, value, frame.argument(site.size()));
      Site coordinate =
          new Site(site.tensor(), BoundsViolation.Array.COORDINATE, site.level(), -1, -1);
      fail(frame, past, coordinate, position);
    }
  }

  private static void fail(
      Frame frame, LLVMValueRef condition, @Nullable Site site, LLVMValueRef position) {
    long where =
        site == null
            ? BoundsViolation.site(BoundsViolation.WORKSPACE, BoundsViolation.Array.VALS, 0)
            : BoundsViolation.site(site.tensor(), site.array(), site.level());
    LLVMValueRef largest = frame.module.constant(BoundsViolation.LARGEST_POSITION);
    LLVMValueRef reported = frame.code.intrinsic("llvm.umin", frame.module.i64, position, largest);
    LLVMValueRef detail = LLVMBuildOr(frame.code.raw, frame.module.constant(where), reported, "");
    new RuntimeCalls(frame).failIf(condition, RuntimeCalls.BOUNDS, detail);
  }
}
