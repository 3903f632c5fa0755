package org.weft.planner.distributed;

/**
 * What a node of a plan is predicted to take, without its inputs.
 *
 * @param bytes moved between parts
 * @param memoryBytes of one task
 * @param flops of all tasks
 * @param seconds elapsed
 */
public record Costs(double bytes, double memoryBytes, double flops, double seconds) {
  public static final Costs NONE = new Costs(0, 0, 0, 0);
}
