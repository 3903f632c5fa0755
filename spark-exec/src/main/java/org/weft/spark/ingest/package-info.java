/**
 * Tables to labelled tensors: rows of text files, Parquet, ORC or any Spark table become entries,
 * and the values of columns become labels. Read {@link org.weft.spark.ingest.Ingest}, which says
 * the steps on Spark, and {@link org.weft.spark.ingest.LocalIngest}, which does them in one
 * process.
 *
 * <p>Invariants: on Spark labels stay on executors and local disks, from the input to the label
 * arrays of the container; the driver sees counts, and samples of labels by which it cuts ranges.
 * Both write the same entries and labels. A label's coordinate is its rank among the labels of its
 * mode, so the same rows give the same tensor whatever the partitions.
 */
@NullMarked
package org.weft.spark.ingest;

import org.jspecify.annotations.NullMarked;
