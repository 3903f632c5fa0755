package org.weft.engine;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.weft.planner.PackedForm;
import org.weft.planner.StoredForm;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.storage.container.Container;

/**
 * The parts of a container seen as partitions along its outermost mode.
 *
 * @param container the tensor
 * @param partitioning a range of slices for each part; together they cover the mode
 * @param parts for each partition the number of its part
 */
public record StoredPartitions(
    Container container, ModePartitioning partitioning, List<Integer> parts)
    implements Serializable {
  public StoredPartitions {
    parts = new ArrayList<>(parts);
  }

  /** The partitions, unless there is none or parts share slices. */
  public static Optional<StoredPartitions> of(Container container) {
    if (!container.isDistinct() || container.partCount() == 0) {
      return Optional.empty();
    }
    int mode = container.format().modeOrder()[0];
    List<Integer> parts =
        IntStream.range(0, container.partCount())
            .boxed()
            .sorted(Comparator.comparingLong(part -> container.first(part, mode)))
            .toList();
    long size = container.shape().size(mode);
    List<SliceRange> ranges = new ArrayList<>();
    long from = 0;
    for (int p = 0; p < parts.size(); p++) {
      boolean last = p + 1 == parts.size();
      long to = last ? size : container.first(parts.get(p + 1), mode);
      ranges.add(new SliceRange(from, to, 0, 1));
      from = to;
    }
    ModePartitioning partitioning = new ModePartitioning(mode, size, ranges);
    return Optional.of(new StoredPartitions(container, partitioning, parts));
  }

  /** The partitions as the planner sees them. */
  public StoredForm form() {
    return new StoredForm(partitioning, container.format());
  }

  /** Whether the parts are the partitions of a form, as the form has them. */
  boolean has(PackedForm wanted) {
    return partitioning.equals(wanted.partitioning()) && container.fits(wanted.format());
  }

  /** The part of the container that is {@code partition}. */
  public int part(int partition) {
    return parts.get(partition);
  }
}
