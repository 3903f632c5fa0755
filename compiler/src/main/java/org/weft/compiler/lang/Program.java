package org.weft.compiler.lang;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * A {@code .ta} program as it was written: functions of steps, in the order of the text.
 *
 * @param functions at least {@code main} when the program parsed without errors
 * @param missing what is not here because it could not be parsed; errors have been reported
 */
public record Program(SourceText source, List<Function> functions, Missing missing) {
  /** What errors have left out of a program, so that checks do not blame what refers to it. */
  public enum Missing {
    NOTHING,
    /** Steps that give values. */
    STATEMENTS,
    /** Declarations of labels, tensors, or functions. */
    DECLARATIONS
  }

  public Program {
    functions = List.copyOf(functions);
  }

  public Optional<Function> function(String name) {
    return functions.stream().filter(f -> f.name().name().equals(name)).findFirst();
  }

  /** {@code def main() { ... }}. */
  public record Function(Syntax.Label name, List<Step> steps) {
    public Function {
      steps = List.copyOf(steps);
    }
  }

  /** One declaration or statement. */
  public sealed interface Step {
    SourceSpan span();
  }

  /** {@code IndexLabel [i, j] = [0:100:2];}: every label has the same range. */
  public record LabelDeclaration(List<Syntax.Label> labels, LabelRange range, SourceSpan span)
      implements Step {
    public LabelDeclaration {
      labels = List.copyOf(labels);
    }
  }

  /**
   * Values of a label: {@code start}, {@code start + step}, ... below {@code end}.
   *
   * @param end empty for {@code [?]}, which is the size of what a tensor is read from
   * @param slices whether start, end or step were written, so that the label addresses a part of
   *     any mode that was not declared with it
   */
  public record LabelRange(
      long start, OptionalLong end, long step, boolean slices, SourceSpan span) {
    /** Whether {@code other} has the same values, and both were written as ranges. */
    public boolean means(LabelRange other) {
      return slices
          && other.slices
          && start == other.start
          && step == other.step
          && end.equals(other.end);
    }

    /** What to do where the range ends behind a mode of {@code size} coordinates. */
    public String remedy(String label, long size) {
      String shorter = "end the range at " + size + " or before";
      return size().equals(OptionalLong.of(size))
          ? shorter + ", or declare the mode with " + label + ", which then counts from 0 in it"
          : shorter;
    }

    /** Number of values; empty when it is not known before the program runs. */
    public OptionalLong size() {
      return end.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(Math.max(0, (end.getAsLong() - start + step - 1) / step));
    }
  }

  /**
   * {@code Tensor<double> A([i, j], {CSR});}.
   *
   * @param format a text that {@link TensorFormat#parse} reads
   */
  public record TensorDeclaration(
      Syntax.Label name, ValueType valueType, List<Mode> modes, String format, SourceSpan span)
      implements Step {
    public TensorDeclaration {
      modes = List.copyOf(modes);
    }

    /** The format without the widths that depend on the entries. */
    public TensorFormat parsedFormat() {
      return TensorFormat.parse(format, modes.size(), valueType);
    }
  }

  /** How a declaration gives the size of a mode: by label, by number, or not at all. */
  public sealed interface Mode {
    SourceSpan span();
  }

  /** The size of the label's range. */
  public record LabelledMode(Syntax.Label label) implements Mode {
    @Override
    public SourceSpan span() {
      return label.span();
    }
  }

  /** A number. */
  public record SizedMode(long size, SourceSpan span) implements Mode {}

  /** {@code ?}. */
  public record OpenMode(SourceSpan span) implements Mode {}

  /** {@code C[i,k] = A[i,j] * B[j,k];}, fills such as {@code C[i,k] = 0.0;} included. */
  public record Assign(Statement statement, SourceSpan span) implements Step {}

  /**
   * {@code A[i,j] = comet_read(0, 2);}.
   *
   * @param file N of {@code SPARSE_FILE_NAMEN}
   */
  public record ReadNumbered(Syntax.Access target, int file, MatrixPart part, SourceSpan span)
      implements Step {}

  /** {@code A[i,j] = read("x.tns");}. */
  public record ReadUri(Syntax.Access target, String uri, SourceSpan span) implements Step {}

  /** {@code A[i,j] = random();}: values in [0, 1). */
  public record FillRandom(Syntax.Access target, SourceSpan span) implements Step {}

  /** {@code write(A, "x.tns");}. */
  public record Write(Syntax.Access tensor, String uri, SourceSpan span) implements Step {}

  /** {@code var s = SUM(A[i,j]);} or {@code s += 1;}. */
  public record AssignScalar(
      Syntax.Label name, Statement.Assignment assignment, Syntax value, SourceSpan span)
      implements Step {}

  /** {@code var t0 = getTime();}. */
  public record ReadClock(Syntax.Label name, SourceSpan span) implements Step {}

  /** {@code print(A);}, {@code print(A[i,j]);}, {@code print(s);}. */
  public record Print(Syntax value, SourceSpan span) implements Step {}

  /** {@code printElapsedTime(t0, t1);}. */
  public record PrintElapsed(Syntax from, Syntax to, SourceSpan span) implements Step {}

  /** {@code for n in range(0, 10, 2): ... end}. */
  public record Loop(
      Syntax.Label variable, long start, long end, long step, List<Step> body, SourceSpan span)
      implements Step {
    public Loop {
      body = List.copyOf(body);
    }
  }

  /** {@code f();}: runs another function of the program. */
  public record CallFunction(Syntax.Label name, SourceSpan span) implements Step {}

  /** {@code return;}. */
  public record Return(SourceSpan span) implements Step {}

  /** Which entries of a matrix {@code comet_read} keeps; the number is its second argument. */
  public enum MatrixPart {
    ALL,
    STRICTLY_LOWER,
    LOWER,
    STRICTLY_UPPER,
    UPPER;

    /** The argument that names this part. */
    public int number() {
      return ordinal() + 1;
    }
  }
}
