package org.weft.planner;

import java.io.Serializable;

/**
 * Prediction for one step of a job, over the whole cluster.
 *
 * @param step {@code read}, {@code shuffle}, {@code pack}, {@code compile}, {@code kernel}, {@code
 *     merge} or {@code write}
 * @param bytesMoved bytes read, sent or touched
 * @param flops floating-point operations
 * @param seconds of wall-clock time
 * @param memoryBytesPerExecutor bytes that an executor holds at most during the step
 */
public record StepCosts(
    String step, double bytesMoved, double flops, double seconds, double memoryBytesPerExecutor)
    implements Serializable {}
