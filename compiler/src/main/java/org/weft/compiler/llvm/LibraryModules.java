package org.weft.compiler.llvm;

import java.util.List;
import java.util.stream.Collectors;
import org.weft.compiler.loop.LoopFunction;

/**
 * The modules of one library. A kernel that does nothing but divide its loops among tasks runs once
 * per call, and is half of the code: it is compiled with less effort than the tasks.
 *
 * @param tasks functions with loops over entries
 * @param frames kernels whose loops are all in tasks
 */
record LibraryModules(ModuleContext tasks, ModuleContext frames) implements AutoCloseable {

  /** Empty modules. */
  static LibraryModules of(Target target) {
    ModuleContext tasks = new ModuleContext(target, "weft", Effort.FULL);
    try {
      return new LibraryModules(tasks, new ModuleContext(target, "weft-frames", Effort.QUICK));
    } catch (RuntimeException e) {
      tasks.close();
      throw e;
    }
  }

  /** How many modules {@code kernels} need. */
  static int countFor(List<LoopFunction> kernels) {
    return kernels.stream().anyMatch(KernelEmitter::isFrame) ? 2 : 1;
  }

  /** The modules of {@code kernels}, verified. */
  static LibraryModules build(Target target, List<LoopFunction> kernels) {
    LibraryModules modules = of(target);
    try {
      kernels.forEach(kernel -> KernelEmitter.emit(modules, kernel));
      modules.used().forEach(ModuleContext::verify);
      return modules;
    } catch (RuntimeException e) {
      modules.close();
      throw e;
    }
  }

  /** The tasks, in which every kernel has a part, then the frames if there are any. */
  List<ModuleContext> used() {
    return frames.hasFunctions() ? List.of(tasks, frames) : List.of(tasks);
  }

  /** LLVM IR text of the modules as they stand. */
  String print() {
    return used().stream().map(ModuleContext::print).collect(Collectors.joining("\n"));
  }

  /** Frees both, the later one first. */
  @Override
  public void close() {
    frames.close();
    tasks.close();
  }
}
