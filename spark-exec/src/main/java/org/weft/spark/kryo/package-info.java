/**
 * How Weft's types travel between Spark processes: {@link org.weft.spark.kryo.WeftRegistrator}
 * lists them all, with serializers that write columns and arrays in bulk. Kryo here is the version
 * 4 that Spark bundles.
 */
@NullMarked
package org.weft.spark.kryo;

import org.jspecify.annotations.NullMarked;
