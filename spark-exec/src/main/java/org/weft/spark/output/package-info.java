/**
 * Results to files, from the executors: blocks of rows or entries are shuffled, sorted, to one task
 * that streams them through a writer and commits the file ({@link
 * org.weft.spark.output.OutputTask}). Nothing passes through the driver, and memory is bounded by
 * the sort's buffers, except that the entries of one split slice are merged in memory.
 */
@NullMarked
package org.weft.spark.output;

import org.jspecify.annotations.NullMarked;
