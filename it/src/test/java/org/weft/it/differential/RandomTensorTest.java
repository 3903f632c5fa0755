package org.weft.it.differential;

import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random and awkward tensors of orders 1 to 5: MTTKRP, TTM and TTV of one mode each, random
 * partition counts. Random tensors of odd seeds go through the engine of one process, all others
 * through Spark.
 *
 * <p>A failure prints its seed; {@code -Dweft.it.seed=N} runs that one alone.
 */
final class RandomTensorTest {
  private static final int SEEDS = 4;
  private static final int MANY_SEEDS = 156;

  static LongStream seeds() {
    Long chosen = Long.getLong("weft.it.seed");
    return chosen != null ? LongStream.of(chosen) : LongStream.range(0, SEEDS);
  }

  static LongStream manySeeds() {
    return LongStream.range(SEEDS, SEEDS + MANY_SEEDS);
  }

  static Stream<Integer> awkwardCases() {
    return IntStream.range(0, RandomTensors.awkward().size()).boxed().filter(n -> n % 10 == 2);
  }

  static Stream<Integer> moreAwkwardCases() {
    return IntStream.range(0, RandomTensors.awkward().size()).boxed().filter(n -> n % 10 != 2);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void randomTensor(long seed, @TempDir Path folder) {
    checkAll(RandomTensors.of(seed), seed, seed % 2 == 0, folder);
  }

  @Tag("long")
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("manySeeds")
  void manyRandomTensors(long seed, @TempDir Path folder) {
    checkAll(RandomTensors.of(seed), seed, seed % 2 == 0, folder);
  }

  @ParameterizedTest(name = "case {0}")
  @MethodSource("awkwardCases")
  void awkwardTensor(int number, @TempDir Path folder) {
    checkAll(RandomTensors.awkward().get(number), number, true, folder);
  }

  @Tag("long")
  @ParameterizedTest(name = "case {0}")
  @MethodSource("moreAwkwardCases")
  void moreAwkwardTensors(int number, @TempDir Path folder) {
    awkwardTensor(number, folder);
  }

  /** Two plans whose kernels are the same code, for storages of different mode orders. */
  @Test
  void kernelsThatDifferInModeOrderAlone(@TempDir Path folder) {
    for (long[] sizes : List.of(new long[] {20, 30, 40}, new long[] {20, 40, 30})) {
      Entries tensor = RandomTensors.fill(sizes, 500, new SplittableRandom(8));
      Path input = folder.resolve("tensor.tns");
      tensor.write(input);
      new Operations(tensor, input, folder, 2, true).mttkrp(0, 4, 1);
    }
  }

  private static void checkAll(Entries tensor, long seed, boolean spark, Path folder) {
    Path input = folder.resolve("tensor.tns");
    tensor.write(input);
    SplittableRandom random = new SplittableRandom(~seed);
    Operations operations = new Operations(tensor, input, folder, random.nextInt(0, 5), spark);
    int order = tensor.order();
    List<Runnable> checks =
        List.of(
            () -> operations.mttkrp(random.nextInt(order), random.nextInt(1, 20), seed),
            () -> operations.ttm(random.nextInt(order), random.nextInt(1, 9), seed),
            () -> operations.ttv(random.nextInt(order), seed));
    for (Runnable check : checks) {
      try {
        check.run();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            "seed or case %d, %s, --partitions %d (rerun: -Dweft.it.seed=%d): %s"
                .formatted(seed, tensor, operations.partitions(), seed, e.getMessage()),
            e);
      }
    }
  }
}
