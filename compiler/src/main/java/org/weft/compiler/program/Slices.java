package org.weft.compiler.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.Syntax;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Parts of tensors that labels with a range address. A label that was declared {@code
 * [start:end:step]} and stands for a mode with more coordinates than the label has values means the
 * coordinates {@code start}, {@code start + step}, ... below {@code end}.
 *
 * <p>A slice is taken by a compiled product with one selection matrix per sliced mode, {@code
 * T(t,j) = S(t,i) * A(i,j)}, where S has a single 1 per row. The matrix of the outermost stored
 * mode leads the loops; those of the others are walked from the entries of A, so that the cost is
 * linear in them.
 */
final class Slices {
  private static final String BY_PART = "{CU, CU}";
  private static final String BY_WHOLE = "{CU, CU}@1,0";

  private final Evaluator evaluator;
  private final Frame frame;

  Slices(Evaluator evaluator, Frame frame) {
    this.evaluator = evaluator;
    this.frame = frame;
  }

  /** The coordinates {@code start + step * t} for {@code t} below {@code count}. */
  record Range(long start, long step, long count) {
    long coordinate(long t) {
      return start + step * t;
    }

    boolean holds(long coordinate) {
      return coordinate >= start
          && (coordinate - start) % step == 0
          && (coordinate - start) / step < count;
    }
  }

  /** What {@code label} means for a mode of {@code size}; empty for the whole mode. */
  Optional<Range> range(Syntax.Label label, long size) {
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
    return Optional.of(new Range(range.start(), range.step(), count));
  }

  /** {@code range} as a message names it. */
  static String text(Optional<Range> range) {
    return range
        .map(r -> r.count() + " coordinates from " + r.start() + " by " + r.step())
        .orElse("all coordinates");
  }

  /** The ranges of all modes; empty when the access is about the whole tensor. */
  List<Optional<Range>> ranges(Syntax.Access access, TensorShape shape) {
    List<Optional<Range>> ranges = new ArrayList<>();
    for (int m = 0; m < access.labels().size(); m++) {
      ranges.add(range(access.labels().get(m), shape.size(m)));
    }
    return ranges.stream().allMatch(Optional::isEmpty) ? List.of() : ranges;
  }

  /** The shape that {@code ranges} cut out of {@code shape}. */
  static TensorShape shape(TensorShape shape, List<Optional<Range>> ranges) {
    long[] sizes = shape.toArray();
    for (int m = 0; m < ranges.size(); m++) {
      sizes[m] = ranges.get(m).isPresent() ? ranges.get(m).get().count() : sizes[m];
    }
    return TensorShape.of(sizes);
  }

  /** The part of {@code tensor} that {@code ranges} address, in the same format. */
  TensorStorage take(
      MemoryScope scope, TensorStorage tensor, TensorFormat format, List<Optional<Range>> ranges) {
    Map<String, TensorStorage> operands = new HashMap<>();
    operands.put("Whole", tensor);
    int outermost = tensor.format().modeOrder()[0];
    StringBuilder target = new StringBuilder();
    StringBuilder source = new StringBuilder();
    StringBuilder selections = new StringBuilder();
    for (int m = 0; m < ranges.size(); m++) {
      String comma = m == 0 ? "" : ",";
      target.append(comma).append('t').append(m);
      if (ranges.get(m).isEmpty()) {
        source.append(comma).append('t').append(m);
        continue;
      }
      source.append(comma).append('s').append(m);
      selections.append("S").append(m).append("(t").append(m).append(",s").append(m).append(") * ");
      operands.put(
          "S" + m,
          selection(
              scope,
              ranges.get(m).get(),
              tensor.shape().size(m),
              TensorFormat.parse(
                  m == outermost ? BY_PART : BY_WHOLE, 2, tensor.format().valueType())));
    }
    String text = "Part(" + target + ") = " + selections + "Whole(" + source + ")";
    return evaluator.evaluate(scope, StatementInput.of(text, operands, format));
  }

  private static TensorStorage selection(
      MemoryScope scope, Range range, long size, TensorFormat format) {
    CooBlock.Builder ones = new CooBlock.Builder(2, (int) Math.min(range.count(), 1 << 20));
    for (long t = 0; t < range.count(); t++) {
      ones.set(0, t);
      ones.set(1, range.coordinate(t));
      ones.finish(1);
    }
    TensorShape shape = TensorShape.of(range.count(), size);
    return Packing.pack(
        scope, shape, format.narrowedFor(shape, range.count()), List.of(ones.build()));
  }

  /** {@code whole} with the cells that {@code ranges} address replaced by {@code part}. */
  static TensorStorage replace(
      MemoryScope scope, TensorStorage whole, TensorStorage part, List<Optional<Range>> ranges) {
    int order = whole.shape().order();
    CooBlock.Builder entries = new CooBlock.Builder(order, 16);
    whole.forEachEntry(
        (coordinates, value) -> {
          if (!holds(ranges, coordinates)) {
            entries.add(coordinates, value);
          }
        });
    long[] moved = new long[order];
    part.forEachEntry(
        (coordinates, value) -> {
          for (int m = 0; m < order; m++) {
            long coordinate = coordinates[m];
            moved[m] = ranges.get(m).map(r -> r.coordinate(coordinate)).orElse(coordinate);
          }
          entries.add(moved, value);
        });
    return Packing.pack(scope, whole.shape(), whole.format(), List.of(entries.build()));
  }

  private static boolean holds(List<Optional<Range>> ranges, long[] coordinates) {
    for (int m = 0; m < coordinates.length; m++) {
      if (ranges.get(m).isPresent() && !ranges.get(m).get().holds(coordinates[m])) {
        return false;
      }
    }
    return true;
  }
}
