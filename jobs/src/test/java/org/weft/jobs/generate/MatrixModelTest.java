package org.weft.jobs.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.tensor.TensorStorage.EntryVisitor;

class MatrixModelTest {

  /** Checks order and bounds; counts by row and by distance from the diagonal. */
  private static final class Audit implements EntryVisitor {
    final long rows;
    final int[] rowCounts;
    final TreeMap<Long, Long> diagonals = new TreeMap<>();
    final CRC32 checksum = new CRC32();
    long[] last = {-1, -1};
    long entries;

    Audit(MatrixModel model, long seed) {
      rows = model.rows();
      rowCounts = new int[(int) rows];
      model.generate(seed, this);
    }

    @Override
    public void visit(long[] at, double value) {
      assertThat(Arrays.compare(last, at)).isNegative();
      assertThat(at[1]).isBetween(0L, rows - 1);
      assertThat(value).isBetween(0.01, 10.0);
      last = at.clone();
      rowCounts[(int) at[0]]++;
      diagonals.merge(at[1] - at[0], 1L, Long::sum);
      checksum.update((int) (at[0] * 31 + at[1]));
      entries++;
    }
  }

  private static MatrixModel model(String kind, double scale) {
    return MatrixModel.of(kind).orElseThrow().scaled(scale);
  }

  @ParameterizedTest
  @CsvSource({
    "banded, 0.002", "fem, 0.005", "power-law, 0.002", "uniform, 0.05",
    "banded, 0.000001", "fem, 0.00001", "power-law, 0.000003", "uniform, 0.0002"
  })
  void everyKindHasSortedEntriesInsideAndAboutItsCount(String kind, double scale) {
    MatrixModel model = model(kind, scale);
    Audit audit = new Audit(model, 7);
    double slack = model.rows() * (kind.equals("banded") ? 1.5 : 1.2) + 60;
    assertThat((double) audit.entries)
        .isBetween(0.8 * model.nonzeros() - slack, model.nonzeros() + slack);
    assertThat(audit.entries).isPositive();
  }

  @Test
  void sameSeedSameMatrixOtherSeedAnother() {
    MatrixModel model = model("power-law", 0.001);
    long one = new Audit(model, 1).checksum.getValue();
    assertThat(new Audit(model, 1).checksum.getValue()).isEqualTo(one);
    assertThat(new Audit(model, 2).checksum.getValue()).isNotEqualTo(one);
  }

  @Test
  void aBandHasFullDiagonalsInPairs() {
    Audit audit = new Audit(model("banded", 0.0025), 1);
    assertThat(audit.diagonals).hasSize(5).containsEntry(0L, 2500L).containsEntry(1L, 2499L);
    assertThat(audit.diagonals.keySet()).containsExactly(-50L, -1L, 0L, 1L, 50L);
  }

  @Test
  void aMeshHasBlocksOfThree() {
    Audit audit = new Audit(model("fem", 0.003), 1);
    for (int row = 0; row + 2 < audit.rows; row += 3) {
      assertThat(audit.rowCounts[row]).isEqualTo(audit.rowCounts[row + 1]).isPositive();
    }
  }

  @Test
  void aPowerLawHasFewHeavyRows() {
    Audit audit = new Audit(model("power-law", 0.01), 1);
    int[] sorted = audit.rowCounts.clone();
    Arrays.sort(sorted);
    long heavy = Arrays.stream(sorted, sorted.length - sorted.length / 100, sorted.length).sum();
    assertThat((double) heavy).isGreaterThan(0.25 * audit.entries);
    assertThat(audit.rowCounts[0]).isLessThan(sorted[sorted.length - 1]);
  }

  @Test
  void uniformRowsAreEquallyLong() {
    Audit audit = new Audit(model("uniform", 0.05), 1);
    assertThat(
            Arrays.stream(audit.rowCounts).max().orElse(0)
                - Arrays.stream(audit.rowCounts).min().orElse(0))
        .isLessThanOrEqualTo(1);
  }

  @Test
  void aFullMatrixIsReached() {
    MatrixModel full = new MatrixModel(MatrixModel.Kind.UNIFORM, 13, 169);
    assertThat(new Audit(full, 3).entries).isEqualTo(169);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(() -> new MatrixModel(MatrixModel.Kind.FEM, 10, 101))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("nonzeros of a fem matrix");
    assertThatThrownBy(() -> model("fem", -1)).hasMessageContaining("--scale above 0");
  }
}
