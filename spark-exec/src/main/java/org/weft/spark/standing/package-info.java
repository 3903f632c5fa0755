/**
 * Tasks that stand by on executors. A method of decomposition takes many short steps, and a Spark
 * job for each step would cost more than the step. One Spark job holds the executors' cores
 * instead; its tasks do what the driver asks for, step after step, until the driver dismisses them.
 * They are Spark tasks: Spark accounts their cores and memory, and cancels them with their job.
 *
 * <p>{@link org.weft.spark.standing.StandingTasks} is the driver's side. {@link
 * org.weft.spark.standing.StandingTask} is what an executor runs, on the pieces of a {@link
 * org.weft.spark.standing.StepWork}, which arrive by {@link org.weft.spark.exchange.RowExchange}.
 */
@NullMarked
package org.weft.spark.standing;

import org.jspecify.annotations.NullMarked;
