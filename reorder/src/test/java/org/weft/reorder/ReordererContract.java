package org.weft.reorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** What every {@link Reorderer} promises; one subclass each. */
abstract class ReordererContract {
  abstract Reorderer reorderer();

  static CooBlock random(TensorShape shape, int entries, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), entries);
    long[] c = new long[shape.order()];
    for (int e = 0; e < entries; e++) {
      for (int m = 0; m < c.length; m++) {
        c[m] = (long) (shape.size(m) * Math.pow(random.nextDouble(), 2));
      }
      block.add(c, e);
    }
    return block.build();
  }

  private void check(TensorShape shape, List<CooBlock> blocks) {
    List<Permutation> p = reorderer().reorder(shape, blocks);
    assertThat(p).hasSize(shape.order());
    for (int m = 0; m < shape.order(); m++) {
      assertThat(p.get(m).size()).isEqualTo(shape.size(m));
      assertThat(p.get(m).andThen(p.get(m).inverse()).isIdentity()).isTrue();
    }
    assertThat(reorderer().reorder(shape, blocks)).isEqualTo(p);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void permutesEveryModeOfAnyOrder(int order) {
    long[] sizes = new long[order];
    for (int m = 0; m < order; m++) {
      sizes[m] = 3 + 7 * m;
    }
    TensorShape shape = TensorShape.of(sizes);
    check(shape, List.of(random(shape, 300, order)));
  }

  @Test
  void blocksDoNotMatter() {
    TensorShape shape = TensorShape.of(20, 30, 10);
    CooBlock a = random(shape, 100, 1);
    CooBlock b = random(shape, 50, 2);
    assertThat(reorderer().reorder(shape, List.of(a, b)))
        .isEqualTo(reorderer().reorder(shape, List.of(CooBlock.concat(List.of(a, b)))));
  }

  @Test
  void degenerateTensors() {
    check(TensorShape.of(0), List.of());
    check(TensorShape.of(0, 4), List.of());
    check(TensorShape.of(5, 4), List.of());
    check(TensorShape.of(1, 1, 1), List.of(random(TensorShape.of(1, 1, 1), 3, 1)));
    check(TensorShape.of(1, 100), List.of(random(TensorShape.of(1, 100), 300, 1)));
    List<CooBlock> manyEmptySlices = new ArrayList<>();
    manyEmptySlices.add(random(TensorShape.of(3, 3), 5, 1));
    check(TensorShape.of(1000, 2000), manyEmptySlices);
  }

  /** A row with every column, a column with every row, and half of the entries a second time. */
  @Test
  void denseSlicesAndRepeatedEntries() {
    TensorShape shape = TensorShape.of(60, 40, 30);
    CooBlock.Builder block = new CooBlock.Builder(3, 60 * 40);
    for (int i = 0; i < 60; i++) {
      for (int j = 0; j < 40; j++) {
        if (i == 17 || j == 5 || (i * 7 + j * 11) % 41 == 0) {
          block.add(new long[] {i, j, (i + j) % 30}, 1);
        }
      }
    }
    CooBlock entries = block.build();
    int[] half = IntStream.range(0, entries.size()).filter(e -> e % 2 == 0).toArray();
    check(shape, List.of(entries));
    check(shape, List.of(entries, entries.select(half)));
  }

  @Test
  void isFoundByItsName() {
    assertThat(Reorderers.named(reorderer().name()).name()).isEqualTo(reorderer().name());
  }

  @Test
  void refusesModesThatAreTooLarge() {
    assertThatThrownBy(() -> reorderer().reorder(TensorShape.of(1L << 32), List.of()))
        .isInstanceOf(WeftException.class);
  }
}
