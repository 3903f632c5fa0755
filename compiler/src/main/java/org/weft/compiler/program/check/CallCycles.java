package org.weft.compiler.program.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;

/** Reports functions that call themselves, directly or through others. */
final class CallCycles {
  private final Program program;
  private final Diagnostics diagnostics;
  private final Set<String> finished = new HashSet<>();

  private CallCycles(Program program, Diagnostics diagnostics) {
    this.program = program;
    this.diagnostics = diagnostics;
  }

  static void check(Program program, Diagnostics diagnostics) {
    CallCycles cycles = new CallCycles(program, diagnostics);
    for (Program.Function function : program.functions()) {
      cycles.function(function, new HashSet<>());
    }
  }

  private void function(Program.Function function, Set<String> active) {
    if (!finished.contains(function.name().name())) {
      active.add(function.name().name());
      steps(function.steps(), active);
      active.remove(function.name().name());
      finished.add(function.name().name());
    }
  }

  private void steps(List<Program.Step> steps, Set<String> active) {
    for (Program.Step step : steps) {
      if (step instanceof Program.Loop loop) {
        steps(loop.body(), active);
      } else if (step instanceof Program.CallFunction call) {
        call(call.name(), active);
      }
    }
  }

  private void call(Syntax.Label name, Set<String> active) {
    if (active.contains(name.name())) {
      diagnostics.error(
          name.span(),
          "the function " + name.name() + " calls itself",
          "functions of a program cannot recur; write a loop: for n in range(0, 10): ... end");
      return;
    }
    program.function(name.name()).ifPresent(function -> function(function, active));
  }
}
