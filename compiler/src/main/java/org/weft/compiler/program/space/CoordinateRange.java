package org.weft.compiler.program.space;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/** The coordinates {@code start + step * t} of a mode, for {@code t} below {@code count}. */
public record CoordinateRange(long start, long step, long count) implements Serializable {
  public long coordinate(long t) {
    return start + step * t;
  }

  /** The {@code t} of {@code coordinate}, or -1 if the range does not have it. */
  public long position(long coordinate) {
    return coordinate >= start
            && (coordinate - start) % step == 0
            && (coordinate - start) / step < count
        ? (coordinate - start) / step
        : -1;
  }

  /** The shape that {@code ranges}, one for each mode, cut out of {@code shape}. */
  public static TensorShape cut(TensorShape shape, List<Optional<CoordinateRange>> ranges) {
    long[] sizes = shape.toArray();
    for (int m = 0; m < ranges.size(); m++) {
      sizes[m] = ranges.get(m).isPresent() ? ranges.get(m).get().count() : sizes[m];
    }
    return TensorShape.of(sizes);
  }

  /** {@code range} as a message names it. */
  public static String text(Optional<CoordinateRange> range) {
    return range
        .map(r -> Counts.plain(r.count(), "coordinate") + " from " + r.start() + " by " + r.step())
        .orElse("all coordinates");
  }
}
