package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMBuilderRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/**
 * Choices between floats that are hard to predict, as choices between their bits.
 *
 * <p>Without AVX-512, x86 moves integers on a condition but no floats: LLVM makes a branch of a
 * choice between floats, unless floats of the same width are compared for it. The last pass,
 * because LLVM's others turn a choice between bits into one between floats again.
 */
final class UnpredictableSelects {
  /** The metadata that marks them; LLVM does not make branches of integer ones that have it. */
  static final String KIND = "unpredictable";

  private UnpredictableSelects() {}

  static void rewrite(ModuleContext module) {
    if (module.target.movesFloats() || !module.hasMarked(KIND)) {
      return;
    }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(module.context);
    try {
      for (LLVMValueRef f = LLVMGetFirstFunction(module.module);
          is(f);
          f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
            b != null && !b.isNull();
            b = LLVMGetNextBasicBlock(b)) {
          LLVMValueRef next;
          for (LLVMValueRef i = LLVMGetFirstInstruction(b); is(i); i = next) {
            next = LLVMGetNextInstruction(i);
            rewrite(i, module, builder);
          }
        }
      }
    } finally {
      LLVMDisposeBuilder(builder);
    }
  }

  private static void rewrite(LLVMValueRef select, ModuleContext module, LLVMBuilderRef builder) {
    if (LLVMGetInstructionOpcode(select) != LLVMSelect || !module.isMarked(select, KIND)) {
      return;
    }
    LLVMTypeRef type = LLVMTypeOf(select);
    LLVMTypeRef bits =
        type.equals(module.f64) ? module.i64 : type.equals(module.f32) ? module.i32 : null;
    if (bits == null) {
      return;
    }
    LLVMPositionBuilderBefore(builder, select);
    LLVMValueRef yes = LLVMBuildBitCast(builder, LLVMGetOperand(select, 1), bits, "");
    LLVMValueRef no = LLVMBuildBitCast(builder, LLVMGetOperand(select, 2), bits, "");
    LLVMValueRef chosen = LLVMBuildSelect(builder, LLVMGetOperand(select, 0), yes, no, "");
    module.attach(chosen, KIND, module.node());
    LLVMReplaceAllUsesWith(select, LLVMBuildBitCast(builder, chosen, type, ""));
    LLVMInstructionEraseFromParent(select);
  }

  private static boolean is(LLVMValueRef value) {
    return value != null && !value.isNull();
  }
}
