package org.weft.jobs.decompose;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ModelCommandTest {
  @Test
  void theLineOfAModelCountsItsIterations() {
    assertThat(ModelCommand.line(List.of(0.5), false))
        .isEqualTo("fit 0.500000 after 1 iteration (not converged)");
    assertThat(ModelCommand.line(List.of(0.5, 0.75), true))
        .isEqualTo("fit 0.750000 after 2 iterations");
  }
}
