/**
 * Records of text taken apart into cells, in one process as on Spark: {@link
 * org.weft.spark.ingest.record.RecordCells}. {@code CsvCells} has separated values, {@code
 * JsonCells} JSON lines.
 */
@NullMarked
package org.weft.spark.ingest.record;

import org.jspecify.annotations.NullMarked;
