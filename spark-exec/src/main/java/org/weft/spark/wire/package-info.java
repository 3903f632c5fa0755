/**
 * How Weft's values travel between Spark processes whatever serializer the application has chosen:
 * {@link org.weft.spark.wire.Wire} turns them into bytes, which every serializer takes, by a Kryo
 * of Weft's own; {@link org.weft.spark.wire.PartitionWork} is what a task makes of a partition for
 * the driver; {@link org.weft.spark.wire.Sent} is a value that all processes get. Nothing else in
 * Weft collects, reduces, shuffles, keeps or broadcasts its own types.
 */
@NullMarked
package org.weft.spark.wire;

import org.jspecify.annotations.NullMarked;
