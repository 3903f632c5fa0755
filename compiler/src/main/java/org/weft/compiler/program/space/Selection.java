package org.weft.compiler.program.space;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MemoryScope;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;

/**
 * Takes a part of a stored tensor: a compiled product with one selection matrix per sliced mode,
 * {@code T(t,j) = S(t,i) * A(i,j)}, where S has a single 1 per row. The matrix of the outermost
 * stored mode leads the loops; those of the others are walked from the entries of A, so that the
 * cost is linear in them. A matrix has no rows for coordinates that A lacks if they are many.
 *
 * @param ranges one for each mode
 */
record Selection(Evaluator evaluator, List<Optional<CoordinateRange>> ranges) {
  private static final String BY_PART = "{CU, CU}";
  private static final String BY_WHOLE = "{CU, CU}@1,0";

  /** The part of {@code tensor}, stored as {@code format}. */
  TensorStorage of(MemoryScope scope, TensorStorage tensor, TensorFormat format) {
    try (MemoryScope temporary = scope.child("selection")) {
      return evaluator.evaluate(
          scope, StatementInput.of(text(), operands(temporary, tensor), format));
    }
  }

  private String text() {
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
    }
    return "Part(" + target + ") = " + selections + "Whole(" + source + ")";
  }

  private Map<String, TensorStorage> operands(MemoryScope scope, TensorStorage tensor) {
    Map<String, TensorStorage> operands = new HashMap<>();
    operands.put("Whole", tensor);
    int outermost = tensor.format().modeOrder()[0];
    for (int m = 0; m < ranges.size(); m++) {
      if (ranges.get(m).isPresent()) {
        String format = m == outermost ? BY_PART : BY_WHOLE;
        operands.put(
            "S" + m,
            matrix(scope, tensor, m, TensorFormat.parse(format, 2, tensor.format().valueType())));
      }
    }
    return operands;
  }

  private TensorStorage matrix(
      MemoryScope scope, TensorStorage tensor, int mode, TensorFormat format) {
    CoordinateRange range = ranges.get(mode).orElseThrow();
    long[] rows = rows(tensor, mode, range);
    CooBlock.Builder ones = new CooBlock.Builder(2, rows.length);
    for (long t : rows) {
      ones.set(0, t);
      ones.set(1, range.coordinate(t));
      ones.finish(1);
    }
    TensorShape shape = TensorShape.of(range.count(), tensor.shape().size(mode));
    return Packing.pack(
        scope, shape, format.narrowedFor(shape, rows.length), List.of(ones.build()));
  }

  /** All rows, or those that the tensor has if these are certainly fewer. */
  private static long[] rows(TensorStorage tensor, int mode, CoordinateRange range) {
    if (range.count() <= tensor.storedEntries()) {
      return LongStream.range(0, range.count()).toArray();
    }
    LongStream.Builder rows = LongStream.builder();
    tensor.forEachPosition(
        (coordinates, position) -> {
          long row = range.position(coordinates[mode]);
          if (row >= 0) {
            rows.add(row);
          }
        });
    return rows.build().sorted().distinct().toArray();
  }
}
