package org.weft.reorder;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Shuffles every mode (Fisher and Yates), each from its own stream of the seed. */
final class RandomOrder implements Reorderer {
  private final long seed;

  RandomOrder(long seed) {
    this.seed = seed;
  }

  @Override
  public String name() {
    return "random:" + seed;
  }

  @Override
  public boolean followsNeighbours() {
    return false;
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    SplittableRandom streams = new SplittableRandom(seed);
    List<Permutation> permutations = new ArrayList<>();
    for (Permutation identity : Permutation.identities(shape)) {
      SplittableRandom random = streams.split();
      int[] label = new int[(int) identity.size()];
      for (int i = 0; i < label.length; i++) {
        int j = random.nextInt(i + 1);
        label[i] = label[j];
        label[j] = i;
      }
      permutations.add(Permutation.of(label));
    }
    return permutations;
  }
}
