package org.weft.jobs.workflow;

/** Steps and what lies between them, in the language of Graphviz. */
final class Graph {
  private Graph() {}

  static String dot(WorkflowFile workflow) {
    StringBuilder dot = new StringBuilder("digraph " + quoted(workflow.name()) + " {\n");
    dot.append("  rankdir=LR;\n  node [shape=box];\n");
    for (WorkflowStep step : workflow.steps()) {
      String command = step.command().get(0);
      dot.append("  ").append(quoted(step.id()));
      dot.append(" [label=").append(quoted(step.id() + "\\nweft " + command)).append("];\n");
    }
    for (WorkflowStep step : workflow.steps()) {
      for (String need : step.needs()) {
        dot.append("  ").append(quoted(need)).append(" -> ").append(quoted(step.id()));
        step.inputs().stream()
            .filter(uri -> workflow.maker(uri, step).map(m -> m.id().equals(need)).orElse(false))
            .findFirst()
            .ifPresent(uri -> dot.append(" [label=").append(quoted(last(uri))).append("]"));
        dot.append(";\n");
      }
    }
    return dot.append("}\n").toString();
  }

  private static String last(String uri) {
    return uri.substring(uri.lastIndexOf('/') + 1);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\"", "\\\"") + "\"";
  }
}
