/**
 * Keys of labels while rows of a table become entries of a tensor. Keys are byte strings that
 * compare as the labels do ({@link org.weft.spark.key.KeyLabels}), numbered in a {@link
 * org.weft.spark.key.ByteDictionary}.
 *
 * <p>Read {@link org.weft.spark.key.Numbering} first. A task makes {@link
 * org.weft.spark.key.KeyedRows} of rows, which executors hold as {@link
 * org.weft.spark.key.KeptRows}. Their keys go as {@link org.weft.spark.key.KeyShare} to the {@link
 * org.weft.spark.key.KeyRange} that {@link org.weft.spark.key.KeyBounds} name, and come back as
 * {@link org.weft.spark.key.PlacedKeys}, with which rows become {@code PlacedRows}. {@link
 * org.weft.spark.key.LabelBytes} makes keys of cells of Spark SQL.
 *
 * <p>{@link org.weft.spark.key.KeySort} sorts rows by their coordinates; {@link
 * org.weft.spark.key.SortRuns} sorts rows that do not fit the memory. In one process {@link
 * org.weft.spark.key.HeapLimit} says when a table is left to Spark.
 *
 * <p>Invariants: keys never come to the driver, but for samples by which it cuts ranges and a label
 * that an error names. Rows that come otherwise when they are read again are refused, as their keys
 * would get the coordinates of others.
 */
@NullMarked
package org.weft.spark.key;

import org.jspecify.annotations.NullMarked;
