package org.weft.spark.output;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.RowBlock;
import org.weft.storage.FileAccess;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import scala.Tuple2;

/** Streams sorted blocks into the output file and commits it. Executor side. */
final class OutputTask implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final String uri;
  private final boolean overwrite;
  private final TensorShape shape;
  private final HashMap<Integer, Labels> labels = new HashMap<>();
  private final Measurements measurements;

  OutputTask(
      FileAccess files,
      String uri,
      boolean overwrite,
      TensorShape shape,
      Map<Integer, Labels> labels,
      Measurements measurements) {
    this.files = files;
    this.uri = uri;
    this.overwrite = overwrite;
    this.shape = shape;
    if (TensorFiles.extensionOf(uri).equals(".wtb")) {
      this.labels.putAll(labels); // other files of one task have no place for them
    }
    this.measurements = measurements;
  }

  /** A sink of sorted blocks. */
  private interface Body {
    long writeTo(TensorWriter writer) throws IOException;
  }

  void writeRows(Iterator<RowBlock> blocks) {
    write(
        writer -> {
          RowSums sums = new RowSums(shape, writer);
          while (blocks.hasNext()) {
            sums.add(blocks.next());
          }
          return sums.finish();
        });
  }

  void writeEntries(Iterator<Tuple2<Tuple2<Long, Long>, EntryBlock>> blocks, int[] modeOrder) {
    write(writer -> writeEntries(blocks, modeOrder, writer));
  }

  /** Writes a share of a container; its {@link ContainerPiece}, or nothing without entries. */
  Iterator<ContainerPiece> writePiece(
      Iterator<Tuple2<Tuple2<Long, Long>, EntryBlock>> blocks,
      int[] modeOrder,
      ParallelContainer.Target target) {
    if (!blocks.hasNext()) {
      return List.of(ContainerPiece.none(target.modeOrder().length)).iterator();
    }
    long start = System.nanoTime();
    TaskContext task = TaskContext.get();
    String attempt = TaskAttempt.suffix();
    try (PieceWriter writer = PieceWriter.entries(target, task.partitionId(), attempt)) {
      long written = writeEntries(blocks, modeOrder, writer);
      ContainerPiece piece = writer.finish();
      measurements.add(TaskMeasurement.of("write", 0, System.nanoTime() - start, written, 0, 0));
      return List.of(piece).iterator();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private long writeEntries(
      Iterator<Tuple2<Tuple2<Long, Long>, EntryBlock>> blocks, int[] modeOrder, TensorWriter writer)
      throws IOException {
    long written = 0;
    List<CooBlock> parts = new ArrayList<>();
    long slice = -1;
    while (blocks.hasNext()) {
      EntryBlock block = blocks.next()._2();
      if (!parts.isEmpty() && block.firstSlice() != slice) {
        written += writeMerged(parts, modeOrder, writer);
      }
      if (block.partial()) {
        slice = block.firstSlice();
        parts.add(block.entries());
      } else {
        writer.write(block.entries());
        written += block.entries().size();
      }
    }
    return written + writeMerged(parts, modeOrder, writer);
  }

  private long writeMerged(List<CooBlock> parts, int[] modeOrder, TensorWriter writer)
      throws IOException {
    if (parts.isEmpty()) {
      return 0;
    }
    CooBlock merged = Packing.sorted(shape, modeOrder, parts);
    parts.clear();
    writer.write(merged);
    return merged.size();
  }

  private void write(Body body) {
    long start = System.nanoTime();
    long written;
    try (TensorOutput output = begin(WriteOptions.defaults().withShape(shape).withLabels(labels))) {
      written = body.writeTo(output);
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    measurements.add(TaskMeasurement.of("write", 0, System.nanoTime() - start, written, 0, 0));
  }

  /** A retried attempt accepts the file of an earlier one, whose success Spark did not hear of. */
  private TensorOutput begin(WriteOptions options) throws IOException {
    @Nullable TaskContext task = TaskContext.get();
    boolean retry = task != null && (task.attemptNumber() > 0 || task.stageAttemptNumber() > 0);
    TensorOutput.Existing existing =
        overwrite
            ? TensorOutput.Existing.REPLACE
            : retry ? TensorOutput.Existing.KEEP : TensorOutput.Existing.REFUSE;
    return TensorFiles.create(files, uri, existing, shape.order(), options);
  }
}
