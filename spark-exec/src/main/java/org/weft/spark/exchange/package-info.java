/**
 * Rows of factors on their way between executors. A process asks the owner of rows for the rows
 * that it needs, and for no other rows: {@link org.weft.spark.exchange.RowExchange} carries
 * questions and answers over Spark's own transport, with its authentication and encryption. {@link
 * org.weft.spark.exchange.RowRuns} is which rows a question is about. Work for tasks that stand by
 * comes the same way, to a {@link org.weft.spark.exchange.WorkQueue}.
 */
@NullMarked
package org.weft.spark.exchange;

import org.jspecify.annotations.NullMarked;
