package org.weft.decomposition.rows;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ejml.data.DMatrixRMaj;

/**
 * Named small sums over the rows of a mode, row-major.
 *
 * @param byName changes as sums are added
 */
public record Sums(Map<String, double[]> byName) implements Serializable {
  public Sums {
    byName = new LinkedHashMap<>(byName);
  }

  /** What no rows add up to. */
  public static Sums zeros(List<RowOperation> operations) {
    Sums sums = new Sums(Map.of());
    for (RowOperation operation : operations) {
      if (operation instanceof RowOperation.Sum sum) {
        int cells = sum.shape().stream().reduce(1, Math::multiplyExact);
        sums.byName().put(sum.name(), new double[cells]);
      } else if (operation instanceof RowOperation.Each each && each.sums() > 0) {
        sums.byName().put(each.sum(), new double[each.sums()]);
      }
    }
    return sums;
  }

  /** The numbers of a sum. */
  public double[] get(String name) {
    double[] sum = byName.get(name);
    if (sum == null) {
      throw new IllegalArgumentException(name + " is not in " + byName.keySet());
    }
    return sum;
  }

  /** A sum as a matrix of that many columns. */
  public DMatrixRMaj matrix(String name, int columns) {
    double[] sum = get(name);
    return new DMatrixRMaj(columns == 0 ? 0 : sum.length / columns, columns, true, sum);
  }

  /** Adds another range's sums. */
  public void add(Sums more) {
    more.byName.forEach(
        (name, numbers) -> {
          double[] sum = byName.computeIfAbsent(name, key -> new double[numbers.length]);
          for (int i = 0; i < numbers.length; i++) {
            sum[i] += numbers[i];
          }
        });
  }
}
