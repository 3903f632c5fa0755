package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.space.CoordinateRange;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/**
 * Parts of tensors that labels with a range address. A label that was declared {@code
 * [start:end:step]} and stands for a mode with more coordinates than the label has values means the
 * coordinates {@code start}, {@code start + step}, ... below {@code end}.
 */
final class AddressedParts {
  private final CallFrame frame;

  AddressedParts(CallFrame frame) {
    this.frame = frame;
  }

  /** What {@code label} means for a mode of {@code size}; empty for the whole mode. */
  Optional<CoordinateRange> range(Syntax.Label label, long size) {
    Optional<Program.LabelRange> declared = frame.label(label.name());
    if (declared.isEmpty() || !declared.get().slices()) {
      return Optional.empty();
    }
    Program.LabelRange range = declared.get();
    if (range.size().isPresent() && range.size().getAsLong() == size) {
      return Optional.empty();
    }
    long end = range.end().orElse(size);
    if (end > size || range.start() > size) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "the label "
              + label.name()
              + " runs from "
              + range.start()
              + " to "
              + end
              + " but the mode has size "
              + size
              + "; end the range at "
              + size
              + " or before");
    }
    long count = (end - range.start() + range.step() - 1) / range.step();
    return Optional.of(new CoordinateRange(range.start(), range.step(), count));
  }

  /** The ranges of all modes; empty when the access is about the whole tensor. */
  List<Optional<CoordinateRange>> ranges(Syntax.Access access, TensorShape shape) {
    List<Optional<CoordinateRange>> ranges = new ArrayList<>();
    for (int m = 0; m < access.labels().size(); m++) {
      ranges.add(range(access.labels().get(m), shape.size(m)));
    }
    return ranges.stream().allMatch(Optional::isEmpty) ? List.of() : ranges;
  }
}
