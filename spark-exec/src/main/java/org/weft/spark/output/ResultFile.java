package org.weft.spark.output;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Measurements;
import org.weft.engine.OutputTarget;
import org.weft.planner.partition.ModePartitioning;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.RowBlock;
import org.weft.spark.wire.Wire;
import org.weft.storage.ContainerOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.tensor.TensorShape;
import scala.Tuple2;

/**
 * Writes a distributed result, in order: to one file by one task, to a text file in parts where the
 * tasks that make the result have it in order, or to a container by many tasks, each a range of
 * slices. The driver commits. Driver side.
 */
public final class ResultFile {
  private static final int TASKS_PER_CORE = 2;

  private final FileAccess files;
  private final OutputTarget out;
  private final Measurements measurements;

  /**
   * @param out the labels of its modes take their memory on the driver
   */
  public ResultFile(FileAccess files, OutputTarget out, Measurements measurements) {
    this.files = files;
    this.out = out;
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
    writeOrderedRows(sortedRows(rows), shape);
  }

  private static JavaRDD<RowBlock> sortedRows(JavaRDD<RowBlock> rows) {
    JavaPairRDD<Tuple2<Long, Long>, RowBlock> keyed =
        rows.mapToPair(
            block -> new Tuple2<>(new Tuple2<>(block.firstRow(), (long) block.partition()), block));
    return sorted(keyed).values();
  }

  /**
   * Writes rows of which each partition makes those of a range.
   *
   * @param ranges by partition
   */
  public void writeRanges(JavaRDD<RowBlock> rows, TensorShape shape, ModePartitioning ranges) {
    if (isContainer() || shape.order() != 2 || ranges.anyOverlapping()) {
      writeRows(rows, shape);
    } else {
      writeFile(
          shape,
          task -> sortedRows(rows).foreachPartition(task::writeRows),
          new FileOfParts<>(rows, (task, blocks) -> task.writePart(blocks, ranges)));
    }
  }

  /** Writes rows whose blocks are in order, in one partition. Memory of the task: a block. */
  private void writeOrderedRows(JavaRDD<RowBlock> rows, TensorShape shape) {
    if (isContainer()) {
      writeContainer(
          shape,
          Optional.empty(),
          (task, to) -> rows.mapPartitions(blocks -> task.writeRowsPiece(blocks, to)));
    } else {
      writeFile(shape, task -> rows.foreachPartition(task::writeRows), null);
    }
  }

  /**
   * Writes entries; those of split slices are merged, summing equal coordinates.
   *
   * @param modeOrder modes of the result, in the order in which its blocks are sorted
   * @param slices the ranges of the first of them that blocks belong to
   * @param inOrder whether the partitions, one after the other, have the blocks in order, and none
   *     is to be merged with another
   */
  public void writeEntries(
      JavaRDD<EntryBlock> entries,
      TensorShape shape,
      int[] modeOrder,
      ModePartitioning slices,
      boolean inOrder) {
    JavaPairRDD<Tuple2<Long, Long>, EntryBlock> keyed =
        entries.mapToPair(
            block ->
                new Tuple2<>(
                    new Tuple2<>(
                        block.firstSlice(), (long) block.partition() << 32 | block.sequence()),
                    block));
    if (isContainer()) {
      int tasks = Math.max(1, TASKS_PER_CORE * keyed.context().defaultParallelism());
      writeContainer(
          shape,
          Optional.of(stored(shape, modeOrder[0])),
          (task, to) ->
              Wire.shuffle(keyed, SliceShares.of(slices, tasks), new BlockOrder())
                  .mapPartitions(blocks -> task.writePiece(blocks, modeOrder, to)));
    } else {
      int parts = entries.getNumPartitions();
      writeFile(
          shape,
          task -> sorted(keyed).foreachPartition(blocks -> task.writeEntries(blocks, modeOrder)),
          inOrder
              ? new FileOfParts<>(entries, (task, blocks) -> task.writePart(blocks, parts))
              : null);
    }
  }

  private boolean isContainer() {
    return TensorFiles.extensionOf(out.uri()).equals(".weft");
  }

  /**
   * Tasks make the file, which the driver commits.
   *
   * @param one how one task makes it
   * @param parts how many tasks would make it, or null
   */
  private void writeFile(
      TensorShape shape, Consumer<OutputTask> one, @Nullable FileOfParts<?> parts) {
    try (OutputCommit output = OutputCommit.begin(files, out.uri(), out.overwrite())) {
      String file = output.stagedFile();
      OutputTask task = task(file, shape);
      if (parts != null && parts.isOffered(files, file, out.options())) {
        parts.write(files, file, task);
      } else {
        one.accept(task);
      }
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(out.uri(), e);
    }
  }

  /** The pieces of a container, each made by a task. */
  private interface Pieces {
    JavaRDD<ContainerPiece> by(OutputTask task, ParallelContainer.Target target);
  }

  private void writeContainer(TensorShape shape, Optional<List<Integer>> modeOrder, Pieces made) {
    ContainerOptions details = out.options().container();
    WriteOptions options =
        out.options()
            .withShape(shape)
            .withContainer(modeOrder.map(details::withModeOrder).orElse(details));
    Existing existing = out.overwrite() ? Existing.REPLACE : Existing.REFUSE;
    try (ParallelContainer container = ParallelContainer.begin(files, out.uri(), existing)) {
      JavaRDD<ContainerPiece> pieces = made.by(task(out.uri(), shape), container.target(options));
      container.commit(options, Wire.reduce(pieces, ContainerPiece::merge));
    } catch (IOException e) {
      throw FileAccess.unavailable(out.uri(), e);
    }
  }

  /** The mode that sorts the result, so that parts have slices of their own; others by size. */
  private static List<Integer> stored(TensorShape shape, int root) {
    return Stream.concat(
            Stream.of(root),
            IntStream.range(0, shape.order())
                .boxed()
                .filter(mode -> mode != root)
                .sorted(Comparator.comparingLong(shape::size)))
        .toList();
  }

  private static <T> JavaPairRDD<Tuple2<Long, Long>, T> sorted(
      JavaPairRDD<Tuple2<Long, Long>, T> keyed) {
    return Wire.shuffle(keyed, new HashPartitioner(1), new BlockOrder());
  }

  private OutputTask task(String target, TensorShape shape) {
    return new OutputTask(files, target, out.options().withShape(shape), measurements);
  }
}
