package org.weft.jobs.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.weft.storage.Labels;
import org.weft.storage.model.ModelFolder;
import org.weft.storage.npy.NpyRows;

/**
 * The rows of a factor matrix with the largest weights, by magnitude, for each of its columns.
 * Memory: {@code count} labels a column; equal weights keep the order of the rows.
 */
public final class StrongestLabels {
  private static final Comparator<Weighted> WEAKEST_FIRST =
      Comparator.comparingDouble((Weighted w) -> Math.abs(w.weight()))
          .thenComparing(Comparator.comparingLong(Weighted::row).reversed());

  private static final double LEAST = 1e-3;

  private final int count;
  private final List<PriorityQueue<Weighted>> columns = new ArrayList<>();

  /** A label and its weight in one component. */
  public record Weighted(long row, String label, double weight) {}

  private StrongestLabels(int rank, int count) {
    this.count = count;
    for (int r = 0; r < rank; r++) {
      columns.add(new PriorityQueue<>(WEAKEST_FIRST));
    }
  }

  /**
   * Those of the factor of a mode, which is read row by row. Rows of a mode without labels are
   * named by their number, from 1.
   *
   * @param columns of the factor
   */
  public static StrongestLabels of(ModelFolder model, int mode, int columns, int count)
      throws IOException {
    Labels labels = model.labels(mode).orElse(Labels.of(List.of()));
    NpyRows rows = model.rows(mode, columns);
    StrongestLabels found = new StrongestLabels(columns, count);
    rows.forEach(
        0,
        rows.rows(),
        (row, weights) -> {
          for (int r = 0; r < columns; r++) {
            found.add(r, row, labels, weights[r]);
          }
        });
    return found;
  }

  private void add(int column, long row, Labels labels, double weight) {
    PriorityQueue<Weighted> queue = columns.get(column);
    if (weight == 0) {
      return;
    }
    Weighted weakest = queue.size() < count ? null : queue.element();
    if (weakest == null || Math.abs(weight) > Math.abs(weakest.weight())) {
      queue.add(new Weighted(row, labels.label(row), weight));
      if (weakest != null) {
        queue.remove(weakest);
      }
    }
  }

  /** Those of component {@code column}, the strongest first; none below a thousandth of that. */
  public List<Weighted> of(int column) {
    List<Weighted> all = columns.get(column).stream().sorted(WEAKEST_FIRST.reversed()).toList();
    return all.stream()
        .filter(w -> Math.abs(w.weight()) >= LEAST * Math.abs(all.get(0).weight()))
        .toList();
  }
}
