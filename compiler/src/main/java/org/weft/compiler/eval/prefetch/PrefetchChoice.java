package org.weft.compiler.eval.prefetch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.weft.compiler.Directive;
import org.weft.compiler.PrefetchDistance;
import org.weft.compiler.algebra.IndexVar;
import org.weft.compiler.algebra.TensorVar;
import org.weft.compiler.lower.schedule.Lookup;
import org.weft.tensor.TensorStorage;

/**
 * Which rows a kernel over stored operands should prefetch: those of operands past the caches,
 * where the coordinates that choose them jump about. Coordinates are sampled, so that a banded or
 * well reordered matrix pays for nothing. Cost: {@link SampledMisses} for each operand that is
 * large enough and found by enough coordinates to be worth it.
 */
public final class PrefetchChoice {
  private final ToLongFunction<IndexVar> sizes;
  private final Map<String, TensorStorage> operands;

  /**
   * @param sizes of labels
   * @param operands by name; temporaries, which nobody has seen yet, are not among them
   */
  public PrefetchChoice(ToLongFunction<IndexVar> sizes, Map<String, TensorStorage> operands) {
    this.sizes = sizes;
    this.operands = operands;
  }

  /** A directive, and why it is expected to pay. */
  public record Choice(Directive.Prefetch directive, String reason) {
    @Override
    public String toString() {
      return directive + ": " + reason;
    }
  }

  /** What to add to the schedule of a kernel that finds rows like this, one for each label. */
  public List<Choice> of(List<Lookup> lookups) {
    Map<String, Choice> choices = new LinkedHashMap<>();
    for (Lookup lookup : lookups) {
      TensorVar walked = lookup.walked();
      TensorStorage stored = operands.get(walked.name());
      boolean known =
          stored != null
              && stored.format().equals(walked.stored())
              && PrefetchDistance.isLong(stored.positions(lookup.level()))
              && lookup.variable().label().equals(lookup.variable());
      if (!known || stored == null) {
        continue;
      }
      double rows = sizes.applyAsLong(lookup.variable());
      double bytes = bytes(lookup);
      if (rows == 0 || !PrefetchDistance.isFar(bytes)) {
        continue;
      }
      long rowBytes = (long) (bytes / rows);
      double misses = SampledMisses.share(stored.crd(lookup.level()), rowBytes);
      int distance =
          PrefetchDistance.of(
              lookup.findsFibers() ? PrefetchDistance.FIBER_BYTES : rowBytes, misses);
      String name = lookup.variable().name();
      Choice before = choices.get(name);
      if (distance > 0 && (before == null || distance < before.directive().distance())) {
        String reason =
            String.format(
                Locale.ROOT,
                "%.0f %% of the coordinates of %s ask for rows of %s, %.0f MiB, that are not near",
                100 * misses,
                walked,
                lookup.rows(),
                bytes / (1 << 20));
        choices.put(name, new Choice(new Directive.Prefetch(name, distance), reason));
      }
    }
    return new ArrayList<>(choices.values());
  }

  /** Of all rows together; 0 where nobody knows yet. */
  private double bytes(Lookup lookup) {
    if (lookup.findsFibers()) {
      TensorStorage rows = operands.get(lookup.rows().name());
      return rows == null || !rows.format().equals(lookup.rows().stored()) ? 0 : rows.byteSize();
    }
    double cells =
        lookup.labels().stream().mapToDouble(sizes::applyAsLong).reduce(1, (a, b) -> a * b);
    return cells * lookup.rows().format().valueType().bytes();
  }
}
