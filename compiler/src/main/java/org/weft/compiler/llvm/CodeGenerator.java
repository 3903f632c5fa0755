package org.weft.compiler.llvm;

import static org.bytedeco.llvm.global.LLVM.*;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.llvm.LLVM.LLVMErrorRef;
import org.bytedeco.llvm.LLVM.LLVMMemoryBufferRef;
import org.bytedeco.llvm.LLVM.LLVMPassBuilderOptionsRef;
import org.weft.compiler.elf.ElfLinker;
import org.weft.compiler.loop.LoopFunction;

/**
 * The back end's pipeline: loop IR, LLVM IR, optimised LLVM IR, object, shared library. Thread
 * safe: every module has its own LLVM context. Kernels of one call are compiled side by side and
 * share a library, which costs one link.
 */
public final class CodeGenerator {
  /** The LLVM that the compiler is built for; loading another one fails. */
  public static final String LLVM_VERSION = "20.1.7";

  /** The coroutine that every parallel loop uses, as an object: compiled once per process. */
  private static final Map<Target, byte[]> RANGE_TASKS = new ConcurrentHashMap<>();

  /** Stages of code generation, in order, as statistics name them. */
  public enum Stage {
    /** Loading LLVM's library: once per process. */
    LOAD,
    /** Loop IR to LLVM IR, and its verification. */
    BUILD,
    OPTIMISE,
    /** LLVM IR to an object in memory. */
    EMIT,
    /** Objects to a library. */
    LINK
  }

  private final Target target;
  private final ObjLongConsumer<Stage> clock;

  /**
   * @param clock told the nanoseconds of each stage of each call, those of all threads
   */
  public CodeGenerator(Target target, ObjLongConsumer<Stage> clock) {
    this.target = target;
    this.clock = clock;
  }

  /** Loads LLVM beside what the caller does before it has kernels, unless that has happened. */
  public void prepare() {
    if (!RANGE_TASKS.containsKey(target)) {
      CompletableFuture.runAsync(this::rangeTasks);
    }
  }

  /**
   * A shared library that exports the kernels' symbols.
   *
   * @throws org.weft.error.WeftException COMPILER_FAILURE with the words of LLVM or the linker
   */
  public byte[] library(List<LoopFunction> kernels) {
    byte[] shared = rangeTasks();
    List<byte[]> objects = objects(kernels);
    return timed(
        Stage.LINK,
        () ->
            ElfLinker.link(objects, shared)
                .orElseGet(() -> Linker.link(objects, List.of(shared), List.of())));
  }

  /**
   * A shared library that any program can open.
   *
   * @param glue LLVM IR of the functions that it exports, which call the kernels and {@code
   *     runtime}
   * @param runtime an object
   * @throws org.weft.error.WeftException COMPILER_FAILURE with the words of LLVM or the linker
   */
  public byte[] standalone(
      List<LoopFunction> kernels, String glue, byte[] runtime, List<String> exports) {
    List<byte[]> shared = List.of(rangeTasks(), runtime);
    List<byte[]> objects = objects(kernels);
    objects.add(glue(glue));
    return timed(Stage.LINK, () -> Linker.link(objects, shared, exports));
  }

  private byte[] glue(String text) {
    try (ModuleContext module = new ModuleContext(target, "weft-glue", Effort.QUICK)) {
      module.add(text);
      module.verify();
      return object(module);
    }
  }

  private List<byte[]> objects(List<LoopFunction> kernels) {
    List<byte[]> objects = new ArrayList<>();
    SideBySide.map(kernels, this::modules).forEach(objects::addAll);
    return objects;
  }

  /** The object with the coroutine, compiled unless that has happened. */
  byte[] rangeTasks() {
    return timed(
        Stage.LOAD,
        () -> {
          LlvmNative.load();
          return RANGE_TASKS.computeIfAbsent(target, t -> rangeTask());
        });
  }

  /** The objects of a kernel's modules, which are compiled side by side. */
  private List<byte[]> modules(LoopFunction kernel) {
    try (LibraryModules modules = build(kernel)) {
      return SideBySide.map(modules.all(), this::object);
    }
  }

  private byte[] rangeTask() {
    try (ModuleContext module = new ModuleContext(target, "weft-range")) {
      RangeTask.define(module);
      optimise(module, lowering());
      return emit(module, LLVMObjectFile);
    }
  }

  /** LLVM IR text of {@link RangeTask}, before or after optimisation. */
  String rangeTask(boolean optimised) {
    LlvmNative.load();
    try (ModuleContext module = new ModuleContext(target, "weft-range")) {
      RangeTask.define(module);
      if (optimised) {
        optimise(module, lowering());
      }
      return module.print();
    }
  }

  private String lowering() {
    return "default<O" + target.optimisation() + ">";
  }

  /** Optimises the module, and emits its object. */
  byte[] object(ModuleContext module) {
    try (PointerScope scope = new PointerScope()) {
      timed(Stage.OPTIMISE, () -> optimise(module));
      return timed(Stage.EMIT, () -> emit(module, LLVMObjectFile));
    }
  }

  /** LLVM IR text, before or after optimisation. */
  public String llvmIr(List<LoopFunction> kernels, boolean optimised) {
    load();
    StringBuilder text = new StringBuilder();
    for (LoopFunction kernel : kernels) {
      try (LibraryModules modules = build(kernel)) {
        if (optimised) {
          modules.all().forEach(CodeGenerator::optimise);
        }
        text.append(modules.print());
      }
    }
    return text.toString();
  }

  /** Assembly text (AT&amp;T syntax) of the optimised kernels. */
  public String assembly(List<LoopFunction> kernels) {
    load();
    StringBuilder text = new StringBuilder();
    for (LoopFunction kernel : kernels) {
      try (LibraryModules modules = build(kernel)) {
        for (ModuleContext module : modules.all()) {
          optimise(module);
          text.append(assembly(module));
        }
      }
    }
    return text.toString();
  }

  static String assembly(ModuleContext module) {
    return new String(emit(module, LLVMAssemblyFile), StandardCharsets.UTF_8);
  }

  private void load() {
    timed(
        Stage.LOAD,
        () -> {
          LlvmNative.load();
          return true;
        });
  }

  private LibraryModules build(LoopFunction kernel) {
    return timed(Stage.BUILD, () -> LibraryModules.build(target, kernel));
  }

  static boolean optimise(ModuleContext module) {
    optimise(module, module.effort.passes(module.target));
    UnpredictableSelects.rewrite(module);
    return true;
  }

  private static boolean optimise(ModuleContext module, String pipeline) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    try {
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

  static byte[] emit(ModuleContext module, int fileType) {
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
