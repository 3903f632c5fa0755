package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;

/**
 * Random expressions in random formats against {@link DenseEvaluator}. Rerun a failure with {@code
 * -Dweft.test.jvm=-Dweft.seed=SEED}; {@code -Dweft.cases=5000} runs longer.
 */
class DifferentialTest {
  private static final int BATCH = 25;

  @Test
  void randomExpressionsInRandomFormatsAgreeWithTheDefinition() {
    long seed = Long.getLong("weft.seed", System.nanoTime());
    int cases = Integer.getInteger("weft.cases", 300);
    System.out.println("differential test: -Dweft.seed=" + seed + " -Dweft.cases=" + cases);
    Map<ErrorCode, Integer> refused = new EnumMap<>(ErrorCode.class);
    try (TensorCompiler compiler =
        TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(1))) {
      for (int at = 0; at < cases; at += BATCH) {
        batch(compiler, seed, at, Math.min(BATCH, cases - at), refused);
      }
    }
    System.out.println("refused: " + refused);
    int rejected = refused.values().stream().mapToInt(n -> n).sum();
    assertThat(rejected).as("requests without a kernel").isLessThan(cases / 2);
    assertThat(refused.keySet())
        .isSubsetOf(ErrorCode.INVALID_FORMAT, ErrorCode.UNSUPPORTED_OPERATION);
  }

  private static void batch(
      TensorCompiler compiler, long seed, int from, int count, Map<ErrorCode, Integer> refused) {
    List<KernelCase> cases = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    for (int number = from; number < from + count; number++) {
      KernelCase candidate = new RandomCases(random(seed, number)).next();
      try {
        Lowering.lower(candidate.request("kernel"));
        cases.add(candidate);
        numbers.add(number);
      } catch (WeftException e) {
        refused.merge(e.code(), 1, Integer::sum);
      } catch (RuntimeException e) {
        throw new AssertionError("case " + number + " of seed " + seed + ": " + candidate, e);
      }
    }
    if (cases.isEmpty()) {
      return;
    }
    List<org.weft.compiler.KernelRequest> requests = new ArrayList<>();
    for (int c = 0; c < cases.size(); c++) {
      requests.add(cases.get(c).request("kernel" + c));
    }
    KernelImage image = compiler.compile(requests);
    try (KernelLibrary library = KernelLibrary.open(image)) {
      for (int c = 0; c < cases.size(); c++) {
        Kernel kernel = Kernel.of(library, image.kernels().get(c));
        try {
          for (int run = 0; run < 3; run++) {
            cases.get(c).check(kernel, random(seed + run + 1, numbers.get(c)));
          }
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(
              "case " + numbers.get(c) + " of seed " + seed + ": " + cases.get(c), e);
        }
      }
    }
  }

  private static Random random(long seed, int number) {
    Random random = new Random(seed * 1_000_003 + number);
    random.nextInt();
    return random;
  }
}
