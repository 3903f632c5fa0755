package org.weft.jobs.workflow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.weft.compiler.program.check.NearestNames;

/**
 * Brings steps into an order in which they can run: after those that they need, and after those
 * that make or change their inputs; otherwise as they stand in the file.
 */
final class StepOrder {
  private final Problems problems;
  private final Set<String> misnamed;

  /**
   * @param misnamed what other steps may call a step whose name is wrong; {@code ""} for a step
   *     without a name, which may be meant by any
   */
  StepOrder(Problems problems, Set<String> misnamed) {
    this.problems = problems;
    this.misnamed = misnamed;
  }

  List<WorkflowStep> ordered(List<WorkflowStep> steps) {
    Map<String, WorkflowStep> byId = new LinkedHashMap<>();
    for (WorkflowStep step : steps) {
      if (byId.put(step.id(), step) != null) {
        problems.add(
            step.position(), "expected another id, '%s' is that of a step before", step.id());
      }
    }
    checkMakers(steps);
    List<WorkflowStep> linked = new ArrayList<>();
    for (WorkflowStep step : steps) {
      linked.add(step.withNeeds(needs(step, steps, byId.keySet())));
    }
    return sorted(linked);
  }

  /** A folder that one step makes, as a whole, has nothing of another step. */
  private void checkMakers(List<WorkflowStep> steps) {
    List<WorkflowStep> before = new ArrayList<>();
    for (WorkflowStep step : steps) {
      for (String uri : step.outputs()) {
        for (WorkflowStep other : before) {
          other.outputs().stream()
              .filter(made -> WorkflowStep.isIn(uri, made) || WorkflowStep.isIn(made, uri))
              .forEach(
                  made ->
                      problems.add(
                          step.position(),
                          "expected one step that makes '%s'%s, found %s and %s",
                          uri,
                          made.equals(uri)
                              ? ""
                              : " and '" + made + "', of which one is in the other",
                          other.id(),
                          step.id()));
        }
        if (step.inputs().stream().anyMatch(read -> WorkflowStep.isIn(read, uri))) {
          problems.add(
              step.position(),
              "expected out: of step %s to be no input of it, found '%s'; what a command changes"
                  + " in place is in updates:",
              step.id(),
              uri);
        }
      }
      before.add(step);
    }
  }

  private List<String> needs(WorkflowStep step, List<WorkflowStep> steps, Set<String> ids) {
    Set<String> needs = new LinkedHashSet<>();
    for (String id : step.needs()) {
      if (id.equals(step.id())) {
        problems.add(step.position(), "expected other steps in needs of '%s', found itself", id);
      } else if (ids.contains(id)) {
        needs.add(id);
      } else if (!misnamed.contains(id) && !misnamed.contains("")) {
        problems.add(
            step.position(),
            "expected steps in needs, found '%s'%s",
            id,
            NearestNames.nearest(id, ids).map(near -> "; did you mean " + near + "?").orElse(""));
      }
    }
    for (WorkflowStep other : steps) {
      boolean makes =
          step.inputs().stream().anyMatch(uri -> other.makes(uri) || other.changes(uri));
      if (makes && !other.id().equals(step.id())) {
        needs.add(other.id());
      }
    }
    return List.copyOf(needs);
  }

  private List<WorkflowStep> sorted(List<WorkflowStep> steps) {
    List<WorkflowStep> order = new ArrayList<>();
    Set<String> done = new HashSet<>();
    List<WorkflowStep> left = new ArrayList<>(steps);
    while (!left.isEmpty()) {
      WorkflowStep next = null;
      for (WorkflowStep step : left) {
        if (next == null && done.containsAll(step.needs())) {
          next = step;
        }
      }
      if (next == null) {
        problems.add(
            left.get(0).position(),
            "expected steps without a circle, found that %s wait for each other",
            String.join(", ", left.stream().map(WorkflowStep::id).toList()));
        return order;
      }
      left.remove(next);
      done.add(next.id());
      order.add(next);
    }
    return order;
  }
}
