package org.weft.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.weft.decomposition.Checkpoints;
import org.weft.decomposition.MethodState;
import org.weft.decomposition.rows.RowSource;
import org.weft.decomposition.rows.Rows;
import org.weft.decomposition.rows.Site;

/** Keeps the state after each sweep of a run from the seed. */
final class KeptStates implements Checkpoints {
  private final Keeper keeper;
  private final List<MethodState<RowSource>> states = new ArrayList<>();

  /** Brings rows to where they outlive a run. */
  interface Keeper {
    RowSource keep(Site site, String name, Rows rows);
  }

  KeptStates(Keeper keeper) {
    this.keeper = keeper;
  }

  /** All in this process. */
  static KeptStates collected() {
    return new KeptStates((site, name, rows) -> RowSource.of(site.collect(rows)));
  }

  List<MethodState<RowSource>> states() {
    return states;
  }

  /** A run that begins with the state after a sweep, which counts from 1. */
  Checkpoints from(int sweep) {
    return Checkpoints.from(Optional.of(states.get(sweep - 1)));
  }

  @Override
  public Optional<MethodState<RowSource>> latest() {
    return Optional.empty();
  }

  @Override
  public void after(int sweep, boolean last, Site site, Supplier<MethodState<Rows>> state) {
    states.add(state.get().map((name, rows) -> keeper.keep(site, sweep + "-" + name, rows)));
  }
}
