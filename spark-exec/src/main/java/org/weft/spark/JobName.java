package org.weft.spark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.weft.engine.Backend;

/**
 * The name under which Spark shows the jobs of this thread: a group per Weft job, a description per
 * step. Closing brings the previous name back.
 */
final class JobName implements Backend.Label {
  private static final String GROUP = "spark.jobGroup.id";
  private static final String DESCRIPTION = "spark.job.description";
  private static final String INTERRUPT = "spark.job.interruptOnCancel";

  private final SparkContext context;
  private final Map<String, String> previous = new HashMap<>();

  private JobName(SparkContext context) {
    this.context = context;
    for (String property : List.of(GROUP, DESCRIPTION, INTERRUPT)) {
      previous.put(property, context.getLocalProperty(property));
    }
  }

  /** A new group, unless the caller has set one of its own. */
  static JobName open(SparkContext context, String description) {
    JobName name = new JobName(context);
    if (name.previous.get(GROUP) == null) {
      context.setJobGroup("weft-" + UUID.randomUUID(), description, true);
    } else {
      context.setJobDescription(description);
    }
    return name;
  }

  @Override
  public void describe(String description) {
    context.setJobDescription(description);
  }

  @Override
  public void close() {
    previous.forEach(context::setLocalProperty);
  }
}
