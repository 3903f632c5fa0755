package org.weft.jobs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** What the suite times is right: every kernel against loops over its entries. */
class WorkloadsTest {
  private static final int RANK = 3;

  @ParameterizedTest
  @ValueSource(strings = {"nell-2", "uber", "banded", "power-law", "uniform"})
  void everyWorkloadGivesTheRightAnswer(String name) {
    BenchTensor tensor = BenchTensor.named(name, name.equals("uniform") ? 0.005 : 0.0002, 1);
    int order = tensor.shape().order();
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
        MemoryScope scope = MemoryScope.root("test", MemorySource.system());
        Workloads workloads =
            new Workloads(compiler, scope, tensor, List.of(1, 2), ValueType.DOUBLE)) {
      int checked = 0;
      for (BenchKernel kernel : BenchKernel.values()) {
        MemoryScope operands = scope.child("operands");
        List<Workload> made = workloads.of(kernel, RANK, operands);
        assertThat(made.isEmpty()).isEqualTo(!kernel.appliesTo(order));
        for (int w = 0; w < made.size(); w++) {
          Workload workload = made.get(w);
          if (kernel == BenchKernel.CP_ALS) {
            assertThat(workload.call().run(m -> assertFinite(m))).isPositive();
            checked++;
            continue;
          }
          Map<String, Double> expected = expected(kernel, tensor, w / 2);
          Map<String, Double> found = new TreeMap<>();
          double seconds =
              workload
                  .call()
                  .run(result -> result.forEachEntry((at, v) -> found.put(Arrays.toString(at), v)));
          found.values().removeIf(v -> v == 0);
          assertThat(seconds).isPositive();
          assertThat(found.keySet()).as("%s", workload).isEqualTo(expected.keySet());
          found.forEach(
              (at, v) -> assertThat(v).isCloseTo(expected.get(at), within(1e-9 * Math.abs(v))));
          assertThat(workload.work().bytes()).isPositive();
          assertThat(workload.work().flops()).isPositive();
          checked++;
        }
        operands.close();
      }
      assertThat(checked).isEqualTo(order == 2 ? 10 : 2 * (order + 3));
    }
  }

  /** The other tensors of the suite, of these orders and of 5 modes. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"nell-1", "vast", "lbnl", "half-slice", "fem"})
  void everyWorkloadOnOthersGivesTheRightAnswer(String name) {
    everyWorkloadGivesTheRightAnswer(name);
  }

  private static void assertFinite(TensorStorage result) {
    double[] sum = {0};
    result.forEachEntry((at, v) -> sum[0] += Math.abs(v));
    assertThat(sum[0]).isFinite().isPositive();
  }

  private static Map<String, Double> expected(BenchKernel kernel, BenchTensor tensor, int mode) {
    Map<String, Double> sums = new TreeMap<>();
    int last = tensor.shape().order() - 1;
    List<DenseMatrix> vectors = factors(tensor, 1);
    List<DenseMatrix> wide = factors(tensor, Workloads.COLUMNS);
    List<DenseMatrix> ranked = factors(tensor, RANK);
    Map<Long, List<long[]>> partnerRows = new TreeMap<>();
    List<Double> partnerValues = new ArrayList<>();
    if (kernel == BenchKernel.SPGEMM || kernel == BenchKernel.ADD) {
      each(
          tensor.partner().orElseThrow().get(),
          (at, v) -> {
            partnerRows
                .computeIfAbsent(at[0], row -> new ArrayList<>())
                .add(new long[] {at[1], partnerValues.size()});
            partnerValues.add(v);
            if (kernel == BenchKernel.ADD) {
              add(sums, v, at);
            }
          });
    }
    each(
        tensor.blocks(),
        (at, v) -> {
          switch (kernel) {
            case ADD -> add(sums, v, at);
            case SPMV -> add(sums, v * vectors.get(1).get(at[1], 0), at[0]);
            case SPMM -> {
              for (int k = 0; k < Workloads.COLUMNS; k++) {
                add(sums, v * wide.get(1).get(at[1], k), at[0], k);
              }
            }
            case SDDMM -> {
              for (int k = 0; k < Workloads.COLUMNS; k++) {
                add(sums, v * wide.get(0).get(at[0], k) * wide.get(1).get(at[1], k), at);
              }
            }
            case SPGEMM -> {
              for (long[] other : partnerRows.getOrDefault(at[1], List.of())) {
                add(sums, v * partnerValues.get((int) other[1]), at[0], other[0]);
              }
            }
            case TTV -> add(sums, v * vectors.get(last).get(at[last], 0), Arrays.copyOf(at, last));
            case TTM -> {
              for (int r = 0; r < RANK; r++) {
                long[] target = Arrays.copyOf(at, last + 1);
                target[last] = r;
                add(sums, v * ranked.get(last).get(at[last], r), target);
              }
            }
            case CP_ALS -> throw new AssertionError(kernel);
            case MTTKRP -> {
              for (int r = 0; r < RANK; r++) {
                double product = v;
                for (int m = 0; m <= last; m++) {
                  product *= m == mode ? 1 : ranked.get(m).get(at[m], r);
                }
                add(sums, product, at[mode], r);
              }
            }
          }
        });
    return sums;
  }

  private static List<DenseMatrix> factors(BenchTensor tensor, int columns) {
    List<DenseMatrix> factors = new ArrayList<>();
    for (int mode = 0; mode < tensor.shape().order(); mode++) {
      factors.add(DenseMatrix.random(tensor.shape().size(mode), columns, Workloads.OPERAND_SEED));
    }
    return factors;
  }

  private interface Entry {
    void visit(long[] at, double value);
  }

  private static void each(List<CooBlock> blocks, Entry entry) {
    for (CooBlock block : blocks) {
      for (int e = 0; e < block.size(); e++) {
        long[] at = new long[block.order()];
        for (int mode = 0; mode < at.length; mode++) {
          at[mode] = block.coordinate(mode, e);
        }
        entry.visit(at, block.value(e));
      }
    }
  }

  private static void add(Map<String, Double> sums, double value, long... at) {
    sums.merge(Arrays.toString(at), value, Double::sum);
  }

  @Test
  void halfOfTheEntriesLieInOneSlice() {
    BenchTensor tensor = BenchTensor.named("half-slice", 0.001, 1);
    Map<Long, Integer> slices = new TreeMap<>();
    each(tensor.blocks(), (at, v) -> slices.merge(at[0], 1, Integer::sum));
    int heaviest = slices.values().stream().max(Integer::compare).orElseThrow();
    assertThat((double) heaviest / tensor.entries()).isBetween(0.49, 0.55);
  }

  @Test
  void readsBeyondTheCacheAreMissedAgain() {
    assertThat(Work.missed(new int[] {0, 1, 5, 3}, 4)).isEqualTo(3);
    assertThat(Work.missed(new int[] {0, 1, 5, 3}, 1)).isEqualTo(5);
    assertThat(Work.missed(new int[] {0, 1, 5, 3}, 0)).isEqualTo(9);
  }
}
