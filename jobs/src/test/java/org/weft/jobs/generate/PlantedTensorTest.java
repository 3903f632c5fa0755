package org.weft.jobs.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlantedTensorTest {

  @Test
  void fullTensorIsTheSumOfItsComponents() {
    PlantedTensor tensor = new PlantedTensor(SyntheticModel.of("6x5x4"), 3, 0, 11);
    List<Double> differences = new ArrayList<>();
    tensor.generate(
        (c, v) -> {
          double expected = 0;
          for (int r = 0; r < 3; r++) {
            double term = tensor.lambda()[r];
            for (int m = 0; m < 3; m++) {
              term *= tensor.factors().get(m).get(c[m], r);
            }
            expected += term;
          }
          differences.add(Math.abs(expected - v));
        });
    assertThat(differences).hasSize(120).allSatisfy(d -> assertThat(d).isLessThan(1e-12));
    assertThat(tensor.lambda()).isSortedAccordingTo((a, b) -> Double.compare(b, a));
  }

  @Test
  void noiseHasTheNormAskedFor() {
    double[] clean = values(0, "40x30x20");
    double[] noisy = values(0.01, "40x30x20");
    double norm = 0;
    double difference = 0;
    for (int i = 0; i < clean.length; i++) {
      norm += clean[i] * clean[i];
      difference += (clean[i] - noisy[i]) * (clean[i] - noisy[i]);
    }
    assertThat(Math.sqrt(difference / norm)).isCloseTo(0.01, within(0.001));
  }

  private static double[] values(double noise, String shape) {
    List<Double> values = new ArrayList<>();
    new PlantedTensor(SyntheticModel.of(shape), 4, noise, 5).generate((c, v) -> values.add(v));
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  @Test
  void sparseTensorIsSortedReachesItsCornerAndHasAboutItsNonzeros() {
    SyntheticModel model = SyntheticModel.of("nell-2").scaled(0.001);
    long[] last = {-1, -1, -1};
    long[] count = {0};
    new PlantedTensor(model, 8, 0.01, 1)
        .generate(
            (c, v) -> {
              assertThat(Arrays.compare(last, c)).isNegative();
              System.arraycopy(c, 0, last, 0, 3);
              count[0]++;
            });
    assertThat(count[0]).isBetween(model.nonzeros() * 8 / 10, model.nonzeros() * 11 / 10);
    assertThat(last[0]).isEqualTo(model.sizes().size(0) - 1);
  }
}
