package org.weft.spark.label;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.Labels;
import org.weft.storage.container.Container;
import org.weft.storage.container.ContainerPiece;
import org.weft.storage.container.ParallelContainer;
import org.weft.storage.container.PieceWriter;

/**
 * Labels of the modes of a container and their coordinates, read by executors. Cost: the text is
 * read twice, once to count lines.
 */
public final class StoredLabels {
  private static final int NUMBERS = 1 << 20;

  private StoredLabels() {}

  /** A label and its coordinate, which is original, from 0. */
  public record Stored(String label, long coordinate) {}

  /**
   * The labels of {@code mode}, which has some, and the numbers that stand for labels of
   * coordinates without.
   */
  public static JavaRDD<Stored> each(JavaSparkContext context, Container container, int mode) {
    container.labels().requireExtensible(mode);
    int chunks = container.labels().chunks(mode);
    List<Integer> numbers = IntStream.range(0, chunks).boxed().toList();
    JavaRDD<Integer> each = context.parallelize(numbers, Math.max(1, chunks));
    List<Integer> counts =
        each.map(chunk -> container.labels().chunk(mode, chunk).size()).collect();
    long[] first = new long[chunks];
    for (int chunk = 1; chunk < chunks; chunk++) {
      first[chunk] = first[chunk - 1] + counts.get(chunk - 1);
    }
    JavaRDD<Stored> labels = each.flatMap(chunk -> stored(container, mode, chunk, first[chunk]));
    long count = container.labels().count(mode);
    long size = container.shape().size(mode);
    if (count >= size) {
      return labels;
    }
    List<Long> starts = LongStream.iterate(count, c -> c < size, c -> c + NUMBERS).boxed().toList();
    return labels.union(
        context
            .parallelize(starts, starts.size())
            .flatMap(start -> numbers(start, Math.min(size, start + NUMBERS))));
  }

  private static Iterator<Stored> stored(Container container, int mode, int chunk, long first) {
    Labels labels = container.labels().chunk(mode, chunk);
    return IntStream.range(0, labels.size())
        .mapToObj(line -> new Stored(labels.label(line), container.original(mode, first + line)))
        .iterator();
  }

  private static Iterator<Stored> numbers(long from, long to) {
    return LongStream.range(from, to).mapToObj(c -> new Stored(Long.toString(c + 1), c)).iterator();
  }

  /** The error of a label that stands for two coordinates. */
  public static WeftException ambiguous(Container container, int mode, String label) {
    return new WeftException(
        ErrorCode.MALFORMED_INPUT,
        container.uri()
            + ": expected different labels in mode "
            + container.modeNames().get(mode)
            + ", found '"
            + label
            + "' for two coordinates; make them different before adding entries by labels");
  }

  /** The coordinate of the first label of {@code mode} that is new. */
  public static long end(Container container, int mode) {
    return Math.max(container.shape().size(mode), container.labels().count(mode));
  }

  /**
   * Writes numbers in the place of the labels that coordinates of {@code mode} lack, before new
   * ones follow: share 0.
   */
  public static ContainerPiece writeMissing(
      Container container, int mode, ParallelContainer.Target target) {
    long from = container.labels().count(mode);
    Iterator<String> missing =
        LongStream.range(from, Math.max(from, container.shape().size(mode)))
            .mapToObj(c -> Long.toString(c + 1))
            .iterator();
    return PieceWriter.labels(target, mode, 0, "", missing);
  }

  /** For {@code container}, to which entries are added by the labels of all of its modes. */
  public static void requireLabels(Container container, List<String> names) {
    container.requireModes(names);
    List<String> without = new ArrayList<>();
    for (int mode = 0; mode < container.shape().order(); mode++) {
      if (!container.labels().modes().contains(mode)) {
        without.add(container.modeNames().get(mode));
      }
    }
    if (!without.isEmpty() || names.size() != container.shape().order()) {
      throw new WeftException(
          ErrorCode.USAGE,
          container.uri()
              + ": expected a tensor with labels for the modes "
              + String.join(", ", names)
              + " to add to, found "
              + (without.isEmpty()
                  ? "modes " + String.join(", ", container.modeNames())
                  : "none for " + String.join(", ", without))
              + "; make a new tensor, and name its modes alike");
    }
  }
}
