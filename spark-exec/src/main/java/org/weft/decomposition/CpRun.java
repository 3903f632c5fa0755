package org.weft.decomposition;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * How one run of a CP decomposition begins, and what it leaves on its way.
 *
 * @param start to go on from; empty for the factors of the job's seed
 */
public record CpRun(Optional<CpState> start, Checkpoints checkpoints) {
  /** From the seed, without checkpoints. */
  public static final CpRun FRESH = new CpRun(Optional.empty(), (sweep, last, state) -> {});

  /** Keeps states of a run. */
  public interface Checkpoints {
    /**
     * Hears of every sweep.
     *
     * @param sweep counts from 1, over all that have led to the state
     * @param last whether no other follows
     * @param state copies the factors; rows in the tensor's own coordinates
     */
    void after(int sweep, boolean last, Supplier<CpState> state);
  }
}
