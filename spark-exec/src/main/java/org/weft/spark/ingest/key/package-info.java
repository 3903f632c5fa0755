/**
 * Keys of labels while a table becomes a tensor. {@link org.weft.spark.ingest.key.ModeKeys} numbers
 * the keys of a mode, which are byte strings ({@link org.weft.spark.ingest.key.KeyBytes}) in a
 * {@link org.weft.spark.ingest.key.ByteDictionary}; {@link org.weft.spark.ingest.key.KeySort} sorts
 * rows by their numbers.
 *
 * <p>In one process {@link org.weft.spark.ingest.key.HeapLimit} says when a table is left to Spark.
 * There a task reads {@link org.weft.spark.ingest.key.KeyedRows}; their keys go as {@link
 * org.weft.spark.ingest.key.KeyShare} to the {@link org.weft.spark.ingest.key.KeyRange} that {@link
 * org.weft.spark.ingest.key.KeyBounds} name, and come back as {@link
 * org.weft.spark.ingest.key.PlacedKeys}; {@link org.weft.spark.ingest.key.SortRuns} sorts rows that
 * do not fit the memory.
 */
@NullMarked
package org.weft.spark.ingest.key;

import org.jspecify.annotations.NullMarked;
