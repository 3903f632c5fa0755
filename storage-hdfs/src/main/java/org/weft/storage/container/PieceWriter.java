package org.weft.storage.container;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.TensorWriter;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;

/**
 * A task's share of a container: either entries or labels of one mode, into files of its own, which
 * nobody sees before {@link ParallelContainer#commit}. An attempt that fails or comes second leaves
 * files that no manifest names; the commit removes them.
 */
public final class PieceWriter implements TensorWriter {
  private final ParallelContainer.Target target;
  private final int mode;
  private final int number;
  private final PartsWriter writer;
  private final StoredOrder stored;

  private PieceWriter(ParallelContainer.Target target, int mode, int number, String attempt) {
    this.target = target;
    this.mode = mode;
    this.number = number;
    String kind = mode < 0 ? "entries" : "labels" + mode;
    String stem = String.format(Locale.ROOT, "%s-%05d%s", kind, number, attempt);
    this.writer = target.writer(stem);
    this.stored = StoredOrder.of(mode < 0 ? target.base() : null);
  }

  /**
   * Starts the entries of one task; in pieces whose ranges of the first mode do not overlap, and
   * which ascend in it, they load as partitions.
   *
   * @param number of the task's share, from 0; by which parts are sorted
   * @param attempt distinguishes attempts at the same share; empty for the first
   */
  public static PieceWriter entries(ParallelContainer.Target target, int number, String attempt) {
    return new PieceWriter(target, -1, number, attempt);
  }

  @Override
  public void write(CooBlock block) throws IOException {
    writer.write(stored.apply(block));
  }

  /** Ends the entries. */
  public ContainerPiece finish() {
    try {
      writer.flush();
      return piece(
          new ContainerPiece.Chunk(mode, number, writer.finish(), writer.parts(), null),
          writer.statistics());
    } catch (IOException e) {
      throw FileAccess.unavailable(target.uri(), e);
    }
  }

  /**
   * Writes labels of {@code mode}; those of share n follow those of share n - 1. Memory: 8 MiB of
   * text.
   */
  public static ContainerPiece labels(
      ParallelContainer.Target target,
      int mode,
      int number,
      String attempt,
      Iterator<String> labels) {
    try (PieceWriter piece = new PieceWriter(target, mode, number, attempt)) {
      Manifest.LabelEntry entry = piece.writer.labels(labels);
      return piece(
          new ContainerPiece.Chunk(mode, number, piece.writer.finish(), List.of(), entry),
          TensorStatistics.builder(target.modeOrder().length).sampling());
    } catch (IOException e) {
      throw FileAccess.unavailable(target.uri(), e);
    }
  }

  private static ContainerPiece piece(
      ContainerPiece.Chunk chunk, TensorStatistics.Builder statistics) {
    return new ContainerPiece(chunk, statistics);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
