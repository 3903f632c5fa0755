package org.weft.jobs.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;
import org.weft.tensor.TensorStorage.EntryVisitor;

class SkewedTensorTest {

  /** Counts, checks order and bounds, and sums checksums, slices and the largest coordinates. */
  private static final class Audit implements EntryVisitor {
    final long[] last;
    final long[] largest;
    final long[] slices;
    final SyntheticModel model;
    final CRC32 checksum = new CRC32();
    long entries;

    Audit(SyntheticModel model) {
      this.model = model;
      last = new long[model.sizes().order()];
      Arrays.fill(last, -1);
      largest = new long[last.length];
      slices = new long[(int) model.sizes().size(0)];
    }

    @Override
    public void visit(long[] c, double value) {
      if (Arrays.compare(last, c) >= 0) {
        throw new AssertionError(Arrays.toString(last) + " before " + Arrays.toString(c));
      }
      if (!(value > 0 && value <= 10)) {
        throw new AssertionError("value " + value);
      }
      for (int m = 0; m < c.length; m++) {
        last[m] = c[m];
        largest[m] = Math.max(largest[m], c[m]);
        checksum.update(Long.hashCode(c[m] * 31 + m));
      }
      checksum.update((int) Math.round(value * 100));
      slices[(int) c[0]]++;
      entries++;
    }

    static Audit of(SyntheticModel model, long seed) {
      Audit audit = new Audit(model);
      SkewedTensor.generate(model, seed, audit);
      return audit;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nell-1, 0.001", "nell-2, 0.002", "delicious-3d, 0.001", "flickr-3d, 0.001",
    "vast-2015-mc1-3d, 0.005", "freebase-music, 0.001", "uber, 0.03", "nell-2, 0.00001"
  })
  void everyModelHasItsNonzerosAndItsCorner(String name, double scale) {
    SyntheticModel model = SyntheticModel.of(name).scaled(scale);
    Audit audit = Audit.of(model, 7);
    assertThat(audit.entries).isEqualTo(Math.round(SyntheticModel.of(name).nonzeros() * scale));
    for (int m = 0; m < model.sizes().order(); m++) {
      assertThat(audit.largest[m]).isEqualTo(model.sizes().size(m) - 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "1x1x1, 1", "7, 3", "2x1x5, 10", "4x4, 16", "30x20x10, 5999", "5x5x5x5x5, 1"})
  void smallAndFullShapes(String shape, long nonzeros) {
    assertThat(Audit.of(SyntheticModel.of(shape).withNonzeros(nonzeros), 3).entries)
        .isEqualTo(nonzeros);
  }

  @Test
  void sameSeedSameTensorOtherSeedAnother() {
    SyntheticModel model = SyntheticModel.of("nell-2").scaled(0.001);
    long one = Audit.of(model, 1).checksum.getValue();
    assertThat(Audit.of(model, 1).checksum.getValue()).isEqualTo(one);
    assertThat(Audit.of(model, 2).checksum.getValue()).isNotEqualTo(one);
  }

  /** A slice of mode 0 holds the share of entries that the power law gives it. */
  @Test
  void skewFollowsThePowerLaw() {
    SyntheticModel model = SyntheticModel.of("freebase-music").scaled(0.002);
    Audit audit = Audit.of(model, 5);
    PowerLaw law = new PowerLaw(model.exponents().get(0));
    long size = model.sizes().size(0);
    for (long cut : new long[] {10, 1000, size / 10, size / 2}) {
      double expected = model.nonzeros() * law.mass(0, cut) / law.mass(0, size);
      double found = Arrays.stream(audit.slices, 0, (int) cut).sum();
      assertThat(found).isBetween(expected * 0.97 - 50, expected * 1.03 + 50);
    }
  }

  @Test
  void scalingKeepsDensity() {
    SyntheticModel whole = SyntheticModel.of("nell-1");
    SyntheticModel part = whole.scaled(0.01);
    double density = part.nonzeros() / part.sizes().cells();
    assertThat(density / (whole.nonzeros() / whole.sizes().cells())).isBetween(0.99, 1.01);
    assertThat(whole.scaled(1)).isEqualTo(whole);
  }

  @ParameterizedTest
  @CsvSource({"nell-3", "0x4", "4x", "''", "ax3", "-2x3"})
  void shapesThatAreNone(String text) {
    assertThatThrownBy(() -> SyntheticModel.of(text))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("nell-1");
  }
}
