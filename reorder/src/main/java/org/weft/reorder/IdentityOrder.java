package org.weft.reorder;

import java.util.List;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Leaves every label as it is. */
final class IdentityOrder implements Reorderer {
  @Override
  public String name() {
    return "identity";
  }

  @Override
  public boolean followsNeighbours() {
    return false;
  }

  @Override
  public List<Permutation> reorder(TensorShape shape, List<CooBlock> blocks) {
    return Permutation.identities(shape);
  }
}
