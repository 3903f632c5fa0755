package org.weft.compiler.program;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.lang.Diagnostic;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/** Runs the steps of one function, in order. */
final class Execution {
  private final Environment environment;
  private final Frame frame;
  private final Shapes shapes;
  private final Tensors tensors;
  private final Slices slices;
  private final Assignments assignments;
  private final ScalarMath scalars;

  Execution(Environment environment, Program.Function function, MemoryScope scope) {
    this.environment = environment;
    this.frame = new Frame(scope, function);
    this.shapes = new Shapes(frame, environment.inputs());
    this.tensors = new Tensors(environment, shapes, scope);
    this.slices = new Slices(environment.evaluator(), frame);
    this.assignments = new Assignments(frame, shapes, tensors, slices);
    this.scalars = new ScalarMath(frame, assignments);
  }

  /** Runs {@code steps}; false if one of them returned. */
  boolean run(List<Program.Step> steps) {
    for (Program.Step step : steps) {
      if (step instanceof Program.Return) {
        return false;
      }
      if (step instanceof Program.Loop loop) {
        if (!loop(loop)) {
          return false;
        }
        continue;
      }
      try {
        step(step);
      } catch (WeftException e) {
        throw located(e, step.span());
      }
    }
    return true;
  }

  private boolean loop(Program.Loop loop) {
    for (long n = loop.start(); n < loop.end(); n += loop.step()) {
      frame.assign(loop.variable().name(), Scalar.constant(n));
      if (!run(loop.body())) {
        return false;
      }
    }
    return true;
  }

  /** The error with the place of the step, unless it points into the program already. */
  private static WeftException located(WeftException e, SourceSpan span) {
    String message = e.getMessage() == null ? e.code().name() : e.getMessage();
    if (message.startsWith(span.source().name() + ":")) {
      return e;
    }
    Diagnostic diagnostic = new Diagnostic(Diagnostic.Severity.ERROR, span, message, "");
    return new WeftException(e.code(), diagnostic.render(), e);
  }

  private void step(Program.Step step) {
    if (step instanceof Program.LabelDeclaration s) {
      frame.declare(s);
    } else if (step instanceof Program.TensorDeclaration s) {
      frame.declare(s);
    } else if (step instanceof Program.Assign s) {
      assign(s.statement());
    } else if (step instanceof Program.ReadNumbered s) {
      read(s, s.target(), "file " + s.file());
    } else if (step instanceof Program.ReadUri s) {
      read(s, s.target(), s.uri());
    } else if (step instanceof Program.FillRandom s) {
      tensors.random(frame.tensor(s.target()), s.target());
    } else if (step instanceof Program.Write s) {
      environment.files().write(s.uri(), storage(s.tensor()), frame.tensor(s.tensor()).modes());
    } else if (step instanceof Program.AssignScalar s) {
      scalar(s);
    } else if (step instanceof Program.ReadClock s) {
      frame.assign(s.name().name(), Scalar.computed(System.nanoTime() / 1e9));
    } else if (step instanceof Program.Print s) {
      print(s.value());
    } else if (step instanceof Program.PrintElapsed s) {
      double seconds = scalars.evaluate(s.to()).asDouble() - scalars.evaluate(s.from()).asDouble();
      environment.output().accept(String.format(Locale.ROOT, "ELAPSED_TIME = %f%n", seconds));
    } else if (step instanceof Program.CallFunction s) {
      call(s);
    }
  }

  private void call(Program.CallFunction step) {
    Program.Function function = environment.program().function(step.name().name()).orElseThrow();
    try (MemoryScope scope = frame.scope().child(function.name().name())) {
      new Execution(environment, function, scope).run(function.steps());
    }
  }

  private void read(Program.Step step, Syntax.Access target, String what) {
    ProgramFiles.Entries kept = frame.takeKept(step);
    tensors.read(frame.tensor(target), kept == null ? environment.inputs().read(step) : kept, what);
  }

  private void assign(Statement statement) {
    TensorVariable target = frame.tensor(statement.target());
    boolean fill =
        statement.assignment() == Statement.Assignment.ASSIGN
            && statement.mask() == null
            && Accesses.isScalar(statement.value());
    if (!fill || addressesPart(target, statement.target())) {
      assignments.assign(statement);
      return;
    }
    target.fillLater(scalars.evaluate(statement.value()).asDouble());
    boolean sized =
        target.declaration().modes().stream()
            .allMatch(mode -> ProgramChecker.staticSize(mode, frame.labels()).isPresent());
    if (sized) {
      tensors.require(target, statement.target(), Map.of());
    }
  }

  /** Whether a label of a fill addresses a part of its mode. */
  private boolean addressesPart(TensorVariable target, Syntax.Access access) {
    boolean ranged =
        access.labels().stream()
            .anyMatch(label -> frame.label(label.name()).map(r -> r.slices()).orElse(false));
    if (!ranged) {
      return false;
    }
    TensorStorage storage = target.storage();
    TensorShape shape = storage != null ? storage.shape() : shapes.shape(target, access, Map.of());
    return !slices.ranges(access, shape).isEmpty();
  }

  private void scalar(Program.AssignScalar step) {
    String name = step.name().name();
    Syntax value = step.value();
    Syntax.Access self = new Syntax.Access(name, List.of(), step.name().span());
    Syntax changed =
        switch (step.assignment()) {
          case ASSIGN -> value;
          case ADD -> new Syntax.Operation(Syntax.Operator.ADD, self, value, step.span());
          case SUBTRACT -> new Syntax.Operation(Syntax.Operator.SUBTRACT, self, value, step.span());
        };
    frame.assign(name, scalars.evaluate(changed));
  }

  private void print(Syntax value) {
    TensorPrinter printer = new TensorPrinter(environment.output());
    if (value instanceof Syntax.Access access && frame.isTensor(access.tensor())) {
      try (MemoryScope temporary = frame.scope().child("print")) {
        Optional<TensorStorage> part =
            access.labels().isEmpty() ? Optional.empty() : assignments.slice(temporary, access);
        printer.print(part.isPresent() ? part.get() : storage(access));
      }
      return;
    }
    Scalar scalar = scalars.evaluate(value);
    if (scalar.constant()) {
      printer.printAsTensor(scalar.asDouble());
    } else {
      printer.print(scalar.value());
    }
  }

  private TensorStorage storage(Syntax.Access access) {
    return tensors.require(frame.tensor(access), access, Map.of());
  }
}
