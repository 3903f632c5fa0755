/**
 * Cells of a table, of whatever type, and the labels that they become. Read {@link
 * org.weft.spark.ingest.cell.Bucket} first.
 *
 * <p>Invariants: a cell has one key, keys are in the order of their labels, and a cell that has no
 * key is a {@link org.weft.spark.ingest.cell.BadCell}. No Spark.
 */
@NullMarked
package org.weft.spark.ingest.cell;

import org.jspecify.annotations.NullMarked;
