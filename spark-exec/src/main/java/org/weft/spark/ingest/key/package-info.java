/**
 * Keys of labels while one process reads a table: {@link org.weft.spark.ingest.key.ByteDictionary}
 * numbers them, {@link org.weft.spark.ingest.key.KeySort} sorts rows by their numbers, and {@link
 * org.weft.spark.ingest.key.HeapLimit} says when a table is left to Spark.
 */
@NullMarked
package org.weft.spark.ingest.key;

import org.jspecify.annotations.NullMarked;
