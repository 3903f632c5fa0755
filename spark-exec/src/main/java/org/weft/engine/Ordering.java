package org.weft.engine;

import java.util.List;
import java.util.Optional;
import org.weft.reorder.Relabelling;

/**
 * An order that was found for a tensor, or the finding that none pays.
 *
 * @param method the reorderer's name, or where the permutations come from
 * @param relabelling from the coordinates that the file stores; empty to leave the tensor as it is
 * @param entries entries that were ordered on the driver; fewer than the tensor's for a sample
 * @param seconds elapsed, decision included
 * @param isGiven whether the relabelling is from original coordinates instead, which differ in a
 *     container that was reordered
 * @param reasons lines for people
 */
public record Ordering(
    String method,
    Optional<Relabelling> relabelling,
    long entries,
    double seconds,
    boolean isGiven,
    List<String> reasons) {
  public Ordering {
    reasons = List.copyOf(reasons);
  }

  /** Permutations that somebody else made. */
  public static Ordering given(String source, Relabelling relabelling) {
    return new Ordering(
        source, Optional.of(relabelling), 0, 0, true, List.of("permutations of " + source));
  }

  /** The coordinates stay as they are. */
  public static Ordering none() {
    return new Ordering("none", Optional.empty(), 0, 0, false, List.of());
  }
}
