package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/**
 * Where a function goes when something fails: it sets the STATUS slots, unless an earlier failure
 * has, and leaves through the frame's exit. A function has one path for all that may fail in it,
 * because every way out merges the addresses of all arrays that are released there.
 */
final class FailurePath {
  private static final int STATUS_SLOT = 1;
  private static final int DETAIL_SLOT = 2;

  private final LLVMBasicBlockRef block;
  private final LLVMValueRef status;
  private final LLVMValueRef detail;

  FailurePath(Frame frame) {
    ModuleContext module = frame.module;
    IrBuilder code = frame.code;
    LLVMBasicBlockRef here = code.current();
    block = code.block("fail");
    code.at(block);
    status = LLVMBuildPhi(code.raw, module.i64, "status");
    detail = LLVMBuildPhi(code.raw, module.i64, "detail");
    LLVMValueRef exchange =
        LLVMBuildAtomicCmpXchg(
            code.raw,
            code.slot(frame.argumentBlock(), STATUS_SLOT),
            module.constant(0),
            status,
            LLVMAtomicOrderingMonotonic,
            LLVMAtomicOrderingMonotonic,
            0);
    LLVMBasicBlockRef first = code.block("first");
    code.branch(LLVMBuildExtractValue(code.raw, exchange, 1, ""), first, frame.exit);
    code.at(first);
    LLVMValueRef detailSlot = code.slot(frame.argumentBlock(), DETAIL_SLOT);
    frame.scopes.markArgument(code.store(detail, detailSlot));
    code.jump(frame.exit);
    code.at(here);
  }

  /** Takes the path where {@code condition} holds, which is rare. */
  void when(IrBuilder code, LLVMValueRef condition, LLVMValueRef failure, LLVMValueRef about) {
    LLVMBasicBlockRef after = code.block("ok");
    LLVMBasicBlockRef from = code.current();
    code.branchRarely(condition, block, after);
    LLVMAddIncoming(status, failure, from, 1);
    LLVMAddIncoming(detail, about, from, 1);
    code.at(after);
  }
}
