package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMBasicBlockRef;
import org.bytedeco.llvm.LLVM.LLVMBuilderRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;

/** Appends instructions to a block: LLVM's builder with the few idioms that kernels use. */
final class IrBuilder implements AutoCloseable {
  private final ModuleContext module;
  private final LLVMValueRef function;
  final LLVMBuilderRef raw;

  IrBuilder(ModuleContext module, LLVMValueRef function) {
    this.module = module;
    this.function = function;
    this.raw = LLVMCreateBuilderInContext(module.context);
  }

  LLVMBasicBlockRef block(String name) {
    return LLVMAppendBasicBlockInContext(module.context, function, name);
  }

  LLVMBasicBlockRef current() {
    return LLVMGetInsertBlock(raw);
  }

  void at(LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(raw, block);
  }

  void jump(LLVMBasicBlockRef to) {
    LLVMBuildBr(raw, to);
  }

  /** Branches, and returns the branch so that metadata can be attached. */
  LLVMValueRef branch(LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    return LLVMBuildCondBr(raw, condition, yes, no);
  }

  /** Branches to {@code rare} with a weight that moves it out of the hot path. */
  void branchRarely(LLVMValueRef condition, LLVMBasicBlockRef rare, LLVMBasicBlockRef usual) {
    LLVMValueRef branch = branch(condition, rare, usual);
    module.attach(
        branch,
        "prof",
        module.node(
            module.text("branch_weights"),
            module.number(module.i32, 1),
            module.number(module.i32, 2000)));
  }

  /** {@code base + position} elements. */
  LLVMValueRef element(LLVMTypeRef type, LLVMValueRef base, LLVMValueRef position) {
    return LLVMBuildInBoundsGEP2(
        raw, type, base, new PointerPointer<>(new LLVMValueRef[] {position}), 1, "");
  }

  /** {@code base + 8 * slot} bytes. */
  LLVMValueRef slot(LLVMValueRef base, int slot) {
    return element(module.i64, base, module.constant(slot));
  }

  LLVMValueRef load(LLVMTypeRef type, LLVMValueRef address, String name) {
    return LLVMBuildLoad2(raw, type, address, name);
  }

  LLVMValueRef store(LLVMValueRef value, LLVMValueRef address) {
    return LLVMBuildStore(raw, value, address);
  }

  LLVMValueRef compare(int predicate, LLVMValueRef left, LLVMValueRef right) {
    return LLVMBuildICmp(raw, predicate, left, right, "");
  }

  LLVMValueRef isNull(LLVMValueRef pointer) {
    return LLVMBuildIsNull(raw, pointer, "");
  }

  LLVMValueRef call(LLVMTypeRef type, LLVMValueRef callee, LLVMValueRef... arguments) {
    return LLVMBuildCall2(raw, type, callee, new PointerPointer<>(arguments), arguments.length, "");
  }

  /** Calls an intrinsic overloaded on one type. */
  LLVMValueRef intrinsic(String name, LLVMTypeRef overload, LLVMValueRef... arguments) {
    return intrinsic(name, new LLVMTypeRef[] {overload}, arguments);
  }

  private LLVMValueRef intrinsic(String name, LLVMTypeRef[] types, LLVMValueRef... arguments) {
    int id = LLVMLookupIntrinsicID(name, name.length());
    PointerPointer<LLVMTypeRef> overloads = new PointerPointer<>(types);
    LLVMValueRef declaration =
        LLVMGetIntrinsicDeclaration(module.module, id, overloads, types.length);
    LLVMTypeRef type = LLVMIntrinsicGetType(module.context, id, overloads, types.length);
    return call(type, declaration, arguments);
  }

  /** Loads the first {@code active} lanes of a vector; the others are 0. */
  LLVMValueRef maskedLoad(LLVMTypeRef type, LLVMValueRef address, int alignment, int active) {
    LLVMTypeRef[] types = {type, module.pointer};
    LLVMValueRef align = LLVMConstInt(module.i32, alignment, 0);
    LLVMValueRef mask = mask(LLVMGetVectorSize(type), active);
    return intrinsic("llvm.masked.load", types, address, align, mask, LLVMConstNull(type));
  }

  /** Stores the first {@code active} lanes of a vector. */
  LLVMValueRef maskedStore(LLVMValueRef value, LLVMValueRef address, int alignment, int active) {
    LLVMTypeRef[] types = {LLVMTypeOf(value), module.pointer};
    LLVMValueRef align = LLVMConstInt(module.i32, alignment, 0);
    LLVMValueRef mask = mask(LLVMGetVectorSize(types[0]), active);
    return intrinsic("llvm.masked.store", types, value, address, align, mask);
  }

  private LLVMValueRef mask(int lanes, int active) {
    LLVMValueRef[] bits = new LLVMValueRef[lanes];
    for (int lane = 0; lane < lanes; lane++) {
      bits[lane] = LLVMConstInt(module.i1, lane < active ? 1 : 0, 0);
    }
    return LLVMConstVector(new PointerPointer<>(bits), lanes);
  }

  /** A float as an integer: truncated, the nearest where it does not fit, 0 for NaN. */
  LLVMValueRef toInteger(LLVMValueRef value, LLVMTypeRef type) {
    LLVMTypeRef[] types = {type, LLVMTypeOf(value)};
    return intrinsic("llvm.fptosi.sat", types, value);
  }

  /** Calls {@code llvm.coro.NAME}. */
  LLVMValueRef coro(String name, LLVMValueRef... arguments) {
    return plain("llvm.coro." + name, arguments);
  }

  /** Calls an intrinsic of one type. */
  LLVMValueRef plain(String name, LLVMValueRef... arguments) {
    int id = LLVMLookupIntrinsicID(name, name.length());
    PointerPointer<LLVMTypeRef> none = new PointerPointer<>(0);
    LLVMValueRef declaration = LLVMGetIntrinsicDeclaration(module.module, id, none, 0);
    return call(LLVMIntrinsicGetType(module.context, id, none, 0), declaration, arguments);
  }

  /** Copies a scalar to every lane. */
  LLVMValueRef splat(LLVMValueRef scalar, int lanes) {
    LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef poison = LLVMGetPoison(vector);
    LLVMValueRef first =
        LLVMBuildInsertElement(raw, poison, scalar, LLVMConstInt(module.i32, 0, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(module.i32, lanes));
    return LLVMBuildShuffleVector(raw, first, poison, mask, "");
  }

  @Override
  public void close() {
    LLVMDisposeBuilder(raw);
  }
}
