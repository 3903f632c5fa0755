/**
 * What tasks measure about themselves, and the weft source of Spark's metrics system. {@link
 * org.weft.engine.TaskMeasurement} is one observation; {@link org.weft.spark.metrics.KernelMetrics}
 * publishes the kernels' rates of a process.
 */
@NullMarked
package org.weft.spark.metrics;

import org.jspecify.annotations.NullMarked;
