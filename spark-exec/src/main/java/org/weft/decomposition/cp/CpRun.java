package org.weft.decomposition.cp;

import java.util.Optional;
import java.util.function.Function;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;

/**
 * How one run of a CP decomposition begins, and what it leaves on its way.
 *
 * @param start to go on from; empty for the factors of the job's seed
 */
public record CpRun(Optional<CpState> start, Checkpoints checkpoints) {
  /** From the seed, without checkpoints. */
  public static final CpRun FRESH = new CpRun(Optional.empty(), (sweep, last, state) -> {});

  /** The latest state that this run has kept, or the one it began with. */
  Optional<CpState> latest() {
    return checkpoints.kept().or(() -> start);
  }

  /** Brings rows to where they outlive the run. */
  @FunctionalInterface
  public interface Keeper {
    /** In this process. Memory: all rows. */
    Keeper COLLECTED = (site, name, rows) -> RowSource.of(site.collect(rows));

    /**
     * @param name no other rows of the state have
     */
    RowSource keep(Site site, String name, Rows rows);
  }

  /** Keeps states of a run. */
  public interface Checkpoints {
    /**
     * Hears of every sweep.
     *
     * @param sweep counts from 1, over all that have led to the state
     * @param last whether no other follows
     * @param state the state, with rows that it has kept; in the tensor's own coordinates
     */
    void after(int sweep, boolean last, Function<Keeper, CpState> state);

    /** What a run goes on from whose rows were lost with their executors; empty: its beginning. */
    default Optional<CpState> kept() {
      return Optional.empty();
    }
  }
}
