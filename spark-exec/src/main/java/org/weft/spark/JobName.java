package org.weft.spark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.SparkContext;
import org.weft.engine.Backend;

/**
 * The name under which Spark shows the jobs of this thread: a group per Weft job, a description per
 * step, which names its stages too. Closing brings the previous name back.
 */
final class JobName implements Backend.Label {
  private static final String GROUP = "spark.jobGroup.id";
  private static final String DESCRIPTION = "spark.job.description";
  private static final String INTERRUPT = "spark.job.interruptOnCancel";

  /** Of stages. Without names, Spark looks for its caller in a trace of the stack, for each RDD. */
  private static final List<String> CALLER = List.of("callSite.short", "callSite.long");

  private final SparkContext context;
  private final Map<String, String> previous = new HashMap<>();

  private JobName(SparkContext context) {
    this.context = context;
    for (String property : List.of(GROUP, DESCRIPTION, INTERRUPT)) {
      previous.put(property, context.getLocalProperty(property));
    }
    CALLER.forEach(property -> previous.put(property, context.getLocalProperty(property)));
  }

  /** A new group, unless the caller has set one of its own. */
  static JobName open(SparkContext context, String description) {
    JobName name = new JobName(context);
    if (name.previous.get(GROUP) == null) {
      context.setJobGroup("weft-" + UUID.randomUUID(), description, true);
    }
    describe(context, description);
    return name;
  }

  /** Says what the next Spark jobs of this thread do. */
  static void describe(SparkContext context, String description) {
    context.setJobDescription(description);
    CALLER.forEach(property -> context.setLocalProperty(property, description));
  }

  @Override
  public void describe(String description) {
    describe(context, description);
  }

  @Override
  public void close() {
    previous.forEach(context::setLocalProperty);
  }
}
