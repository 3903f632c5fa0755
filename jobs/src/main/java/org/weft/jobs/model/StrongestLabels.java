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
 * Memory: {@code count} labels a column. Equal weights keep the order of the rows, and weights that
 * differ by rounding alone are equal: rows of the same entries are.
 */
public final class StrongestLabels {
  private static final Comparator<Weighted> WEAKEST_FIRST =
      Comparator.comparingDouble((Weighted w) -> magnitude(w.weight()))
          .thenComparing(Comparator.comparingLong(Weighted::row).reversed());

  private static final double LEAST = 1e-3;

  /** Bits of a double's mantissa that sums in another order may change, and some more. */
  private static final int NOISE_BITS = 22;

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

  /** By what weights are compared: the absolute value, rounded to nine digits. */
  public static double magnitude(double weight) {
    long bits = Double.doubleToLongBits(Math.abs(weight)) + (1L << (NOISE_BITS - 1));
    return Double.longBitsToDouble(bits >>> NOISE_BITS << NOISE_BITS);
  }

  private void add(int column, long row, Labels labels, double weight) {
    PriorityQueue<Weighted> queue = columns.get(column);
    if (weight == 0) {
      return;
    }
    Weighted weakest = queue.size() < count ? null : queue.element();
    if (weakest == null || magnitude(weight) > magnitude(weakest.weight())) {
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
