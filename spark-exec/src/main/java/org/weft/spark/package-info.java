/**
 * Runs plans on Spark, driver side. {@link org.weft.spark.SparkEngine} makes an {@link
 * org.weft.engine.Engine} whose backend is {@code SparkBackend}. The compiler lives on the driver
 * only: code that runs on executors is in the sub-packages and names no class of the compiler. Read
 * {@code SparkBackend}, then {@code SparkPasses}.
 *
 * <p>Invariants: text is parsed once; a partition is packed once per executor; off-heap memory is
 * accounted with Spark and freed explicitly; the same plan gives the same bits.
 */
@NullMarked
package org.weft.spark;

import org.jspecify.annotations.NullMarked;
