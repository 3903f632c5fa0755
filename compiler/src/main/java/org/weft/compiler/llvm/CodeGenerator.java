package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.llvm.LLVM.LLVMErrorRef;
import org.bytedeco.llvm.LLVM.LLVMMemoryBufferRef;
import org.bytedeco.llvm.LLVM.LLVMPassBuilderOptionsRef;
import org.weft.compiler.loop.LoopFunction;

/**
 * The back end's pipeline: loop IR, LLVM IR, {@code default<O3>}, object, shared library. Thread
 * safe: every call has its own LLVM context. Kernels of one call share a module and a library,
 * which costs one link.
 */
public final class CodeGenerator {
  /** The LLVM that the compiler is built for; loading another one fails. */
  public static final String LLVM_VERSION = "20.1.7";

  private final Target target;
  private final ObjLongConsumer<Stage> clock;

  /**
   * @param clock told the nanoseconds of each stage of each call
   */
  public CodeGenerator(Target target, ObjLongConsumer<Stage> clock) {
    this.target = target;
    this.clock = clock;
  }

  /**
   * A shared library that exports the kernels' symbols.
   *
   * @throws org.weft.error.WeftException COMPILER_FAILURE with the words of LLVM or the linker
   */
  public byte[] library(List<LoopFunction> kernels) {
    load();
    long start = System.nanoTime();
    try (Linker linker = new Linker()) {
      long starting = System.nanoTime() - start;
      byte[] object;
      try (ModuleContext module = build(kernels)) {
        object = object(module);
      }
      long linking = System.nanoTime();
      byte[] library = linker.link(object);
      clock.accept(Stage.LINK, starting + System.nanoTime() - linking);
      return library;
    }
  }

  /** Optimises the module, and emits its object. */
  byte[] object(ModuleContext module) {
    timed(Stage.OPTIMISE, () -> optimise(module));
    return timed(Stage.EMIT, () -> emit(module, LLVMObjectFile));
  }

  /** LLVM IR text, before or after optimisation. */
  public String llvmIr(List<LoopFunction> kernels, boolean optimised) {
    load();
    try (ModuleContext module = build(kernels)) {
      if (optimised) {
        optimise(module);
      }
      return module.print();
    }
  }

  /** Assembly text (AT&amp;T syntax) of the optimised kernels. */
  public String assembly(List<LoopFunction> kernels) {
    load();
    try (ModuleContext module = build(kernels)) {
      optimise(module);
      return new String(emit(module, LLVMAssemblyFile), StandardCharsets.UTF_8);
    }
  }

  private void load() {
    timed(
        Stage.LOAD,
        () -> {
          LlvmNative.load();
          return true;
        });
  }

  private ModuleContext build(List<LoopFunction> kernels) {
    return timed(
        Stage.BUILD,
        () -> {
          ModuleContext module = new ModuleContext(target, "weft");
          try {
            kernels.forEach(kernel -> KernelEmitter.emit(module, kernel));
            module.verify();
            return module;
          } catch (RuntimeException e) {
            module.close();
            throw e;
          }
        });
  }

  private boolean optimise(ModuleContext module) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    try {
      String pipeline = "default<O" + target.optimisation() + ">";
      LLVMErrorRef error = LLVMRunPasses(module.module, pipeline, module.machine, options);
      if (error != null && !error.isNull()) {
        BytePointer message = LLVMGetErrorMessage(error);
        String text = message.getString();
        LLVMDisposeErrorMessage(message);
        throw ModuleContext.failure("LLVM's optimiser", text);
      }
    } finally {
      LLVMDisposePassBuilderOptions(options);
    }
    module.checkDiagnostics("LLVM's optimiser");
    return true;
  }

  private static byte[] emit(ModuleContext module, int fileType) {
    BytePointer message = new BytePointer((org.bytedeco.javacpp.Pointer) null);
    PointerPointer<LLVMMemoryBufferRef> out = new PointerPointer<>(1);
    if (LLVMTargetMachineEmitToMemoryBuffer(module.machine, module.module, fileType, message, out)
        != 0) {
      throw ModuleContext.failure("LLVM's code emitter", LlvmNative.takeMessage(message));
    }
    LLVMMemoryBufferRef buffer = out.get(LLVMMemoryBufferRef.class);
    try {
      byte[] bytes = new byte[Math.toIntExact(LLVMGetBufferSize(buffer))];
      LLVMGetBufferStart(buffer).get(bytes);
      module.checkDiagnostics("LLVM's code emitter");
      return bytes;
    } finally {
      LLVMDisposeMemoryBuffer(buffer);
    }
  }

  private <T> T timed(Stage stage, Supplier<T> work) {
    long start = System.nanoTime();
    T result = work.get();
    clock.accept(stage, System.nanoTime() - start);
    return result;
  }
}
