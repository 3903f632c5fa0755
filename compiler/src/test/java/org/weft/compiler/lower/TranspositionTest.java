package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelLibrary;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

class TranspositionTest {
  private static final long SEED = 77;
  private static final int CASES = Boolean.getBoolean("weft.long") ? 200 : 5;
  private static final long[] SIZES = {0, 1, 2, 5, 13, 16, 17, 31, 32, 33, 48};

  /** Doubles of a way of the first cache: tiles of fewer columns. */
  private static final long A_WAY = 512;

  /** A copy of a tensor of order 2 to 5 with its labels in any order. */
  private static KernelCase random(Random random) {
    int order = 2 + random.nextInt(4);
    List<String> labels = new ArrayList<>(List.of("a", "b", "c", "d", "e").subList(0, order));
    Map<String, Long> sizes = new TreeMap<>();
    double cells = 1;
    for (String label : labels) {
      long size = cells > 4000 ? 1 + random.nextInt(3) : SIZES[random.nextInt(SIZES.length)];
      size = cells < 64 && random.nextInt(8) == 0 ? A_WAY : size;
      size = size == 0 && random.nextInt(4) > 0 ? 3 : size;
      sizes.put(label, size);
      cells *= size;
    }
    String from = "A(" + String.join(",", labels) + ")";
    Collections.shuffle(labels, random);
    ValueType type = random.nextBoolean() ? ValueType.DOUBLE : ValueType.FLOAT;
    List<Integer> modes = new ArrayList<>(IntStream.range(0, order).boxed().toList());
    Collections.shuffle(modes, random);
    TensorFormat stored = TensorFormat.dense(order, type);
    TensorFormat turned = stored.withModeOrder(modes.stream().mapToInt(mode -> mode).toArray());
    return new KernelCase(
        "B(" + String.join(",", labels) + ") = " + from,
        Map.of("A", random.nextBoolean() ? stored : turned, "B", stored),
        sizes,
        Set.of(),
        random.nextBoolean() ? Schedule.parallel() : Schedule.sequential());
  }

  @ParameterizedTest(name = "guarded {0}")
  @ValueSource(booleans = {false, true})
  void randomTranspositions(boolean guarded) {
    Random random = new Random(SEED);
    List<KernelCase> cases = IntStream.range(0, CASES).mapToObj(n -> random(random)).toList();
    CompilerOptions options = CompilerOptions.forThisHost().withCheck(guarded);
    try (TensorCompiler compiler = TensorCompiler.create(options.withOptimisation(1))) {
      List<KernelRequest> requests =
          IntStream.range(0, cases.size()).mapToObj(n -> cases.get(n).request("k" + n)).toList();
      KernelImage image = compiler.compile(requests);
      try (KernelLibrary library = KernelLibrary.open(image)) {
        for (int number = 0; number < cases.size(); number++) {
          Kernel kernel = Kernel.of(library, image.kernels().get(number));
          for (int run = 0; run < 2; run++) {
            try {
              cases.get(number).check(kernel, new Random(SEED + run));
            } catch (AssertionError e) {
              throw new AssertionError(cases.get(number) + ": " + e.getMessage(), e);
            }
          }
        }
      }
    }
  }

  @Test
  void onlyCopiesWhoseNeighboursChangeRunInTiles() {
    assertThat(loops("B(j,i) = A(i,j)", Schedule.parallel())).contains("near_tiles");
    assertThat(loops("B(i,j) = A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) = 2 * A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) += A(i,j)", Schedule.parallel())).doesNotContain("near_tiles");
    assertThat(loops("B(j,i) = A(i,j)", Schedule.parse("order(j,i)"))).doesNotContain("near_tiles");
  }

  private static String loops(String expression, Schedule schedule) {
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    return Lowering.lower(
            new KernelRequest("k", expression, Map.of("A", dense, "B", dense), Map.of(), schedule))
        .function()
        .toString();
  }
}
