package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Removes old runs from a state, and records that nothing can use: those whose outputs are gone or
 * belong to another step by now. Outputs themselves are left alone.
 */
final class Garbage {
  private final StateFolder state;

  Garbage(StateFolder state) {
    this.state = state;
  }

  /**
   * Collects.
   *
   * @param keep runs that stay, the newest
   * @param pretend whether to remove nothing
   * @return names in the state that were removed
   */
  List<String> collect(int keep, boolean pretend) {
    List<String> garbage = new ArrayList<>();
    List<String> runs = state.names(StateNames.RUNS);
    Set<String> kept = new HashSet<>(runs.subList(Math.max(0, runs.size() - keep), runs.size()));
    runs.stream()
        .filter(run -> !kept.contains(run))
        .forEach(run -> garbage.add(StateNames.RUNS + "/" + run));
    StepInputs inputs =
        new StepInputs(new WorkflowFile("", "", java.util.Map.of(), List.of()), state);
    for (String name : state.names(StateNames.DONE)) {
      String record = StateNames.DONE + "/" + name;
      Optional<Records.Done> done = state.read(record, Records.Done.class);
      if (done.isPresent()
          && !kept.contains(done.get().run())
          && inputs.changed(done.get()).isPresent()) {
        garbage.add(record);
      }
    }
    if (!pretend) {
      garbage.forEach(state::remove);
    }
    return garbage;
  }
}
