package org.weft.jobs.workflow;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A workflow with its parameters filled in: steps in an order in which they can run.
 *
 * @param text of the file, from which a run is resumed
 */
record WorkflowFile(
    String name, String text, Map<String, String> parameters, List<WorkflowStep> steps) {
  WorkflowFile {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    steps = List.copyOf(steps);
  }

  WorkflowStep step(String id) {
    return steps.stream().filter(s -> s.id().equals(id)).findFirst().orElseThrow();
  }

  /** The last step before {@code reader} that makes {@code uri}, or changes it in place. */
  Optional<WorkflowStep> maker(String uri, WorkflowStep reader) {
    WorkflowStep made = null;
    for (WorkflowStep step : steps) {
      if (step == reader) {
        break;
      }
      if (step.makes(uri) || step.changes(uri)) {
        made = step;
      }
    }
    return Optional.ofNullable(made);
  }

  /** What steps depend on and no step makes. */
  Set<String> externalInputs() {
    Set<String> external = new LinkedHashSet<>();
    for (WorkflowStep step : steps) {
      step.inputs().stream().filter(uri -> maker(uri, step).isEmpty()).forEach(external::add);
    }
    return external;
  }
}
