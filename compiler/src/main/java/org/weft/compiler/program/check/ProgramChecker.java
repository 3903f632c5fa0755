package org.weft.compiler.program.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.weft.compiler.lang.Diagnostics;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceSpan;
import org.weft.compiler.lang.Statement;
import org.weft.compiler.lang.Syntax;
import org.weft.text.Counts;

/**
 * What is wrong with a program whatever its data: names that are not declared or declared twice,
 * accesses whose labels do not fit their tensor, sizes that cannot agree, values used before there
 * is one. Everything is reported, step by step, in one run.
 *
 * <p>As in COMET, the labels of a fill and of a read only have to be as many as the modes, and need
 * not be declared: such a step is about the whole tensor.
 */
public final class ProgramChecker {
  private final Program program;
  private final Diagnostics diagnostics;
  private final Map<String, Program.LabelRange> labels = new LinkedHashMap<>();
  private final Map<String, SourceSpan> labelSpans = new HashMap<>();
  private final Map<String, Program.TensorDeclaration> tensors = new LinkedHashMap<>();
  private final Set<String> scalars = new HashSet<>();
  private final Set<String> valued = new HashSet<>();

  private ProgramChecker(Program program, Diagnostics diagnostics) {
    this.program = program;
    this.diagnostics = diagnostics;
  }

  public static void check(Program program, Diagnostics diagnostics) {
    Map<String, SourceSpan> functions = new HashMap<>();
    for (Program.Function function : program.functions()) {
      SourceSpan first = functions.putIfAbsent(function.name().name(), function.name().span());
      if (first != null) {
        duplicate(diagnostics, "function", function.name(), first);
      }
      new ProgramChecker(program, diagnostics).steps(function.steps());
    }
    CallCycles.check(program, diagnostics);
  }

  private static void duplicate(
      Diagnostics diagnostics, String what, Syntax.Label name, SourceSpan first) {
    diagnostics.error(
        name.span(),
        "the " + what + " " + name.name() + " is declared twice",
        "it was declared at " + first + "; remove one of the two or choose another name");
  }

  private void steps(List<Program.Step> steps) {
    steps.forEach(this::step);
  }

  private void step(Program.Step step) {
    if (step instanceof Program.LabelDeclaration s) {
      s.labels().forEach(label -> label(label, s.range()));
    } else if (step instanceof Program.TensorDeclaration s) {
      tensor(s);
    } else if (step instanceof Program.Assign s) {
      assign(s.statement());
    } else if (step instanceof Program.ReadNumbered s) {
      whole(s.target());
      if (s.part() != Program.MatrixPart.ALL) {
        matrix(s);
      }
    } else if (step instanceof Program.ReadUri s) {
      whole(s.target());
    } else if (step instanceof Program.FillRandom s) {
      whole(s.target());
      fractional(s.target());
    } else if (step instanceof Program.Write s) {
      written(s.tensor());
    } else if (step instanceof Program.AssignScalar s) {
      scalar(s);
    } else if (step instanceof Program.ReadClock s) {
      declareScalar(s.name());
    } else if (step instanceof Program.Print s) {
      print(s.value());
    } else if (step instanceof Program.PrintElapsed s) {
      scalarValue(s.from());
      scalarValue(s.to());
    } else if (step instanceof Program.Loop s) {
      scalars.add(s.variable().name());
      steps(s.body());
    } else if (step instanceof Program.CallFunction s) {
      if (program.function(s.name().name()).isEmpty()) {
        diagnostics.error(
            s.name().span(),
            "there is no function " + s.name().name(),
            "write def " + s.name().name() + "() { ... }, or print, write, printElapsedTime");
      }
    }
  }

  private void label(Syntax.Label label, Program.LabelRange range) {
    SourceSpan first = labelSpans.putIfAbsent(label.name(), label.span());
    if (first != null) {
      duplicate(diagnostics, "label", label, first);
      return;
    }
    labels.put(label.name(), range);
  }

  private void tensor(Program.TensorDeclaration declaration) {
    for (Program.Mode mode : declaration.modes()) {
      if (mode instanceof Program.LabelledMode labelled) {
        declared(labelled.label());
      }
    }
    String name = declaration.name().name();
    Program.TensorDeclaration first = tensors.putIfAbsent(name, declaration);
    if (first != null) {
      duplicate(diagnostics, "tensor", declaration.name(), first.name().span());
    } else if (scalars.contains(name)) {
      diagnostics.error(
          declaration.name().span(),
          "the tensor " + name + " has the name of a variable",
          "choose another name");
    }
  }

  private void declared(Syntax.Label label) {
    if (!labels.containsKey(label.name())) {
      diagnostics.error(
          label.span(),
          "the label " + label.name() + " is not declared",
          NearestNames.nearest(label.name(), labels.keySet())
              .map(near -> "did you mean " + near + "?")
              .orElse("declare it first: IndexLabel [" + label.name() + "] = [?];"));
    }
  }

  private void assign(Statement statement) {
    boolean known = fits(statement.target());
    for (Syntax.Access access : Accesses.operands(statement)) {
      if (!access.labels().isEmpty() || tensors.containsKey(access.tensor())) {
        known &= use(access);
      } else {
        known &= scalarName(access);
      }
    }
    String name = statement.target().tensor();
    if (Accesses.isScalar(statement.value()) && statement.mask() == null) {
      valued.add(name);
      return;
    }
    int errors = diagnostics.list().size();
    statement.target().labels().forEach(this::declared);
    Accesses.operands(statement).forEach(access -> access.labels().forEach(this::declared));
    if (known && diagnostics.list().size() == errors) {
      new LabelAgreement(labels, tensors, diagnostics).check(statement);
    }
    valued.add(name);
  }

  /** A target that is filled or read as a whole. */
  private void whole(Syntax.Access target) {
    fits(target);
    valued.add(target.tensor());
  }

  private void matrix(Program.ReadNumbered read) {
    Program.TensorDeclaration declaration = tensors.get(read.target().tensor());
    if (declaration != null && declaration.modes().size() != 2) {
      diagnostics.error(
          read.span(),
          "a part of a matrix is asked for, but "
              + read.target().tensor()
              + " has "
              + Counts.plain(declaration.modes().size(), "mode"),
          "leave out the second argument of comet_read");
    }
  }

  /** An access whose value is needed; false after an error. */
  private boolean use(Syntax.Access access) {
    if (!fits(access)) {
      return false;
    }
    return needsValue(access);
  }

  private String example(String tensor) {
    Program.TensorDeclaration declaration = tensors.get(tensor);
    StringBuilder text = new StringBuilder(tensor);
    if (declaration != null) {
      text.append('[');
      for (int m = 0; m < declaration.modes().size(); m++) {
        boolean labelled = declaration.modes().get(m) instanceof Program.LabelledMode;
        text.append(m == 0 ? "" : ",");
        text.append(
            labelled
                ? ((Program.LabelledMode) declaration.modes().get(m)).label().name()
                : "i" + m);
      }
      text.append(']');
    }
    return text.toString();
  }

  /** Whether the tensor of {@code access} is declared with as many modes as there are labels. */
  private boolean fits(Syntax.Access access) {
    Program.TensorDeclaration declaration = tensors.get(access.tensor());
    if (declaration == null) {
      diagnostics.error(
          new SourceSpan(access.span().source(), access.span().offset(), access.tensor().length()),
          "the tensor " + access.tensor() + " is not declared",
          NearestNames.nearest(access.tensor(), tensors.keySet())
              .map(near -> "did you mean " + near + "?")
              .orElse("declare it first: Tensor<double> " + access.tensor() + "([i, j], {CSR});"));
      return false;
    }
    int order = declaration.modes().size();
    if (access.labels().size() != order) {
      diagnostics.error(
          access.span(),
          "the tensor "
              + access.tensor()
              + " has "
              + Counts.plain(order, "mode")
              + " but "
              + Counts.plain(access.labels().size(), "label"),
          "it is declared at " + declaration.span() + "; write " + example(access.tensor()));
      return false;
    }
    return true;
  }

  private void declareScalar(Syntax.Label name) {
    if (tensors.containsKey(name.name())) {
      diagnostics.error(
          name.span(),
          "the variable " + name.name() + " has the name of a tensor",
          "choose another name, or assign to " + example(name.name()));
      return;
    }
    scalars.add(name.name());
  }

  /** Random values are at least 0 and below 1: as whole numbers all of them are 0. */
  private void fractional(Syntax.Access target) {
    Program.TensorDeclaration declaration = tensors.get(target.tensor());
    if (declaration != null && declaration.valueType().isIntegral()) {
      diagnostics.error(
          target.span(),
          "random() gives fractions below 1, but " + target.tensor() + " holds whole numbers",
          "declare it Tensor<double> or Tensor<float>");
    }
  }

  private void scalar(Program.AssignScalar step) {
    scalarValue(step.value());
    boolean known = scalars.contains(step.name().name());
    if (step.assignment() != Statement.Assignment.ASSIGN && !known) {
      diagnostics.error(
          step.name().span(),
          "the variable " + step.name().name() + " is used before it has a value",
          "give it one first: var " + step.name().name() + " = 0;");
    }
    declareScalar(step.name());
  }

  /** The tensor of {@code write}, with or without its labels. */
  private void written(Syntax.Access access) {
    Program.TensorDeclaration declaration = tensors.get(access.tensor());
    if (declaration != null && declaration.modes().isEmpty()) {
      diagnostics.error(
          access.span(),
          "expected a tensor with modes, found " + access.tensor() + ", which is one number",
          "print it: print(" + access.tensor() + ");");
    }
    if (access.labels().isEmpty() && tensors.containsKey(access.tensor())) {
      needsValue(access);
    } else {
      use(access);
    }
  }

  private void print(Syntax value) {
    if (value instanceof Syntax.Access access
        && (!access.labels().isEmpty() || tensors.containsKey(access.tensor()))) {
      if (access.labels().isEmpty()) {
        needsValue(access);
      } else {
        use(access);
      }
      return;
    }
    scalarValue(value);
  }

  /** Whether the tensor has a value here; a step that could not be parsed may have given it one. */
  private boolean needsValue(Syntax.Access access) {
    boolean known =
        valued.contains(access.tensor()) || program.missing() != Program.Missing.NOTHING;
    if (!known) {
      diagnostics.error(
          access.span(),
          "the tensor " + access.tensor() + " is used before it has a value",
          "read, fill or assign it first: " + example(access.tensor()) + " = 0.0;");
      valued.add(access.tensor());
    }
    return known;
  }

  /** An expression that must be a scalar. */
  private void scalarValue(Syntax value) {
    if (value instanceof Syntax.Access access) {
      Program.TensorDeclaration tensor = tensors.get(access.tensor());
      if (access.labels().isEmpty() && tensor == null) {
        scalarName(access);
      } else if (access.labels().isEmpty() && tensor != null && tensor.modes().isEmpty()) {
        needsValue(access);
      } else {
        diagnostics.error(
            access.span(),
            "expected a scalar, found the tensor " + access.tensor(),
            "sum it: SUM(" + example(access.tensor()) + ")");
      }
      return;
    }
    if (value instanceof Syntax.Sum sum) {
      for (Syntax.Access access : Accesses.of(sum.body())) {
        if (access.labels().isEmpty() && !tensors.containsKey(access.tensor())) {
          scalarName(access);
        } else if (use(access)) {
          access.labels().forEach(this::declared);
        }
      }
      return;
    }
    value.children().forEach(this::scalarValue);
  }

  private boolean scalarName(Syntax.Access access) {
    if (scalars.contains(access.tensor())) {
      return true;
    }
    if (labels.containsKey(access.tensor())) {
      diagnostics.error(
          access.span(),
          "expected a variable or a tensor, found the label " + access.tensor(),
          "a label has no value: use a tensor that holds the coordinates");
      return false;
    }
    Set<String> known = new HashSet<>(scalars);
    known.addAll(tensors.keySet());
    diagnostics.error(
        access.span(),
        access.tensor() + " is neither a variable nor a tensor",
        NearestNames.nearest(access.tensor(), known)
            .map(near -> "did you mean " + near + "?")
            .orElse("declare it first: var " + access.tensor() + " = 0;"));
    return false;
  }

  /** The size of a mode as far as the declaration says. */
  public static OptionalLong staticSize(Program.Mode mode, Map<String, Program.LabelRange> labels) {
    if (mode instanceof Program.SizedMode sized) {
      return OptionalLong.of(sized.size());
    }
    if (mode instanceof Program.LabelledMode labelled) {
      Program.LabelRange range = labels.get(labelled.label().name());
      return range == null ? OptionalLong.empty() : range.size();
    }
    return OptionalLong.empty();
  }
}
