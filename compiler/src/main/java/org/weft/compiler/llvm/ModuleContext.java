package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.llvm.LLVM.LLVMContextRef;
import org.bytedeco.llvm.LLVM.LLVMDiagnosticHandler;
import org.bytedeco.llvm.LLVM.LLVMDiagnosticInfoRef;
import org.bytedeco.llvm.LLVM.LLVMMemoryBufferRef;
import org.bytedeco.llvm.LLVM.LLVMMetadataRef;
import org.bytedeco.llvm.LLVM.LLVMModuleRef;
import org.bytedeco.llvm.LLVM.LLVMTargetDataRef;
import org.bytedeco.llvm.LLVM.LLVMTargetMachineRef;
import org.bytedeco.llvm.LLVM.LLVMTargetRef;
import org.bytedeco.llvm.LLVM.LLVMTypeRef;
import org.bytedeco.llvm.LLVM.LLVMValueRef;
import org.weft.compiler.loop.ScalarType;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;

/**
 * One LLVM context and module with the types, attributes and metadata that kernels use. Confined to
 * a thread; {@link #close} frees every LLVM object made under it.
 */
final class ModuleContext implements AutoCloseable {
  final Target target;
  final Effort effort;
  final LLVMContextRef context;
  final LLVMModuleRef module;
  final LLVMTargetMachineRef machine;
  final LLVMTypeRef i1;
  final LLVMTypeRef i8;
  final LLVMTypeRef i16;
  final LLVMTypeRef i32;
  final LLVMTypeRef i64;
  final LLVMTypeRef f32;
  final LLVMTypeRef f64;
  final LLVMTypeRef pointer;
  final LLVMTypeRef nothing;

  private final PointerScope scope;
  private final Diagnostics diagnostics;
  private final Map<String, Integer> metadataKinds = new HashMap<>();

  ModuleContext(Target target, String name) {
    this(target, name, Effort.FULL);
  }

  ModuleContext(Target target, String name, Effort effort) {
    LlvmNative.load();
    this.target = target;
    this.effort = effort;
    scope = new PointerScope();
    context = LLVMContextCreate();
    diagnostics = Diagnostics.of(context);
    module = LLVMModuleCreateWithNameInContext(name, context);
    machine = machine(target, effort);
    LLVMSetTarget(module, Target.TRIPLE);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    i1 = LLVMInt1TypeInContext(context);
    i8 = LLVMInt8TypeInContext(context);
    i16 = LLVMInt16TypeInContext(context);
    i32 = LLVMInt32TypeInContext(context);
    i64 = LLVMInt64TypeInContext(context);
    f32 = LLVMFloatTypeInContext(context);
    f64 = LLVMDoubleTypeInContext(context);
    pointer = LLVMPointerTypeInContext(context, 0);
    nothing = LLVMVoidTypeInContext(context);
  }

  private static LLVMTargetMachineRef machine(Target target, Effort effort) {
    BytePointer message = new BytePointer((Pointer) null);
    PointerPointer<LLVMTargetRef> out = new PointerPointer<>(1);
    if (LLVMGetTargetFromTriple(Target.TRIPLE, out, message) != 0) {
      throw failure("LLVM has no target", LlvmNative.takeMessage(message));
    }
    return LLVMCreateTargetMachine(
        out.get(LLVMTargetRef.class),
        Target.TRIPLE,
        target.cpu(),
        Target.FEATURES,
        effort.codeLevel(target),
        LLVMRelocPIC,
        LLVMCodeModelDefault);
  }

  LLVMTypeRef type(ScalarType type) {
    return switch (type) {
      case BOOL -> i1;
      case I64 -> i64;
      case F64 -> f64;
      case F32 -> f32;
      case I32 -> i32;
    };
  }

  /** The type of an element in memory. */
  LLVMTypeRef type(ElementType element) {
    return switch (element) {
      case U8 -> i8;
      case U16 -> i16;
      case U32, I32 -> i32;
      case I64 -> i64;
      case F32 -> f32;
      case F64 -> f64;
    };
  }

  /** {@code type} itself for one lane, a vector of it for more. */
  static LLVMTypeRef lanes(LLVMTypeRef type, int lanes) {
    return lanes == 1 ? type : LLVMVectorType(type, lanes);
  }

  LLVMValueRef constant(long value) {
    return LLVMConstInt(i64, value, 1);
  }

  /**
   * Adds the functions and constants of LLVM IR in text form.
   *
   * @throws WeftException COMPILER_FAILURE with the words of LLVM's parser
   */
  void add(String text) {
    try (PointerScope local = new PointerScope()) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      LLVMMemoryBufferRef buffer =
          LLVMCreateMemoryBufferWithMemoryRangeCopy(
              new BytePointer(bytes), bytes.length, new BytePointer("text"));
      PointerPointer<LLVMModuleRef> out = new PointerPointer<>(1);
      BytePointer message = new BytePointer((Pointer) null);
      if (LLVMParseIRInContext(context, buffer, out, message) != 0) {
        throw failure("LLVM's parser rejects the text", LlvmNative.takeMessage(message));
      }
      if (LLVMLinkModules2(module, out.get(LLVMModuleRef.class)) != 0) {
        throw failure("LLVM cannot add the text to the module", diagnostics.errors.toString());
      }
    }
  }

  /** A function of this module that targets the CPU, cannot unwind, and makes progress. */
  LLVMValueRef function(
      String name, LLVMTypeRef result, boolean exported, LLVMTypeRef... parameters) {
    LLVMValueRef function = LLVMAddFunction(module, name, functionType(result, parameters));
    LLVMSetLinkage(function, exported ? LLVMExternalLinkage : LLVMInternalLinkage);
    enumAttribute(function, LLVMAttributeFunctionIndex, "nounwind");
    enumAttribute(function, LLVMAttributeFunctionIndex, "mustprogress");
    textAttribute(function, "target-cpu", target.cpu());
    textAttribute(function, "prefer-vector-width", Integer.toString(target.vectorBits()));
    textAttribute(function, "target-features", Target.FEATURES);
    return function;
  }

  static LLVMTypeRef functionType(LLVMTypeRef result, LLVMTypeRef... parameters) {
    return LLVMFunctionType(result, new PointerPointer<>(parameters), parameters.length, 0);
  }

  void enumAttribute(LLVMValueRef function, int index, String name) {
    int kind = LLVMGetEnumAttributeKindForName(name, name.length());
    LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(context, kind, 0));
  }

  private void textAttribute(LLVMValueRef function, String name, String value) {
    LLVMAddAttributeAtIndex(
        function,
        LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, name, name.length(), value, value.length()));
  }

  LLVMMetadataRef node(LLVMMetadataRef... operands) {
    return LLVMMDNodeInContext2(context, new PointerPointer<>(operands), operands.length);
  }

  LLVMMetadataRef text(String text) {
    return LLVMMDStringInContext2(context, text, text.length());
  }

  LLVMMetadataRef number(LLVMTypeRef type, long value) {
    return LLVMValueAsMetadata(LLVMConstInt(type, value, 0));
  }

  /** A node whose first operand is itself: the identity of an alias scope or a loop. */
  LLVMMetadataRef selfNode(LLVMMetadataRef... rest) {
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, new PointerPointer<>(0), 0);
    LLVMMetadataRef[] operands = new LLVMMetadataRef[rest.length + 1];
    operands[0] = self;
    System.arraycopy(rest, 0, operands, 1, rest.length);
    LLVMMetadataRef node = node(operands);
    LLVMMetadataReplaceAllUsesWith(self, node);
    return node;
  }

  void attach(LLVMValueRef instruction, String kind, LLVMMetadataRef metadata) {
    LLVMSetMetadata(instruction, kindId(kind), LLVMMetadataAsValue(context, metadata));
  }

  /** Whether metadata of {@code kind} was attached to any instruction. */
  boolean hasMarked(String kind) {
    return metadataKinds.containsKey(kind);
  }

  /** Whether metadata of {@code kind} is attached to the instruction. */
  boolean isMarked(LLVMValueRef instruction, String kind) {
    LLVMValueRef metadata = LLVMGetMetadata(instruction, kindId(kind));
    return metadata != null && !metadata.isNull();
  }

  private int kindId(String kind) {
    return metadataKinds.computeIfAbsent(
        kind, k -> LLVMGetMDKindIDInContext(context, k, k.length()));
  }

  /**
   * Checks the module with LLVM's verifier.
   *
   * @throws WeftException COMPILER_FAILURE with the verifier's words
   */
  void verify() {
    BytePointer message = new BytePointer((Pointer) null);
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, message) != 0) {
      throw failure("LLVM's verifier rejects the module", LlvmNative.takeMessage(message));
    }
    LLVMDisposeMessage(message);
  }

  /** Throws when LLVM reported an error since the module was made. */
  void checkDiagnostics(String stage) {
    if (diagnostics.errors.length() > 0) {
      throw failure(stage + " reported an error", diagnostics.errors.toString());
    }
  }

  static WeftException failure(String what, String detail) {
    return new WeftException(
        ErrorCode.COMPILER_FAILURE,
        what + ": " + detail.strip() + "; this is a bug in code generation, report the kernel");
  }

  /** LLVM IR text of the module as it stands. */
  String print() {
    return LlvmNative.takeMessage(LLVMPrintModuleToString(module));
  }

  @Override
  public void close() {
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    diagnostics.close();
    scope.close();
  }

  /** Errors of one context, which LLVM would otherwise print before ending the process. */
  private static final class Diagnostics extends Pointer {
    private static final long serialVersionUID = 1L;
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final Map<Long, StringBuilder> OPEN = new ConcurrentHashMap<>();
    private static final Handler HANDLER = new Handler();

    static {
      HANDLER.retainReference(); // of no scope that may be open now
    }

    private final StringBuilder errors = new StringBuilder();

    private Diagnostics() {
      address = NUMBERS.incrementAndGet(); // LLVM hands it back and reads nothing there
      OPEN.put(address, errors);
    }

    static Diagnostics of(LLVMContextRef context) {
      Diagnostics diagnostics = new Diagnostics();
      LLVMContextSetDiagnosticHandler(context, HANDLER, diagnostics);
      return diagnostics;
    }

    @Override
    public void close() {
      OPEN.remove(address);
    }
  }

  /**
   * Gets what LLVM reports in all contexts. JavaCPP has ten places for callbacks, which threads
   * that make and free them at the same time would share.
   */
  private static final class Handler extends LLVMDiagnosticHandler {
    private static final long serialVersionUID = 1L;

    @Override
    public void call(LLVMDiagnosticInfoRef info, Pointer diagnostics) {
      if (LLVMGetDiagInfoSeverity(info) == LLVMDSError) {
        String text = LlvmNative.takeMessage(LLVMGetDiagInfoDescription(info));
        StringBuilder errors = Diagnostics.OPEN.get(diagnostics.address());
        if (errors != null) {
          errors.append(text).append('\n');
        }
      }
    }
  }
}
