package org.weft.compiler.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
  private long blocks;

  @BeforeEach
  void count() {
    blocks = NativeRuntime.statistics().liveBlocks();
  }

  @AfterEach
  void kernelsFreeWhatTheyAllocate() {
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(blocks);
  }

  /** One kernel per statement, mode orders that mostly agree. */
  @Test
  void kernelsAgreeWithTheDefinition() {
    run("kernels", KernelRunner::new, Refusals.ofKernels(), false, 300);
  }

  /** Any mode orders and any result format: the evaluator converts where it must. */
  @Test
  void evaluatedStatementsAgreeWithTheDefinition() {
    run("evaluator", EvaluatorRunner::new, Refusals.none(), true, 60);
  }

  private static void run(
      String name,
      Function<TensorCompiler, Runner> runner,
      Refusals refusals,
      boolean anyModeOrder,
      int cases) {
    CompilerOptions options = CompilerOptions.forThisHost();
    int optimisation = Boolean.getBoolean("weft.long") ? 3 : 1;
    try (TensorCompiler plain = TensorCompiler.create(options.withOptimisation(0));
        TensorCompiler checked =
            TensorCompiler.create(options.withOptimisation(0).withCheck(true));
        TensorCompiler optimised = TensorCompiler.create(options.withOptimisation(optimisation))) {
      new Campaign(
              name,
              runner.apply(plain),
              runner.apply(checked),
              runner.apply(optimised),
              refusals,
              anyModeOrder)
          .run(cases);
    }
  }
}
