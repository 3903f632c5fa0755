package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

class SampleExtensionTest {
  private static final TensorShape SHAPE = TensorShape.of(2000, 2000);

  private static CooBlock shuffledBand() {
    CooBlock.Builder builder = new CooBlock.Builder(2, 50_000);
    for (int i = 0; i < 2000; i++) {
      for (int j = Math.max(0, i - 12); j < Math.min(2000, i + 13); j++) {
        builder.add(new long[] {i, j}, 1);
      }
    }
    CooBlock band = builder.build();
    return Permutation.relabel(band, new RandomOrder(5).reorder(SHAPE, List.of(band)));
  }

  private static CooBlock sample(CooBlock all, int oneIn) {
    SplittableRandom random = new SplittableRandom(3);
    int[] kept = new int[all.size()];
    int count = 0;
    for (int e = 0; e < all.size(); e++) {
      if (random.nextInt(oneIn) == 0) {
        kept[count++] = e;
      }
    }
    return all.select(Arrays.copyOf(kept, count));
  }

  private static double bandwidth(CooBlock block) {
    return LocalityMetrics.of(SHAPE, List.of(block), 8, 64).bandwidths().get(0).average();
  }

  @Test
  void unseenSlicesGoWhereTheirNeighboursAre() {
    CooBlock all = shuffledBand();
    CooBlock sample = sample(all, 4);
    Reorderer band = Reorderers.named("band");
    SampleExtension.Start start =
        SampleExtension.Start.of(
            new Relabelling(band.reorder(SHAPE, List.of(sample))), List.of(sample));
    assertThat(start.seen().get(0).cardinality()).isLessThanOrEqualTo(2000);
    Relabelling found = new SampleExtension(start).add(all).relabelling();
    double exact = bandwidth(new Relabelling(band.reorder(SHAPE, List.of(all))).apply(all));
    assertThat(bandwidth(all)).isGreaterThan(500);
    assertThat(bandwidth(found.apply(all))).isLessThan(4 * exact);
  }

  @Test
  void partsMergeInAnyOrder() {
    CooBlock all = shuffledBand();
    CooBlock sample = sample(all, 30);
    SampleExtension.Start start =
        SampleExtension.Start.of(
            new Relabelling(Reorderers.named("lexi").reorder(SHAPE, List.of(sample))),
            List.of(sample));
    int[] first = new int[20_000];
    int[] second = new int[all.size() - first.length];
    for (int e = 0; e < all.size(); e++) {
      if (e < first.length) {
        first[e] = e;
      } else {
        second[e - first.length] = e;
      }
    }
    Relabelling whole = new SampleExtension(start).add(all).relabelling();
    SampleExtension a = new SampleExtension(start).add(all.select(first));
    SampleExtension b = new SampleExtension(start).add(all.select(second));
    assertThat(b.learnt().plus(a.learnt()).relabelling(start)).isEqualTo(whole);
  }

  /** With the whole tensor as its sample, slices with entries keep their order. */
  @Test
  void aCompleteSampleKeepsItsOrder() {
    CooBlock all = shuffledBand();
    Relabelling exact = new Relabelling(Reorderers.named("rcm").reorder(SHAPE, List.of(all)));
    SampleExtension.Start start = SampleExtension.Start.of(exact, List.of(all));
    assertThat(new SampleExtension(start).add(all).relabelling()).isEqualTo(exact);
  }
}
