package org.weft.spark.output;

import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.util.CollectionAccumulator;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.metrics.TaskMeasurement;
import org.weft.storage.FileAccess;
import org.weft.storage.TensorFiles;
import org.weft.tensor.TensorShape;
import scala.Tuple2;

/** Writes a distributed result to one file, in order, by one task. Driver side. */
public final class ResultFile {
  private final FileAccess files;
  private final String uri;
  private final boolean overwrite;
  private final CollectionAccumulator<TaskMeasurement> measurements;

  public ResultFile(
      FileAccess files,
      String uri,
      boolean overwrite,
      CollectionAccumulator<TaskMeasurement> measurements) {
    this.files = files;
    this.uri = uri;
    this.overwrite = overwrite;
    this.measurements = measurements;
  }

  /**
   * Fails early if the output could not be published.
   *
   * @throws org.weft.error.WeftException {@code OUTPUT_EXISTS}, {@code STORAGE_UNAVAILABLE}
   */
  public static void check(FileAccess files, String uri, boolean overwrite) {
    TensorFiles.checkOutput(files, uri, overwrite);
  }

  /** Writes rows; blocks of the same rows are summed in the order of their partitions. */
  public void writeRows(JavaRDD<RowBlock> rows, TensorShape shape) {
    JavaPairRDD<Tuple2<Long, Long>, RowBlock> keyed =
        rows.mapToPair(
            block -> new Tuple2<>(new Tuple2<>(block.firstRow(), (long) block.partition()), block));
    OutputTask task = task(shape);
    sorted(keyed).foreachPartition(task::writeRows);
  }

  /** Writes entries; those of split slices are merged, summing equal coordinates. */
  public void writeEntries(JavaRDD<EntryBlock> entries, TensorShape shape, int[] modeOrder) {
    JavaPairRDD<Tuple2<Long, Long>, EntryBlock> keyed =
        entries.mapToPair(
            block ->
                new Tuple2<>(
                    new Tuple2<>(
                        block.firstSlice(), (long) block.partition() << 32 | block.sequence()),
                    block));
    OutputTask task = task(shape);
    sorted(keyed).foreachPartition(blocks -> task.writeEntries(blocks, modeOrder));
  }

  private static <T> JavaPairRDD<Tuple2<Long, Long>, T> sorted(
      JavaPairRDD<Tuple2<Long, Long>, T> keyed) {
    return keyed.repartitionAndSortWithinPartitions(new HashPartitioner(1), new BlockOrder());
  }

  private OutputTask task(TensorShape shape) {
    return new OutputTask(files, uri, overwrite, shape, measurements);
  }
}
