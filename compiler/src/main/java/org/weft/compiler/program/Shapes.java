package org.weft.compiler.program;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.check.ProgramChecker;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * The sizes of dynamic labels. As in COMET, a label declared {@code [?]} has the size of the first
 * declared sparse tensor with that label; where there is none, of any tensor that has a value. A
 * read that comes later in the program is done ahead of its turn when a size is needed before.
 */
record Shapes(CallFrame frame, Inputs inputs, TensorSpace space) {
  /**
   * Size of a mode as declared, or as its label has it from other tensors; empty if nobody says.
   */
  OptionalLong size(Program.Mode mode) {
    OptionalLong declared = ProgramChecker.staticSize(mode, frame.labels());
    if (declared.isPresent() || !(mode instanceof Program.LabelledMode labelled)) {
      return declared;
    }
    return dynamic(labelled.label().name());
  }

  private OptionalLong dynamic(String label) {
    OptionalLong sparse = stored(label, false);
    if (sparse.isPresent()) {
      return sparse;
    }
    OptionalLong ahead = ahead(label);
    return ahead.isPresent() ? ahead : stored(label, true);
  }

  private OptionalLong stored(String label, boolean dense) {
    for (TensorVariable tensor : frame.tensors()) {
      TensorShape shape = tensor.shape();
      int mode = modeOf(tensor.declaration(), label);
      if (shape != null && mode >= 0 && tensor.isDense() == dense) {
        return OptionalLong.of(shape.size(mode));
      }
    }
    return OptionalLong.empty();
  }

  private OptionalLong ahead(String label) {
    for (Program.Step step : frame.reads()) {
      Syntax.Access target =
          step instanceof Program.ReadNumbered read
              ? read.target()
              : ((Program.ReadUri) step).target();
      if (!frame.isTensor(target.tensor())) {
        continue;
      }
      TensorVariable tensor = frame.tensor(target);
      int mode = modeOf(tensor.declaration(), label);
      if (mode < 0 || tensor.value() != null) {
        continue;
      }
      TensorSpace.Input input = frame.kept(step);
      if (input == null) {
        input = inputs.read(space, step, tensor.stored());
        frame.keep(step, input);
      }
      if (mode < input.shape().order()) {
        return OptionalLong.of(input.shape().size(mode));
      }
    }
    return OptionalLong.empty();
  }

  private static int modeOf(Program.TensorDeclaration declaration, String label) {
    List<Program.Mode> modes = declaration.modes();
    for (int m = 0; m < modes.size(); m++) {
      if (modes.get(m) instanceof Program.LabelledMode labelled
          && labelled.label().name().equals(label)) {
        return m;
      }
    }
    return -1;
  }

  /**
   * The shape of a tensor accessed as {@code access}.
   *
   * @param hints sizes of labels in the statement, for modes that nothing else gives a size
   * @throws WeftException {@code SHAPE_MISMATCH} naming the mode without a size
   */
  TensorShape shape(TensorVariable tensor, Syntax.Access access, Map<String, Long> hints) {
    List<Program.Mode> modes = tensor.declaration().modes();
    long[] sizes = new long[modes.size()];
    for (int m = 0; m < sizes.length; m++) {
      Program.Mode mode = modes.get(m);
      Long hint = m < access.labels().size() ? hints.get(access.labels().get(m).name()) : null;
      OptionalLong size = size(mode);
      if (size.isEmpty() && hint == null) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "the size of mode "
                + m
                + " of "
                + tensor.name()
                + " is not known here: its label is dynamic and no tensor with that label has been"
                + " read; read one first, or give the label a size: IndexLabel ["
                + mode.span().text()
                + "] = [32];");
      }
      sizes[m] = size.isPresent() ? size.getAsLong() : hint;
    }
    return TensorShape.of(sizes);
  }

  /**
   * The shape of what was read. Where a file states none, its largest coordinates are within the
   * declared sizes, which then are those of the tensor.
   */
  TensorShape declared(TensorVariable tensor, TensorSpace.Input input, String what) {
    TensorShape found = input.shape();
    TensorShape shape = found;
    List<Program.Mode> modes = tensor.declaration().modes();
    for (int m = 0; !input.declaresShape() && m < Math.min(found.order(), modes.size()); m++) {
      OptionalLong size = ProgramChecker.staticSize(modes.get(m), frame.labels());
      if (size.isPresent() && found.size(m) > size.getAsLong()) {
        throw otherSize(tensor, found, what, m, size.getAsLong());
      }
      shape = shape.with(m, size.orElse(found.size(m)));
    }
    requireDeclared(tensor, shape, what);
    return shape;
  }

  /** Refuses a value whose shape is not that of the declaration. */
  void requireDeclared(TensorVariable tensor, TensorShape shape, String what) {
    List<Program.Mode> modes = tensor.declaration().modes();
    if (shape.order() != modes.size()) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          what
              + " has "
              + Counts.plain(shape.order(), "mode")
              + " ("
              + shape
              + ") but "
              + tensor.name()
              + " is declared with "
              + modes.size()
              + "; declare as many labels as the file has modes");
    }
    for (int m = 0; m < modes.size(); m++) {
      OptionalLong declared = ProgramChecker.staticSize(modes.get(m), frame.labels());
      if (declared.isPresent() && declared.getAsLong() != shape.size(m)) {
        throw otherSize(tensor, shape, what, m, declared.getAsLong());
      }
    }
  }

  private static WeftException otherSize(
      TensorVariable tensor, TensorShape shape, String what, int mode, long declared) {
    return new WeftException(
        ErrorCode.SHAPE_MISMATCH,
        what
            + " is "
            + shape
            + " but mode "
            + mode
            + " of "
            + tensor.name()
            + " is declared with size "
            + declared
            + "; declare its label [?] to take the size from the data");
  }
}
