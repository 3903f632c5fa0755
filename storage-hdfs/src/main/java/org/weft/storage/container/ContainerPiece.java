package org.weft.storage.container;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.weft.statistics.TensorStatistics;

/**
 * What tasks have written into the data folder of a version in the making: everything that its
 * manifest will say about them. Size: some bytes for each block of 1 MiB, and a histogram of each
 * mode, so pieces are merged on their way to the driver.
 */
public final class ContainerPiece implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Comparator<Chunk> ORDER =
      Comparator.comparingInt(Chunk::mode).thenComparingInt(Chunk::number);

  private final ArrayList<Chunk> chunks = new ArrayList<>();
  private final TensorStatistics.Builder statistics;

  ContainerPiece(int order) {
    this.statistics = TensorStatistics.builder(order).sampling();
  }

  ContainerPiece(Chunk chunk, TensorStatistics.Builder statistics) {
    this.chunks.add(chunk);
    this.statistics = statistics;
  }

  /**
   * The data files of one task.
   *
   * @param mode whose labels these are; -1: entries
   * @param number of the task; chunks of a kind follow each other by number
   * @param parts that refer to {@code files} by their numbers from 0
   */
  record Chunk(
      int mode,
      int number,
      List<Manifest.DataFile> files,
      List<Manifest.Part> parts,
      Manifest.@Nullable LabelEntry labels)
      implements Serializable {}

  /** Nothing of a tensor of {@code order} modes yet. */
  public static ContainerPiece none(int order) {
    return new ContainerPiece(order);
  }

  /** Takes over what {@code other} has; cost: a histogram of each mode. */
  public ContainerPiece merge(ContainerPiece other) {
    chunks.addAll(other.chunks);
    statistics.merge(other.statistics);
    return this;
  }

  /** In their order, however they were merged. */
  List<Chunk> chunks() {
    return chunks.stream().sorted(ORDER).toList();
  }

  int order() {
    return statistics.order();
  }

  TensorStatistics.Builder statistics() {
    return statistics;
  }
}
