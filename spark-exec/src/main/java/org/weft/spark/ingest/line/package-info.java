/**
 * Lines of text files: the splits in which files are read ({@link
 * org.weft.spark.ingest.line.TextInput}), the records of a split with the place of each ({@link
 * org.weft.spark.ingest.line.LineCursor}), in this process or as tasks of Spark ({@link
 * org.weft.spark.ingest.line.LineSource}).
 */
@NullMarked
package org.weft.spark.ingest.line;

import org.jspecify.annotations.NullMarked;
