package org.weft.jobs.explain;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.Explanation;
import org.weft.jobs.output.Console;

/** Prints a kernel on its way from algebra to assembly, as far as an explanation asks. */
public final class KernelStages {
  private KernelStages() {}

  /** Prints nothing but what {@code explain} names; nothing at all if it is null. */
  public static void print(
      Console console,
      String name,
      Supplier<Explanation> kernel,
      @Nullable ExplainCommand explain) {
    if (explain == null || !explain.loops && !explain.llvm && !explain.assembly) {
      return;
    }
    Explanation stages = kernel.get();
    if (explain.loops) {
      section(console, name + ": tensor algebra", stages.algebra());
      section(console, name + ": iteration graph", stages.iterationGraph());
      section(console, name + ": merge lattices", stages.lattices());
      section(console, name + ": loops", stages.loops());
    }
    if (explain.llvm) {
      section(console, name + ": LLVM IR", stages.optimisedLlvmIr());
    }
    if (explain.assembly) {
      section(console, name + ": assembly", stages.assembly());
    }
  }

  private static void section(Console console, String title, String text) {
    console.text("\n== " + title + "\n" + text.stripTrailing() + "\n");
  }
}
