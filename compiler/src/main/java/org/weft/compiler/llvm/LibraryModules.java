package org.weft.compiler.llvm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.Stmt;

/**
 * The modules of a kernel, which are compiled side by side. A kernel that divides loops among tasks
 * is compiled apart from the tasks. If it does nothing else, it runs once per call and is half of
 * the code, so that it is compiled with less effort.
 */
final class LibraryModules implements AutoCloseable {

  /** What the functions of a module do. */
  private enum Part {
    /** Tasks, or a kernel without any. */
    TASKS("weft", Effort.FULL),
    /** A kernel with tasks, and with loops of its own. */
    CALLERS("weft-callers", Effort.FULL),
    /** A kernel whose loops are all in tasks. */
    FRAMES("weft-frames", Effort.QUICK);

    private final String module;
    private final Effort effort;

    Part(String module, Effort effort) {
      this.module = module;
      this.effort = effort;
    }

    Effort effort(LoopFunction kernel) {
      return effort == Effort.FULL && kernel.tiled() ? Effort.TILES : effort;
    }

    static Part of(LoopFunction kernel) {
      if (!hasTasks(kernel.body())) {
        return TASKS;
      }
      return hasLoops(kernel.body()) ? CALLERS : FRAMES;
    }
  }

  private final Map<Part, ModuleContext> modules = new EnumMap<>(Part.class);

  private LibraryModules(Target target, LoopFunction kernel) {
    try {
      for (Part part : EnumSet.of(Part.TASKS, Part.of(kernel))) {
        modules.put(part, new ModuleContext(target, part.module, part.effort(kernel)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The modules of {@code kernel}, verified. */
  static LibraryModules build(Target target, LoopFunction kernel) {
    LibraryModules modules = new LibraryModules(target, kernel);
    try {
      KernelEmitter.emit(modules, kernel);
      modules.all().forEach(ModuleContext::verify);
      return modules;
    } catch (RuntimeException e) {
      modules.close();
      throw e;
    }
  }

  private static boolean hasTasks(Stmt stmt) {
    return stmt instanceof Stmt.Gather
        || stmt instanceof Stmt.For loop && loop.traits().parallel()
        || stmt.children().stream().anyMatch(LibraryModules::hasTasks);
  }

  /** Whether there are loops outside tasks that may have many iterations. */
  private static boolean hasLoops(Stmt stmt) {
    if (stmt instanceof Stmt.Gather) {
      return false;
    } else if (stmt instanceof Stmt.For loop) {
      return !loop.traits().parallel() && !loop.traits().few();
    }
    return stmt instanceof Stmt.While
        || stmt.children().stream().anyMatch(LibraryModules::hasLoops);
  }

  /** Where the function of {@code kernel} is. */
  ModuleContext of(LoopFunction kernel) {
    return Objects.requireNonNull(modules.get(Part.of(kernel)));
  }

  /** Where the tasks of kernels are. */
  ModuleContext tasks() {
    return Objects.requireNonNull(modules.get(Part.TASKS));
  }

  /** The module of tasks, then the others that there are. */
  List<ModuleContext> all() {
    return List.copyOf(modules.values());
  }

  /** LLVM IR text of the modules as they stand. */
  String print() {
    return all().stream().map(ModuleContext::print).collect(Collectors.joining("\n"));
  }

  /** Frees all, later ones first. */
  @Override
  public void close() {
    List<ModuleContext> made = new ArrayList<>(all());
    Collections.reverse(made);
    made.forEach(ModuleContext::close);
  }
}
