package org.weft.spark.output;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.weft.engine.Measurements;
import org.weft.engine.TaskMeasurement;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.kernel.RowBlock;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;
import scala.Tuple2;

/**
 * Streams sorted blocks into the output file, or a share of a container, that the driver is to
 * commit. Executor side.
 */
final class OutputTask implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final String uri;
  private final TensorShape shape;
  private final ValueType type;
  private final boolean zeroBased;
  private final HashMap<Integer, Labels> labels = new HashMap<>();
  private final Measurements measurements;

  /**
   * @param uri of the file in the making, which another attempt may have made; of the container
   * @param options with the shape
   */
  OutputTask(FileAccess files, String uri, WriteOptions options, Measurements measurements) {
    this.files = files;
    this.uri = uri;
    this.shape = options.shape().orElseThrow();
    this.type = options.valueType();
    this.zeroBased = options.zeroBased();
    if (TensorFiles.extensionOf(uri).equals(".wtb")) {
      this.labels.putAll(options.labels()); // other files of one task have no place for them
    }
    this.measurements = measurements;
  }

  /** A sink of sorted blocks. */
  private interface Body {
    long writeTo(TensorWriter writer) throws IOException;
  }

  void writeRows(Iterator<RowBlock> blocks) {
    write(writer -> writeRows(blocks, writer));
  }

  private long writeRows(Iterator<RowBlock> blocks, TensorWriter writer) throws IOException {
    return writeRows(blocks, new RowSums(shape, writer));
  }

  private static long writeRows(Iterator<RowBlock> blocks, RowSums sums) throws IOException {
    while (blocks.hasNext()) {
      sums.add(blocks.next());
    }
    return sums.finish();
  }

  /** Writes all rows as a container's only piece. */
  Iterator<ContainerPiece> writeRowsPiece(
      Iterator<RowBlock> blocks, ParallelContainer.Target target) {
    return piece(target, writer -> writeRows(blocks, writer));
  }

  void writeEntries(Iterator<Tuple2<Tuple2<Long, Long>, EntryBlock>> blocks, int[] modeOrder) {
    write(writer -> writeEntries(blocks, modeOrder, writer));
  }

  /** Writes a file without entries. */
  void writeNothing() {
    write(writer -> 0);
  }

  /** Writes a share of a container; its {@link ContainerPiece}, or nothing without entries. */
  Iterator<ContainerPiece> writePiece(
      Iterator<Tuple2<Tuple2<Long, Long>, EntryBlock>> blocks,
      int[] modeOrder,
      ParallelContainer.Target target) {
    if (!blocks.hasNext()) {
      return List.of(ContainerPiece.none(target.modeOrder().length)).iterator();
    }
    return piece(target, writer -> writeEntries(blocks, modeOrder, writer));
  }

  /** Writes the blocks of a task, which are in order, as a part of a file. */
  WrittenPart writePart(Iterator<EntryBlock> blocks, int parts) {
    return part(
        parts,
        writer -> {
          long written = 0;
          while (blocks.hasNext()) {
            CooBlock entries = blocks.next().entries();
            writer.write(entries);
            written += entries.size();
          }
          return written;
        });
  }

  /** As above, of the rows of a range. */
  WrittenPart writePart(Iterator<RowBlock> blocks, ModePartitioning rows) {
    SliceRange range = rows.ranges().get(TaskContext.getPartitionId());
    return part(
        rows.partitions(),
        writer -> writeRows(blocks, new RowSums(shape, writer, range.from(), range.to())));
  }

  private WrittenPart part(int parts, Body body) {
    int number = TaskContext.getPartitionId();
    try (PartWriter writer =
        new PartWriter(
            files,
            uri,
            FileOfParts.name(uri, number),
            shape.order(),
            writeOptions(),
            FileOfParts.shortBytes(parts))) {
      long written = body.writeTo(writer);
      WrittenPart part = writer.finish();
      measurements.add(TaskMeasurement.of("write", number, writer.nanos(), written, 0, 0));
      return part;
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private Iterator<ContainerPiece> piece(ParallelContainer.Target target, Body body) {
    long start = System.nanoTime();
    int number = TaskContext.getPartitionId();
    try (PieceWriter writer = PieceWriter.entries(target, number, TaskAttempt.suffix())) {
      long written = body.writeTo(writer);
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
    try (TensorOutput output =
        TensorFiles.create(files, uri, Existing.KEEP, shape.order(), writeOptions())) {
      written = body.writeTo(output);
      output.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    measurements.add(TaskMeasurement.of("write", 0, System.nanoTime() - start, written, 0, 0));
  }

  private WriteOptions writeOptions() {
    return WriteOptions.defaults()
        .withShape(shape)
        .withZeroBased(zeroBased)
        .withLabels(labels)
        .withContainer(ContainerOptions.defaults().withValueType(type));
  }
}
