package org.weft.compiler.program;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.ProgramParser;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.program.check.ProgramChecker;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.compiler.program.space.ReadOnlyFiles;
import org.weft.compiler.program.space.StoredSpace;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;

/**
 * Runs programs.
 *
 * <pre>{@code
 * Program program = ProgramRunner.parse(new SourceText("spmm.ta", text));
 * new ProgramRunner(files, System.getenv(), System.out::print).run(program, evaluator);
 * }</pre>
 */
public final class ProgramRunner {
  private final ProgramFiles files;
  private final Map<String, String> environment;
  private final Consumer<String> output;
  private final SharingLimits limits;

  /**
   * @param environment where {@code comet_read(N)} finds {@code SPARSE_FILE_NAMEN}
   * @param output takes what the program prints, in pieces that need not be lines
   */
  public ProgramRunner(
      ProgramFiles files, Map<String, String> environment, Consumer<String> output) {
    this(files, environment, output, SharingLimits.ofThisMachine());
  }

  /** As above with other limits of what statements share. */
  ProgramRunner(
      ProgramFiles files,
      Map<String, String> environment,
      Consumer<String> output,
      SharingLimits limits) {
    this.files = files;
    this.environment = Map.copyOf(environment);
    this.output = output;
    this.limits = limits;
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
   * Runs {@code main} on tensors that lie in {@code space}; all of them are freed on return.
   *
   * @throws WeftException what a step failed with, the step's place, line and caret in the message
   */
  public void run(Program program, TensorSpace space) {
    run(program, space, note -> {});
  }

  /** As above; {@code notes} takes what statements share, in lines. */
  void run(Program program, TensorSpace space, Consumer<String> notes) {
    checkOutputs(program);
    execute(program, space, output, notes);
  }

  /** Refuses files that the program could not write after its work, or would write again. */
  public void checkOutputs(Program program) {
    checkOutputs(program, program.function("main").orElseThrow().steps(), false);
  }

  /** As above in the memory of this process. */
  public void run(Program program, Evaluator evaluator) {
    try (MemoryScope scope = MemoryScope.root("program", MemorySource.system())) {
      run(program, new StoredSpace(evaluator, files, scope, statement -> {}));
    }
  }

  /**
   * Hands over every statement before it is evaluated, so that its plan can be told. The program
   * runs, since plans depend on its data, but prints and writes nothing of its own.
   *
   * @throws WeftException as {@link #run}
   */
  public void explain(Program program, Evaluator evaluator, Consumer<StatementInput> statements) {
    try (MemoryScope scope = MemoryScope.root("program", MemorySource.system())) {
      StoredSpace space = new StoredSpace(evaluator, new ReadOnlyFiles(files), scope, statements);
      explain(program, space);
    }
  }

  /** As above in {@code space}, which writes nothing and hands plans to {@link #explain}. */
  public void explain(Program program, TensorSpace space) {
    execute(program, space, text -> {}, output);
  }

  /** Prints the plan of a statement, with its place. */
  public void explain(Statement statement, Object plan) {
    SourceSpan span = statement.value().span();
    output.accept(
        span.source().name() + ":" + span.source().line(span.offset()) + ": " + plan + "\n");
  }

  /**
   * Refuses now what could not be written after the work.
   *
   * @param repeated whether the steps run more than once
   * @return false if a step returns
   */
  private boolean checkOutputs(Program program, List<Program.Step> steps, boolean repeated) {
    for (Program.Step step : steps) {
      if (step instanceof Program.Return) {
        return false;
      } else if (step instanceof Program.Write write) {
        checkOutput(write);
        if (repeated) {
          checkOutput(write);
        }
      } else if (step instanceof Program.CallFunction call) {
        Program.Function called = program.function(call.name().name()).orElseThrow();
        checkOutputs(program, called.steps(), repeated);
      } else if (step instanceof Program.Loop loop && loop.start() < loop.end()) {
        boolean again = repeated || loop.end() - loop.start() > loop.step();
        if (!checkOutputs(program, loop.body(), again)) {
          return false;
        }
      }
    }
    return true;
  }

  private void checkOutput(Program.Write write) {
    try {
      files.checkOutput(write.uri());
    } catch (WeftException e) {
      throw Execution.located(e, write.span());
    }
  }

  private void execute(
      Program program, TensorSpace space, Consumer<String> printed, Consumer<String> notes) {
    Inputs inputs = new Inputs(program, files, environment);
    Environment shared = new Environment(program, space, inputs, printed, notes, limits);
    Program.Function main = program.function("main").orElseThrow();
    try (Execution execution = new Execution(shared, main)) {
      execution.run(main.steps());
    }
  }
}
