package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;
import org.weft.compiler.program.space.CoordinateRange;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorShape;

/**
 * Parts of tensors that labels with a range address. A label that was declared {@code
 * [start:end:step]} means the coordinates {@code start}, {@code start + step}, ... below {@code
 * end} of a mode, unless the range is that of the mode itself: then the label counts from 0 in it.
 */
final class AddressedParts {
  private final CallFrame frame;
  private final Shapes shapes;

  AddressedParts(CallFrame frame, Shapes shapes) {
    this.frame = frame;
    this.shapes = shapes;
  }

  /** What a label means for mode {@code m}, of {@code size} coordinates; empty for all of them. */
  Optional<CoordinateRange> range(Syntax.Access access, int m, long size) {
    Optional<Program.LabelRange> written = written(access, m);
    if (written.isEmpty() || counts(frame.tensor(access), m, written.get())) {
      return Optional.empty();
    }
    Program.LabelRange range = written.get();
    String label = access.labels().get(m).name();
    long end = range.end().orElse(size);
    if (end > size || range.start() > size) {
      throw new WeftException(
          ErrorCode.SHAPE_MISMATCH,
          "the label "
              + label
              + " runs from "
              + range.start()
              + " to "
              + end
              + " but mode "
              + m
              + " of "
              + access.tensor()
              + " has size "
              + size
              + "; "
              + range.remedy(label, size));
    }
    long count = (end - range.start() + range.step() - 1) / range.step();
    return count == size // then the range begins at 0
        ? Optional.empty()
        : Optional.of(new CoordinateRange(range.start(), range.step(), count));
  }

  /**
   * What a label of a transposition's list means for mode {@code m} of the left side: all of it,
   * too, if the label has as many values.
   */
  Optional<CoordinateRange> listed(Syntax.Access access, int m, long size) {
    boolean all =
        written(access, m)
            .map(Program.LabelRange::size)
            .filter(values -> values.equals(OptionalLong.of(size)))
            .isPresent();
    return all ? Optional.empty() : range(access, m, size);
  }

  /** The ranges of all modes; empty when the access is about the whole tensor. */
  List<Optional<CoordinateRange>> ranges(Syntax.Access access, TensorShape shape) {
    List<Optional<CoordinateRange>> ranges = new ArrayList<>();
    for (int m = 0; m < access.labels().size(); m++) {
      ranges.add(range(access, m, shape.size(m)));
    }
    return ranges.stream().allMatch(Optional::isEmpty) ? List.of() : ranges;
  }

  /** Whether a label of {@code access} may address a part of its mode. */
  boolean possible(Syntax.Access access) {
    return IntStream.range(0, access.labels().size()).anyMatch(m -> written(access, m).isPresent());
  }

  /** The ranges that count from 0 in the modes of a tensor that is stored next. */
  List<Optional<Program.LabelRange>> counting(Syntax.Access access) {
    TensorVariable tensor = frame.tensor(access);
    return IntStream.range(0, access.labels().size())
        .mapToObj(m -> written(access, m).filter(range -> counts(tensor, m, range)))
        .toList();
  }

  private Optional<Program.LabelRange> written(Syntax.Access access, int m) {
    return frame.label(access.labels().get(m).name()).filter(Program.LabelRange::slices);
  }

  /** Whether {@code range} is that of the mode, or gives the mode its size. */
  private boolean counts(TensorVariable tensor, int m, Program.LabelRange range) {
    Program.Mode mode = tensor.declaration().modes().get(m);
    Optional<Program.LabelRange> own = tensor.counted(m);
    if (own.isEmpty() && mode instanceof Program.LabelledMode labelled) {
      own = frame.label(labelled.label().name());
    }
    return own.isPresent() && own.get().means(range)
        || tensor.value() == null && shapes.size(mode).isEmpty();
  }
}
