package org.weft.compiler.program;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.compiler.lang.Diagnostic;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.Accesses;
import org.weft.compiler.program.check.ProgramChecker;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Runs the steps of one function, in order. Closing it frees the function's tensors. */
final class Execution implements AutoCloseable {
  private final Environment environment;
  private final CallFrame frame;
  private final Shapes shapes;
  private final FilledTensors tensors;
  private final AddressedParts slices;
  private final Assignments assignments;
  private final ScalarMath scalars;

  Execution(Environment environment, Program.Function function) {
    TensorSpace space = environment.space();
    this.environment = environment;
    this.frame = new CallFrame(function);
    this.shapes = new Shapes(frame, environment.inputs(), space);
    this.slices = new AddressedParts(frame, shapes);
    Capacity capacity = new Capacity(space);
    this.tensors = new FilledTensors(space, shapes, slices, capacity);
    this.assignments = new Assignments(space, frame, shapes, tensors, slices, capacity);
    this.scalars = new ScalarMath(frame, assignments);
  }

  /** Runs {@code steps}; false if one of them returned. */
  boolean run(List<Program.Step> steps) {
    try (Sharing sharing = new Sharing(environment, frame, slices, assignments, steps)) {
      for (int at = 0; at < steps.size(); at++) {
        Program.Step step = steps.get(at);
        if (step instanceof Program.Return) {
          return false;
        }
        if (step instanceof Program.Loop loop) {
          sharing.done(loop);
          if (!loop(loop)) {
            return false;
          }
          continue;
        }
        try {
          step(step, at, sharing);
          sharing.done(step);
        } catch (WeftException e) {
          throw located(e, step.span());
        }
      }
      return true;
    }
  }

  private boolean loop(Program.Loop loop) {
    boolean goesOn = loop.start() < loop.end();
    for (long n = loop.start(); goesOn; n += loop.step()) {
      frame.assign(loop.variable().name(), Scalar.constant(n));
      if (!run(loop.body())) {
        return false;
      }
      goesOn = loop.end() - n > loop.step(); // the sum may be past the largest number
    }
    return true;
  }

  /** The error with the place of the step, unless it points into the program already. */
  static WeftException located(WeftException e, SourceSpan span) {
    String message = e.getMessage() == null ? e.code().name() : e.getMessage();
    if (message.startsWith(span.source().name() + ":")) {
      return e;
    }
    Diagnostic diagnostic = new Diagnostic(Diagnostic.Severity.ERROR, span, message, "");
    return new WeftException(e.code(), diagnostic.render(), e);
  }

  private void step(Program.Step step, int at, Sharing sharing) {
    if (step instanceof Program.LabelDeclaration s) {
      frame.declare(s);
    } else if (step instanceof Program.TensorDeclaration s) {
      frame.declare(s);
    } else if (step instanceof Program.Assign s) {
      assign(s.statement(), at, sharing);
    } else if (step instanceof Program.ReadNumbered s) {
      read(s, s.target(), "file " + s.file());
    } else if (step instanceof Program.ReadUri s) {
      read(s, s.target(), s.uri());
    } else if (step instanceof Program.FillRandom s) {
      tensors.random(frame.tensor(s.target()), s.target());
    } else if (step instanceof Program.Write s) {
      environment.space().write(s.uri(), value(s.tensor()), frame.tensor(s.tensor()).modes());
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
    try (Execution called = new Execution(environment, function)) {
      called.run(function.steps());
    }
  }

  private void read(Program.Step step, Syntax.Access access, String what) {
    TensorVariable target = frame.tensor(access);
    TensorSpace.Input kept = frame.takeKept(step);
    TensorSpace.Input input =
        kept == null ? environment.inputs().read(environment.space(), step, target.stored()) : kept;
    tensors.read(target, input, what);
  }

  private void assign(Statement statement, int at, Sharing sharing) {
    TensorVariable target = frame.tensor(statement.target());
    boolean number =
        statement.assignment() == Statement.Assignment.ASSIGN
            && Accesses.isScalar(statement.value());
    boolean fill = number && statement.mask() == null;
    boolean diagonal =
        statement.target().labels().stream().map(Syntax.Label::name).distinct().count()
            < statement.target().labels().size();
    if (!fill || diagonal || addressesPart(target, statement.target())) {
      if (number && isWritten(statement.value())) {
        fill(statement.value(), target.stored().valueType()); // refused as in a whole tensor
      }
      sharing.assign(at, statement);
      return;
    }
    target.fillLater(fill(statement.value(), target.stored().valueType()));
    boolean sized =
        target.declaration().modes().stream()
            .allMatch(mode -> ProgramChecker.staticSize(mode, frame.labels()).isPresent());
    if (sized) {
      tensors.require(target, statement.target(), Map.of());
    }
  }

  /**
   * What a fill puts into every cell: a number as it is written, or one that is computed, converted
   * as results are.
   *
   * @throws WeftException {@code VALUE_OUT_OF_RANGE} for a written number that the type lacks
   */
  private Number fill(Syntax value, ValueType type) {
    Scalar computed = scalars.evaluate(value);
    boolean negative = value instanceof Syntax.Negation;
    Syntax positive = value instanceof Syntax.Negation negation ? negation.operand() : value;
    if (positive instanceof Syntax.Number number) {
      String text = (negative ? "-" : "") + number.span().text();
      OptionalLong integer = type.isIntegral() ? type.integer(text) : OptionalLong.empty();
      if (type.isIntegral() ? integer.isEmpty() : !type.holds(computed.asDouble())) {
        throw new WeftException(ErrorCode.VALUE_OUT_OF_RANGE, type.refusal(text));
      }
      return integer.isPresent() ? (Number) integer.getAsLong() : (Number) computed.asDouble();
    }
    if (!type.isIntegral()) {
      return computed.asDouble();
    }
    Number cast = computed.value();
    return type == ValueType.LONG ? cast.longValue() : (long) cast.intValue();
  }

  private static boolean isWritten(Syntax value) {
    return value instanceof Syntax.Number
        || value instanceof Syntax.Negation negation && negation.operand() instanceof Syntax.Number;
  }

  /** Whether a label of a fill addresses a part of its mode. */
  private boolean addressesPart(TensorVariable target, Syntax.Access access) {
    if (!slices.possible(access)) {
      return false;
    }
    TensorShape known = target.shape();
    TensorShape shape = known != null ? known : shapes.shape(target, access, Map.of());
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
      print(printer, access);
      return;
    }
    Scalar scalar = scalars.evaluate(value);
    if (scalar.constant()) {
      printer.printAsTensor(scalar.asDouble());
    } else {
      printer.print(scalar.value());
    }
  }

  private void print(TensorPrinter printer, Syntax.Access access) {
    StoredAs stored = frame.tensor(access).stored();
    ProgramFiles files = environment.inputs().files();
    Optional<ProgramTensor> part =
        access.labels().isEmpty() ? Optional.empty() : assignments.slice(access);
    try (MemoryScope temporary = MemoryScope.root("print", MemorySource.system())) {
      ProgramTensor printed = part.isPresent() ? part.get() : value(access);
      TensorStorage entries = environment.space().storage(temporary, printed, stored);
      if (!files.print(entries, assignments.modes(access), environment.output())) {
        printer.print(entries);
      }
    } finally {
      part.ifPresent(ProgramTensor::close);
    }
  }

  private ProgramTensor value(Syntax.Access access) {
    return tensors.require(frame.tensor(access), access, Map.of());
  }

  @Override
  public void close() {
    frame.close();
  }
}
