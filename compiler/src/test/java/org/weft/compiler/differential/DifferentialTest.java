package org.weft.compiler.differential;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.runtime.NativeRuntime;

/**
 * Random statements in random formats against {@link Oracle}. The seed is printed; a failure prints
 * its smallest form and how to run it again. {@code -Plong} runs tens of thousands of cases; {@code
 * -Dweft.test.jvm="-Dweft.seed=SEED -Dweft.cases=COUNT"} sets both, and {@code -Dweft.case=NUMBER}
 * runs a single one.
 */
class DifferentialTest {
  @Test
  void kernelsAgreeWithTheDefinition() {
    CompilerOptions options = CompilerOptions.forThisHost();
    int optimisation = Boolean.getBoolean("weft.long") ? 3 : 1;
    long before = NativeRuntime.statistics().liveBlocks();
    try (TensorCompiler plain = TensorCompiler.create(options.withOptimisation(0));
        TensorCompiler optimising = TensorCompiler.create(options.withOptimisation(optimisation))) {
      Campaign campaign =
          new Campaign(
              "kernels",
              new KernelRunner(plain),
              new KernelRunner(optimising),
              Refusals.ofKernels(),
              false);
      campaign.run(3_000);
    }
    assertThat(NativeRuntime.statistics().liveBlocks())
        .as("blocks that kernels did not free")
        .isEqualTo(before);
  }
}
