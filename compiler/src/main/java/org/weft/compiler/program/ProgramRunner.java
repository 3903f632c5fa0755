package org.weft.compiler.program;

import java.util.Map;
import java.util.function.Consumer;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.ProgramParser;
import org.weft.compiler.lang.SourceText;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/**
 * Runs programs in this process.
 *
 * <pre>{@code
 * Program program = ProgramRunner.parse(new SourceText("spmm.ta", text));
 * new ProgramRunner(evaluator, files, System.getenv(), System.out::print).run(program);
 * }</pre>
 */
public final class ProgramRunner {
  private final Evaluator evaluator;
  private final ProgramFiles files;
  private final Inputs inputs;
  private final Consumer<String> output;

  /**
   * @param environment where {@code comet_read(N)} finds {@code SPARSE_FILE_NAMEN}
   * @param output takes what the program prints, in pieces that need not be lines
   */
  public ProgramRunner(
      Evaluator evaluator,
      ProgramFiles files,
      Map<String, String> environment,
      Consumer<String> output) {
    this.evaluator = evaluator;
    this.files = files;
    this.inputs = new Inputs(files, environment);
    this.output = output;
  }

  /**
   * Parses and checks a program.
   *
   * @throws WeftException {@code INVALID_EXPRESSION}: all errors, each with place, line and caret
   */
  public static Program parse(SourceText source) {
    Diagnostics diagnostics = new Diagnostics();
    Program program = ProgramParser.parse(source, diagnostics);
    if (program.missing() != Program.Missing.DECLARATIONS) {
      ProgramChecker.check(program, diagnostics);
    }
    diagnostics.throwIfErrors();
    return program;
  }

  /**
   * Runs {@code main}; everything it allocated is freed on return.
   *
   * @throws WeftException what a step failed with, the step's place, line and caret in the message
   */
  public void run(Program program) {
    Program.Function main = program.function("main").orElseThrow();
    try (MemoryScope scope = MemoryScope.root("program", MemorySource.system())) {
      new Execution(program, main, scope, evaluator, inputs, files, output).run(main.steps());
    }
  }
}
