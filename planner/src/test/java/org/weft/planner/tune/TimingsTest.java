package org.weft.planner.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rule by which {@code weft tune} keeps a variant, on made-up seconds. */
class TimingsTest {
  private static final int ROUNDS = 7;
  private static final int SEARCHES = 1000;
  private static final int VARIANTS = 31;

  private final Random random = new Random(5);

  private static Timings of(double... seconds) {
    return new Timings(DoubleStream.of(seconds).boxed().toList());
  }

  /** Runs of a kernel of {@code seconds}, slowed by what else the machine does. */
  private Timings noisy(int runs, double seconds, double noise) {
    return new Timings(
        IntStream.range(0, runs)
            .mapToObj(run -> seconds * (1 + noise * Math.abs(random.nextGaussian())))
            .toList());
  }

  @Test
  void quantilesAreInterpolated() {
    Timings timings = of(4, 1, 3, 2, 5);
    assertThat(timings.median()).isEqualTo(3);
    assertThat(timings.fastest()).isEqualTo(1);
    assertThat(timings.lowerQuartile()).isEqualTo(2);
    assertThat(timings.upperQuartile()).isEqualTo(4);
    assertThat(timings.spread()).isCloseTo(2.0 / 3, within(1e-12));
    assertThat(of(1, 2).median()).isEqualTo(1.5);
    assertThatIllegalArgumentException().isThrownBy(() -> new Timings(List.of()));
  }

  @Test
  void whatIsTwiceAsFastIsKeptInSpiteOfNoise() {
    for (int search = 0; search < SEARCHES; search++) {
      Timings reference = noisy(2 * ROUNDS, 2, 0.2);
      assertThat(noisy(ROUNDS, 1, 0.2).clearlyFasterThan(reference)).isTrue();
    }
  }

  /** Every search has 31 equal variants, the best of which seems faster than the reference. */
  @Test
  void equalVariantsAreHardlyEverKept() {
    for (double noise : new double[] {0.02, 0.2, 1}) {
      int kept = 0;
      for (int search = 0; search < SEARCHES; search++) {
        Timings reference = noisy(2 * ROUNDS, 1, noise);
        kept +=
            IntStream.range(0, VARIANTS)
                    .anyMatch(v -> noisy(ROUNDS, 1, noise).clearlyFasterThan(reference))
                ? 1
                : 0;
      }
      assertThat(kept).as("of 1,000 searches at noise %s", noise).isLessThan(20);
    }
  }

  /**
   * A parallel kernel of 1 s takes 3.5 s while another program has a core; a sequential one 1.8.
   */
  @Test
  void aSequentialKernelIsNotKeptBecauseTheMachineIsBusy() {
    Timings parallel = of(3.5, 3.6, 3.4, 3.5, 1.0, 3.5, 3.7, 3.5, 3.5, 3.6, 3.4, 3.5, 3.5, 3.6);
    Timings sequential = of(1.8, 1.8, 1.7, 1.8, 1.9, 1.8, 1.7);
    assertThat(sequential.median()).isLessThan(parallel.median() / 1.9);
    assertThat(sequential.clearlyFasterThan(parallel)).isFalse();
  }

  @Test
  void fewRunsSayNothing() {
    assertThat(of(1, 1).clearlyFasterThan(of(9, 9, 9, 9, 9, 9))).isFalse();
    assertThat(of(1, 1, 1, 1, 1).clearlyFasterThan(of(9, 9))).isFalse();
    assertThat(of(1, 1, 1, 1, 1).clearlyFasterThan(of(9, 9, 9, 9, 9))).isTrue();
  }
}
