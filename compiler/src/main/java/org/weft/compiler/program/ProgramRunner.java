package org.weft.compiler.program;

import java.util.Map;
import java.util.function.Consumer;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.ProgramParser;
import org.weft.compiler.lang.SourceSpan;
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
    execute(program, new Environment(program, evaluator, inputs, files, output, statement -> {}));
  }

  /**
   * Says how every statement is evaluated: its conversions, contraction order and kernels. The
   * program runs, since plans depend on its data, but prints and writes nothing of its own.
   *
   * @throws WeftException as {@link #run}
   */
  public void explain(Program program) {
    ProgramFiles readOnly = new ReadOnlyFiles(files);
    execute(
        program, new Environment(program, evaluator, inputs, readOnly, text -> {}, this::explain));
  }

  private void explain(StatementInput input) {
    SourceSpan span = input.statement().value().span();
    output.accept(
        span.source().name()
            + ":"
            + span.source().line(span.offset())
            + ": "
            + evaluator.plan(input)
            + "\n");
  }

  private static void execute(Program program, Environment environment) {
    Program.Function main = program.function("main").orElseThrow();
    try (MemoryScope scope = MemoryScope.root("program", MemorySource.system())) {
      new Execution(environment, main, scope).run(main.steps());
    }
  }
}
