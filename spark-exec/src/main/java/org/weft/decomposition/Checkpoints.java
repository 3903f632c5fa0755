package org.weft.decomposition;

import java.util.Optional;
import java.util.function.Supplier;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;

/** Has the state from which a run begins, and may keep the states that the run reaches. */
public interface Checkpoints {
  /** A run from the seed that keeps nothing. */
  Checkpoints NONE = from(Optional.empty());

  /**
   * The state to begin with: the latest state of this run if rows were lost, otherwise the state of
   * an earlier run. Empty to begin from the seed.
   */
  Optional<MethodState<RowSource>> latest();

  /**
   * Hears of every sweep.
   *
   * @param sweep counts from 1, over all that have led to the state
   * @param last whether no sweep follows
   * @param site where the rows of the state lie
   * @param state the state after the sweep
   */
  void after(int sweep, boolean last, Site site, Supplier<MethodState<Rows>> state);

  /** Begins with a state, and keeps nothing. */
  static Checkpoints from(Optional<MethodState<RowSource>> state) {
    return new Checkpoints() {
      @Override
      public Optional<MethodState<RowSource>> latest() {
        return state;
      }

      @Override
      public void after(int sweep, boolean last, Site site, Supplier<MethodState<Rows>> found) {}
    };
  }
}
