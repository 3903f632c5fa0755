/**
 * Runs plans on Spark. {@link org.weft.engine.Engine} is the front door: it reads tensors, plans
 * jobs, runs them, and owns the compiler, which lives on the driver only. Code that runs on
 * executors is in the sub-packages and names no class of the compiler.
 *
 * <p>Invariants: text is parsed once; a partition is packed once per executor; off-heap memory is
 * accounted with Spark and freed explicitly; the same plan gives the same bits.
 */
@NullMarked
package org.weft.spark;

import org.jspecify.annotations.NullMarked;
