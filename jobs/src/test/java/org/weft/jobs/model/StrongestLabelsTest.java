package org.weft.jobs.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.weft.jobs.model.StrongestLabels.magnitude;

import org.junit.jupiter.api.Test;

class StrongestLabelsTest {
  /** Weights of the demo's towns on one thread and on two: one order of words, then. */
  @Test
  void weightsThatDifferByRoundingAloneAreEqual() {
    assertThat(magnitude(0.03769519551106599)).isEqualTo(magnitude(-0.03769519551106598));
    assertThat(magnitude(0.03769519551106745)).isEqualTo(magnitude(0.037695195511067446));
  }

  @Test
  void otherWeightsAreCompared() {
    assertThat(magnitude(1.0000001)).isGreaterThan(magnitude(1));
    assertThat(magnitude(3e-320)).isGreaterThanOrEqualTo(magnitude(0));
    assertThat(magnitude(2e-300)).isGreaterThan(magnitude(1e-300));
    assertThat(magnitude(-2e300)).isGreaterThan(magnitude(1e300));
  }
}
